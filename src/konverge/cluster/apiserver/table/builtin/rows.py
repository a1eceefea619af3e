"""Which printer a built-in kind has; one without has its name and the moment of its creation.

A group's module is imported when the first of its objects is shown: most servers never show most groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Final

from konverge.cluster.apiserver.builtin.conversion import conversion_of
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import Cells, Printer, below, name_of

_MODULES: Final = {  # by group; each has its `PRINTERS`, by kind
    "": ("core", "events", "pods", "volumes"),
    "admissionregistration.k8s.io": ("admissionregistration",),
    "apiregistration.k8s.io": ("apiregistration",),
    "apps": ("apps",),
    "autoscaling": ("autoscaling",),
    "batch": ("batch",),
    "certificates.k8s.io": ("certificates",),
    "coordination.k8s.io": ("coordination",),
    "discovery.k8s.io": ("discovery",),
    "events.k8s.io": ("events",),
    "flowcontrol.apiserver.k8s.io": ("flowcontrol",),
    "networking.k8s.io": ("networking",),
    "node.k8s.io": ("node",),
    "policy": ("policy",),
    "rbac.authorization.k8s.io": ("rbac",),
    "resource.k8s.io": ("resource",),
    "scheduling.k8s.io": ("scheduling",),
    "storage.k8s.io": ("storage",),
}
_ENDED: Final = {"Succeeded": "The pod has completed successfully.", "Failed": "The pod failed."}


@cache
def _printers(group: str) -> dict[str, Printer]:
    found: dict[str, Printer] = {}
    for name in _MODULES.get(group, ()):
        found |= import_module(f"{__package__}.{name}").PRINTERS
    return found


def row(resource: Resource, value: JsonObject) -> JsonObject:
    """Return an object's row, without the object."""
    conversion = conversion_of(resource.group, resource.version, resource.kind)
    shown = value if conversion is None else conversion.to_storage(value)  # printers know the stored form alone
    found: JsonObject = {"cells": _printers(resource.group).get(resource.kind, _default)(shown)}
    if resource.kind == "Pod":
        phase = below(value, "status").get("phase", "")
        if phase in _ENDED:
            condition = {"type": "Completed", "status": "True", "reason": phase, "message": _ENDED[phase]}
            found["conditions"] = [condition]
    return found


def ordered(resource: Resource, objects: Sequence[JsonObject]) -> Sequence[JsonObject]:
    """Return objects in the order of their rows: the list's own, but for flow schemas."""
    return sorted(objects, key=_precedence) if resource.kind == "FlowSchema" else objects


def _precedence(value: JsonObject) -> tuple[int, str]:
    return below(value, "spec").get("matchingPrecedence", 0), name_of(value)


def has_printer(resource: Resource) -> bool:
    """Whether a kind has cells of its own."""
    return resource.kind in _printers(resource.group)


def _default(value: JsonObject) -> Cells:
    return [name_of(value), below(value, "metadata").get("creationTimestamp") or "0001-01-01T00:00:00Z"]
