"""Scope: the part of the storage that a list or a watch is about."""

from __future__ import annotations

from konverge.cluster.apiserver.reading.selection import Selection
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.route import Route


def namespace_of(resource: Resource, route: Route, chosen: Selection) -> str:
    """Return the one namespace that a request is about, by its path or its selector; empty: all of them."""
    if not resource.namespaced:
        return ""
    return route.namespace or chosen.namespace or ""


def prefix_of(resource: Resource, namespace: str) -> str:
    """Return the beginning of the keys in a namespace, or in all of them."""
    return f"{resource.prefix}{namespace}/" if namespace else resource.prefix


def single_key(resource: Resource, namespace: str, chosen: Selection) -> str:
    """Return the key of the one object that is selected by its name; empty: there may be more."""
    name = chosen.name
    if not name or (resource.namespaced and not namespace):
        return ""
    return resource.key(namespace, name)
