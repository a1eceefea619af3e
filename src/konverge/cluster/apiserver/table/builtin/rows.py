"""Which printer a built-in kind has; one without has its name and the moment of its creation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin import (
    admissionregistration,
    apiregistration,
    apps,
    autoscaling,
    batch,
    certificates,
    coordination,
    core,
    discovery,
    events,
    flowcontrol,
    networking,
    node,
    pods,
    policy,
    rbac,
    scheduling,
    storage,
    volumes,
)
from konverge.cluster.apiserver.table.builtin import (
    resource as devices,
)
from konverge.cluster.apiserver.table.builtin.parts import Cells, Printer, below, name_of

_PRINTERS: Final[Mapping[tuple[str, str], Printer]] = {
    (group, kind): printer
    for group, printers in (
        ("", {**core.PRINTERS, **volumes.PRINTERS, "Pod": pods.cells, "Event": events.cells}),
        ("admissionregistration.k8s.io", admissionregistration.PRINTERS),
        ("apiregistration.k8s.io", apiregistration.PRINTERS),
        ("apps", apps.PRINTERS),
        ("autoscaling", autoscaling.PRINTERS),
        ("batch", batch.PRINTERS),
        ("certificates.k8s.io", certificates.PRINTERS),
        ("coordination.k8s.io", coordination.PRINTERS),
        ("discovery.k8s.io", discovery.PRINTERS),
        ("events.k8s.io", {"Event": events.new_cells}),
        ("flowcontrol.apiserver.k8s.io", flowcontrol.PRINTERS),
        ("networking.k8s.io", networking.PRINTERS),
        ("node.k8s.io", node.PRINTERS),
        ("policy", policy.PRINTERS),
        ("rbac.authorization.k8s.io", rbac.PRINTERS),
        ("resource.k8s.io", devices.PRINTERS),
        ("scheduling.k8s.io", scheduling.PRINTERS),
        ("storage.k8s.io", storage.PRINTERS),
    )
    for kind, printer in printers.items()
}


def row(resource: Resource, value: JsonObject) -> JsonObject:
    """Return an object's row, without the object."""
    shown = value
    if resource.storage_version != resource.version:
        # The printers know one form of each kind. What they get is a copy: a conversion may change what it is given.
        shown = resource.strategy.to_storage(msgspec.json.decode(msgspec.json.encode(value)))
    found: JsonObject = {"cells": _PRINTERS.get((resource.group, resource.kind), _default)(shown)}
    if (resource.group, resource.kind) == ("", "Pod"):
        conditions = pods.conditions(value)
        if conditions:
            found["conditions"] = conditions
    return found


def ordered(resource: Resource, objects: Sequence[JsonObject]) -> Sequence[JsonObject]:
    """Return objects in the order of their rows: the list's own, but for flow schemas."""
    if resource.kind == "FlowSchema":
        return sorted(objects, key=flowcontrol.precedence)
    return objects


def _default(value: JsonObject) -> Cells:
    return [name_of(value), below(value, "metadata").get("creationTimestamp") or "0001-01-01T00:00:00Z"]
