"""The second form of discovery: everything in one document, `APIGroupDiscoveryList` of `apidiscovery.k8s.io/v2`."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.builtin.catalogue import ApiResource, Group
from konverge.cluster.apiserver.discovery.served import GroupVersion, Served

JsonObject = dict[str, Any]
CORE: Final = Group("", ("v1",))
_UNSAID: Final = ("", "")


def group_discovery_list(found: Served, groups: tuple[Group, ...]) -> JsonObject:
    """Return the document with these groups: the named ones for `/apis`, the core group for `/api`."""
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": [_group(found, group) for group in groups],
    }


def _group(found: Served, group: Group) -> JsonObject:
    versions = []
    for version in group.versions:
        resources = _resources((group.name, version), found.lines.get((group.name, version), ()))
        versions.append({"version": version, "resources": resources, "freshness": "Current"})
    return {"metadata": {"name": group.name} if group.name else {}, "versions": versions}


def _resources(where: GroupVersion, lines: tuple[ApiResource, ...]) -> list[JsonObject]:
    # Built-in kinds leave out the group and version where they are the resource's own; custom ones say them.
    own = _UNSAID if catalogue.api_resources(*where) else where
    found: dict[str, JsonObject] = {}
    for line in lines:
        plural, _, subresource = line.name.partition("/")
        if not subresource:
            found[plural] = _resource(line, own)
        else:
            below = {"subresource": subresource, "responseKind": _kind(line, own), "verbs": line.verbs}
            found[plural].setdefault("subresources", []).append(below)
    return list(found.values())


def _resource(line: ApiResource, own: GroupVersion) -> JsonObject:
    resource: JsonObject = {
        "resource": line.name,
        "responseKind": _kind(line, own),
        "scope": "Namespaced" if line.namespaced else "Cluster",
        "singularResource": line.singular_name,
        "verbs": line.verbs,
    }
    if line.short_names:
        resource["shortNames"] = line.short_names
    if line.categories:
        resource["categories"] = line.categories
    return resource


def _kind(line: ApiResource, own: GroupVersion) -> JsonObject:
    group, version = (line.group, line.version) if line.version else own
    return {"group": group, "version": version, "kind": line.kind}
