"""Equivalents: the other versions and groups by which the same objects are served, and objects as they are there."""

from __future__ import annotations

from konverge.api.json_value import json_copy
from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.strategy import JsonObject


class Equivalents:
    """Knows the resources that share their objects; looked up anew when what is served changes."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._generation = -1
        self._by_prefix: dict[str, list[Resource]] = {}

    def of(self, resource: Resource) -> tuple[Resource, ...]:
        """Return the other resources that serve the same objects, in the order in which they are served."""
        if self._generation != self._resources.generation:
            self._read()
        shared = self._by_prefix.get(resource.prefix, ())
        return tuple(each for each in shared if (each.group, each.version) != (resource.group, resource.version))

    def _read(self) -> None:
        self._by_prefix = {}
        for each in self._resources:
            self._by_prefix.setdefault(each.prefix, []).append(each)
        self._generation = self._resources.generation


def converted(value: JsonObject, source: Resource, target: Resource) -> JsonObject:
    """Return an object of one resource as an equivalent one has it; the same object where they are one."""
    if source is target:
        return value
    if source.is_custom:
        return source.strategy.convert(value, target.version)
    return target.strategy.from_storage(source.strategy.to_storage(json_copy(value)))
