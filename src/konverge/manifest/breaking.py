"""Breaking changes: what a new CustomResourceDefinition does to objects stored under the old one, and to clients.

An object that is stored stays readable whatever the new schema says, but what is written must fit: servers since 1.33
let through what an update does not touch, older ones check all of it. So everything that tightens a schema breaks, and
what widens it does not. Versions of the same name are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from konverge.manifest.schema_changes import schema_changes

Json = Mapping[str, Any]


class BreakingChange(msgspec.Struct, frozen=True, order=True):
    """One change: where it is (a version and a path below it), what it is, and why it breaks."""

    path: str
    change: str
    why: str

    def __str__(self) -> str:
        return f"{self.path}: {self.change}: {self.why}"


def breaking_changes(old_crd: Json, new_crd: Json) -> list[BreakingChange]:
    """Return what breaks when the new CRD takes the place of the old one; empty where nothing does."""
    found = [*_identity(old_crd["spec"], new_crd["spec"]), *_versions(old_crd["spec"], new_crd["spec"])]
    return [BreakingChange(path, change, why) for path, change, why in found]


Found = Iterator[tuple[str, str, str]]


def _identity(old: Json, new: Json) -> Found:
    for name in ("group", "scope"):
        if old.get(name) != new.get(name):
            why = "the server refuses it: it cannot be changed, and a new CRD starts without the stored objects"
            yield f"spec.{name}", f"{old.get(name)} became {new.get(name)}", why
    for name in ("plural", "kind"):
        before, after = old["names"].get(name), new["names"].get(name)
        if before != after:
            why = "stored objects and their owner references keep the old name, so nothing finds them under the new one"
            yield f"spec.names.{name}", f"{before} became {after}", why
    for name in ("shortNames", "categories"):
        for word in old["names"].get(name) or ():
            if word not in (new["names"].get(name) or ()):
                yield f"spec.names.{name}", f"{word} is gone", "commands that use it find nothing"


def _versions(old: Json, new: Json) -> Found:
    after = {version["name"]: version for version in new["versions"]}
    for version in old["versions"]:
        name = version["name"]
        if name not in after:
            yield name, "the version is gone", _why_gone(version)
        else:
            yield from _version(version, after[name])


def _why_gone(version: Json) -> str:
    if version.get("storage"):
        return "objects are stored in it: the server refuses to drop it until they are migrated and it is out of status"
    return "clients that ask for it get a 404; the server refuses while status.storedVersions names it"


def _version(old: Json, new: Json) -> Found:
    name = old["name"]
    if old.get("served") and not new.get("served"):
        yield name, "the version is no longer served", "clients that ask for it get a 404"
    for part in old.get("subresources") or {}:
        if part not in (new.get("subresources") or {}):
            yield f"{name}.subresources.{part}", "the subresource is gone", _WITHOUT.get(part, "calls to it get a 404")
    for part in new.get("subresources") or {}:
        if part == "status" and part not in (old.get("subresources") or {}):
            yield (
                f"{name}.subresources.status",
                "the subresource is new",
                "an update of the object drops its status now",
            )
    fields = {field["jsonPath"] for field in new.get("selectableFields") or ()}
    for field in old.get("selectableFields") or ():
        if field["jsonPath"] not in fields:
            yield f"{name}.selectableFields", f"{field['jsonPath']} is gone", "field selectors with it get an error"
    for path, change, why in schema_changes(_schema(old), _schema(new)):
        yield f"{name}.{path}" if path else name, change, why


_WITHOUT = {"status": "updates of the status get a 404, and a plain update changes the status now"}


def _schema(version: Json) -> Json:
    found: Json = (version.get("schema") or {}).get("openAPIV3Schema") or {}
    return found
