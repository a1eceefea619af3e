"""The first form of discovery: one document for the groups, one per group, one per group and version."""

from __future__ import annotations

from typing import Any

import msgspec

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.builtin.catalogue import ApiResource, Group
from konverge.cluster.apiserver.discovery.served import Served

JsonObject = dict[str, Any]


def api_versions(address: str) -> JsonObject:
    """Return the document of `/api`; the address is where this server is reached."""
    where = [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}]
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": where}


def api_group_list(found: Served) -> JsonObject:
    """Return the document of `/apis`."""
    builtin = {group.name for group in catalogue.groups()}
    ordered = sorted(found.groups, key=lambda group: "" if group.name in builtin else _first_service(group))
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_group(group) for group in ordered]}


def api_group(group: Group) -> JsonObject:
    """Return the document of `/apis/GROUP`."""
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(group)}


def api_resource_list(group: str, version: str, lines: tuple[ApiResource, ...]) -> JsonObject:
    """Return the document of `/apis/GROUP/VERSION` or `/api/v1`, which alone has no apiVersion."""
    head = {"kind": "APIResourceList", "apiVersion": "v1"} if group else {"kind": "APIResourceList"}
    name = f"{group}/{version}" if group else version
    return {**head, "groupVersion": name, "resources": msgspec.to_builtins(lines)}


def _first_service(group: Group) -> str:
    """Return the first of the names of its APIServices: by these the real server orders the groups of CRDs."""
    return min(f"{version}.{group.name}" for version in group.versions)


def _group(group: Group) -> JsonObject:
    versions = [{"groupVersion": f"{group.name}/{version}", "version": version} for version in group.versions]
    return {"name": group.name, "versions": versions, "preferredVersion": versions[0]}
