"""Definitions out of the OpenAPI v3 documents that an API server publishes, one per group and version.

The schemas say what objects look like; which of them have a path, its plural, scope and subresources, the paths say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from konverge.codegen.definition import Definition, Schema, reference
from konverge.codegen.names import class_name
from konverge.codegen.values import Kind

META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_GVK = "x-kubernetes-group-version-kind"
_OPERATIONS = ("get", "post", "put", "patch", "delete")
Gvk = tuple[str, str, str]


def definitions(documents: Iterable[Mapping[str, Any]]) -> list[Definition]:
    """Return the definitions of all documents, each once, in the order of their names."""
    schemas: dict[str, Schema] = {}
    kinds: dict[Gvk, Kind] = {}
    for document in documents:
        schemas = document.get("components", {}).get("schemas", {}) | schemas
        kinds |= _kinds(document.get("paths", {}))
    owners = dict(_owners(schemas))
    return [
        _definition(name, schema, owner=owners[prefix], kinds=kinds)
        for name, schema in sorted(schemas.items())
        if (prefix := _prefix(name)) in owners and not _is_list(schema)
    ]


def _definition(name: str, schema: Schema, *, owner: tuple[str, str], kinds: Mapping[Gvk, Kind]) -> Definition:
    group, version = owner
    gvk = _gvk(schema)
    kind = kinds.get(gvk, _without_path(gvk)) if gvk else None
    short = class_name(name.rpartition(".")[2])
    return Definition(name=name, class_name=short, group=group, version=version, schema=schema, kind=kind)


def _without_path(gvk: Gvk) -> Kind:
    group, version, kind = gvk
    return Kind(group=group, version=version, kind=kind, plural="", namespaced=True)


def _prefix(name: str) -> str:
    return name.rpartition(".")[0]


def _owners(schemas: Mapping[str, Schema]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Tell which group and version the schemas of a package belong to: that of the kinds among them."""
    for name, schema in sorted(schemas.items()):
        gvk = _gvk(schema)
        if gvk and _prefix(name) != META:
            yield _prefix(name), gvk[:2]


def _gvk(schema: Schema) -> Gvk | None:
    """Return the kind that a schema describes; one with several describes something all groups share."""
    found = schema.get(_GVK, ())
    return _as_gvk(found[0]) if len(found) == 1 else None


def _as_gvk(found: Mapping[str, str]) -> Gvk:
    return found["group"], found["version"], found["kind"]


def _is_list(schema: Schema) -> bool:
    properties = schema.get("properties", {})
    return "items" in properties and (reference(properties.get("metadata", {})) or "").endswith(".ListMeta")


# --- paths ---


@dataclass(slots=True)
class _Resource:
    kind: Gvk | None = None
    namespaced: bool = False
    subresources: set[str] = field(default_factory=set)


def _kinds(paths: Mapping[str, Mapping[str, Any]]) -> dict[Gvk, Kind]:
    """Gather what the paths tell about each kind that has one of its own."""
    resources: dict[str, _Resource] = {}
    for path, operations in paths.items():
        namespaced, plural, rest = _split(path)
        if plural:
            resource = resources.setdefault(plural, _Resource())
            resource.namespaced |= namespaced
            if not rest:
                resource.kind = _kind_of(operations)
            resource.subresources.update(rest[1:2])
    return {found.kind: _kind(plural, found) for plural, found in resources.items() if found.kind}


def _split(path: str) -> tuple[bool, str, list[str]]:
    """Split a path into its scope, the plural and what follows it; no plural where it is none of a resource."""
    _, root, *parts = path.strip("/").split("/") if path.startswith(("/api/", "/apis/")) else ("", "", "")
    if path.startswith("/apis/"):
        parts = parts[1:]
    if not root or not parts or parts[0] == "watch":
        return False, "", []
    if parts[:2] == ["namespaces", "{namespace}"] and len(parts) > 2:  # noqa: PLR2004 - the two and a resource
        return True, parts[2], parts[3:]
    return False, parts[0], parts[1:]


def _kind_of(operations: Mapping[str, Any]) -> Gvk | None:
    found = (operations[name].get(_GVK) for name in _OPERATIONS if name in operations)
    return next((_as_gvk(gvk) for gvk in found if gvk), None)


def _kind(plural: str, resource: _Resource) -> Kind:
    group, version, kind = resource.kind or ("", "", "")
    return Kind(
        group=group,
        version=version,
        kind=kind,
        plural=plural,
        namespaced=resource.namespaced,
        subresources=tuple(sorted(resource.subresources)),
    )


# --- the list of documents ---


def group_version_paths(paths: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return, of the documents a server lists, those of a group in one version, in a fixed order, with both."""
    return {path: found for path in sorted(paths) if (found := _group_version(path))}


def _group_version(path: str) -> tuple[str, str] | None:
    match path.split("/"):
        case ["api", version]:
            return "", version
        case ["apis", group, version]:
            return group, version
    return None
