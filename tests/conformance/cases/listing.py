"""Lists: selectors, pages, versions."""

from __future__ import annotations

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, config_map

case = Cases("list")


def _three(s: Script) -> None:
    for index, name in enumerate("abc"):
        s.post(CONFIG_MAPS, config_map(name, metadata={"labels": {"tier": name, "n": str(index)}}))


@case("nothing and everything")
def _(s: Script) -> None:
    s.get(CONFIG_MAPS)
    _three(s)
    s.get(CONFIG_MAPS)


@case("by labels")
def _(s: Script) -> None:
    _three(s)
    for selector in (
        "tier=a",
        "tier!=a",
        "tier in (a,b)",
        "tier notin (a)",
        "tier",
        "!tier",
        "n>0",
        "n<2",
        "tier=a,n=1",
    ):
        s.get(CONFIG_MAPS, labelSelector=selector)
    for selector in ("tier in", "a=b=c", "-", "n>x"):
        s.get(CONFIG_MAPS, labelSelector=selector)


@case("by fields")
def _(s: Script) -> None:
    _three(s)
    for selector in (
        "metadata.name=a",
        "metadata.name!=a",
        "metadata.namespace={ns}",
        "data.a=1",
        "x",
        "metadata.name=",
    ):
        s.get(CONFIG_MAPS, fieldSelector=selector)


@case("in pages")
def _(s: Script) -> None:
    _three(s)
    first = s.get(CONFIG_MAPS, limit=2)
    second = s.get(CONFIG_MAPS, limit=2, continue_=first["metadata"]["continue"])
    s.get(CONFIG_MAPS, limit=2, continue_=second["metadata"]["continue"])
    s.get(CONFIG_MAPS, limit=1, labelSelector="n>0")
    s.get(CONFIG_MAPS, limit=-1)
    s.get(CONFIG_MAPS, limit="x")
    s.get(CONFIG_MAPS, continue_="rubbish")
    s.get(CONFIG_MAPS, limit=1, continue_=first["metadata"]["continue"], resourceVersion="5")


@case("at versions")
def _(s: Script) -> None:
    _three(s)
    s.get(CONFIG_MAPS, resourceVersion="0")
    s.get(CONFIG_MAPS, resourceVersion="x")
    s.get(CONFIG_MAPS, resourceVersionMatch="Exact")
    s.get(CONFIG_MAPS, resourceVersion="0", resourceVersionMatch="Exact")
    s.get(CONFIG_MAPS, resourceVersion="1", resourceVersionMatch="Sideways")
    at = s.get(CONFIG_MAPS)["metadata"]["resourceVersion"]
    s.delete(f"{CONFIG_MAPS}/a")
    s.get(CONFIG_MAPS, resourceVersion=at, resourceVersionMatch="Exact")
    s.get(CONFIG_MAPS, resourceVersion=at, resourceVersionMatch="NotOlderThan")


@case("as a table")
def _(s: Script) -> None:
    _three(s)
    accept = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}
    s.get(CONFIG_MAPS, headers=accept)
    s.get(CONFIG_MAPS, headers=accept, includeObject="Object")
    s.get(CONFIG_MAPS, headers=accept, includeObject="None")
    s.get(f"{CONFIG_MAPS}/a", headers=accept)


@case("as metadata alone")
def _(s: Script) -> None:
    _three(s)
    accept = {"Accept": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}
    s.get(CONFIG_MAPS, headers=accept)
    s.get(f"{CONFIG_MAPS}/a", headers=accept)
    s.get(f"{CONFIG_MAPS}/a", headers={"Accept": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"})
    s.get(f"{CONFIG_MAPS}/a", headers={"Accept": "text/html"})
    s.get(f"{CONFIG_MAPS}/a", headers={"Accept": "application/yaml"})
