"""Versions of lists: the matrix of resourceVersion, resourceVersionMatch, limit and continue."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Reference, Script

from cases.objects import CONFIG_MAPS, config_map

case = Cases("version")

FUTURE: Final = "999999999"


def _three(s: Script) -> Reference:
    """Make three objects; return the version after the second."""
    s.post(CONFIG_MAPS, config_map("a"))
    second = s.post(CONFIG_MAPS, config_map("b"))
    s.post(CONFIG_MAPS, config_map("c"))
    return second["metadata"]["resourceVersion"]


def _each(s: Script, version: Any, **more: Any) -> None:
    for match in ("", "Exact", "NotOlderThan"):
        s.get(CONFIG_MAPS, resourceVersion=version, resourceVersionMatch=match, **more)


@case("none")
def _(s: Script) -> None:
    _three(s)
    _each(s, "")
    _each(s, "", limit="2")


@case("zero")
def _(s: Script) -> None:
    _three(s)
    _each(s, "0")
    s.get(CONFIG_MAPS, resourceVersion="0", limit="1")


@case("one that was")
def _(s: Script) -> None:
    version = _three(s)
    _each(s, version)


@case("one that was, in pages")
def _(s: Script) -> None:
    version = _three(s)
    _each(s, version, limit="1")


@case("one that was, of what changed since")
def _(s: Script) -> None:
    version = _three(s)
    s.patch(f"{CONFIG_MAPS}/a", {"data": {"a": "new"}})
    s.delete(f"{CONFIG_MAPS}/b")
    s.get(CONFIG_MAPS, resourceVersion=version, resourceVersionMatch="Exact")
    s.get(CONFIG_MAPS, resourceVersion=version, resourceVersionMatch="Exact", fieldSelector="metadata.name=b")
    s.get(CONFIG_MAPS, resourceVersion=version, resourceVersionMatch="Exact", fieldSelector="metadata.name=c")


@case("that are none")
def _(s: Script) -> None:
    for version in ("x", "-1", "1.0", "1e3", "99999999999999999999"):
        s.get(CONFIG_MAPS, resourceVersion=version)
        s.get(CONFIG_MAPS, resourceVersion=version, resourceVersionMatch="Exact")


@case("matched in ways that there are not")
def _(s: Script) -> None:
    for match in ("exact", "Other", "notolderthan"):
        s.get(CONFIG_MAPS, resourceVersion="1", resourceVersionMatch=match)
        s.get(CONFIG_MAPS, resourceVersionMatch=match)


@case("pages that stay at one version")
def _(s: Script) -> None:
    _three(s)
    first = s.get(CONFIG_MAPS, limit="1")
    s.post(CONFIG_MAPS, config_map("bb"))
    s.delete(f"{CONFIG_MAPS}/c")
    second = s.get(CONFIG_MAPS, limit="1", continue_=first["metadata"]["continue"])
    s.get(CONFIG_MAPS, continue_=second["metadata"]["continue"])


@case("pages with a version besides")
def _(s: Script) -> None:
    _three(s)
    token = s.get(CONFIG_MAPS, limit="1")["metadata"]["continue"]
    s.get(CONFIG_MAPS, limit="1", continue_=token, resourceVersion="0")
    s.get(CONFIG_MAPS, limit="1", continue_=token, resourceVersion="1")
    s.get(CONFIG_MAPS, limit="1", continue_=token, resourceVersionMatch="NotOlderThan", resourceVersion="0")
    s.get(CONFIG_MAPS, limit="1", continue_=token, resourceVersionMatch="Exact", resourceVersion="1")


@case("pages of another place")
def _(s: Script) -> None:
    _three(s)
    token = s.get(CONFIG_MAPS, limit="1")["metadata"]["continue"]
    s.get("/api/v1/namespaces/{ns}/secrets", limit="1", continue_=token)
    s.get("/api/v1/namespaces/{ns}-other/configmaps", limit="1", continue_=token)


@case("tokens that are none")
def _(s: Script) -> None:
    for token in ("x", "e30", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ", "bnVsbA", "!!"):
        s.get(CONFIG_MAPS, limit="1", continue_=token)


@case("pages of sizes that are odd")
def _(s: Script) -> None:
    _three(s)
    for limit in ("0", "3", "4", "-1", "9223372036854775807"):
        s.get(CONFIG_MAPS, limit=limit)


@case("pages as tables and as metadata")
def _(s: Script) -> None:
    _three(s)
    for form in ("Table", "PartialObjectMetadataList"):
        accept = {"Accept": f"application/json;as={form};v=v1;g=meta.k8s.io"}
        first = s.get(CONFIG_MAPS, limit="2", headers=accept)
        s.get(CONFIG_MAPS, limit="2", continue_=first["metadata"]["continue"], headers=accept)
