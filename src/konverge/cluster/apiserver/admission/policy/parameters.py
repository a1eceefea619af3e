"""Parameters: the objects by which a binding adjusts its policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from konverge.cluster.apiserver.admission.selectors import read_selector
from konverge.cluster.apiserver.reading.decode import stored_object
from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject


class BadConfiguration(Exception):
    """A policy or a binding that cannot be put to work; its failure policy decides what that means."""


class Parameters:
    """Finds parameters among the stored objects."""

    def __init__(self, storage: Storage, resources: Resources) -> None:
        self._storage = storage
        self._resources = resources

    def resource_of(self, kind: Mapping[str, Any] | None) -> Resource | None:
        """Return the resource of a policy's `paramKind`; None where it has none. Raises `BadConfiguration`."""
        if kind is None:
            return None
        group, _, version = kind.get("apiVersion", "").rpartition("/")
        for each in self._resources:
            if (each.group, each.version, each.kind) == (group, version, kind.get("kind")) and "list" in each.verbs:
                return each
        wanted = f"{group}/{version}, Kind={kind.get('kind', '')}"
        raise BadConfiguration(f"failed to find resource referenced by paramKind: '{wanted}'")

    def collect(
        self, resource: Resource | None, reference: Mapping[str, Any] | None, namespace: str
    ) -> list[JsonObject | None]:
        """Return what a binding refers to; one None where it takes no parameters. Raises `BadConfiguration`."""
        if resource is None or reference is None:
            return [None]
        found = self._found(resource, reference, _place(resource, reference, namespace))
        if not found and reference.get("parameterNotFoundAction") == "Deny":
            raise BadConfiguration("no params found for policy binding with `Deny` parameterNotFoundAction")
        return list(found)

    def _found(self, resource: Resource, reference: Mapping[str, Any], namespace: str) -> list[JsonObject]:
        if name := reference.get("name"):
            stored = self._storage.newest(resource.key(namespace, name))
            return [] if stored is None else [stored_object(resource, stored.value)]
        selector = read_selector(reference.get("selector"))
        stored_all = self._storage.range(resource.key(namespace, "") if namespace else resource.prefix).items
        values = [stored_object(resource, each.value) for each in stored_all]
        return [each for each in values if selector.matches(each["metadata"].get("labels") or {})]


def _place(resource: Resource, reference: Mapping[str, Any], namespace: str) -> str:
    """Return in which namespace parameters are looked for."""
    own: str = reference.get("namespace") or ""
    if not resource.namespaced:
        if own:
            raise BadConfiguration("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
        return ""
    if not own and not namespace:
        raise BadConfiguration("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
    return own or namespace
