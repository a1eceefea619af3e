"""Kinds of the group flowcontrol.apiserver.k8s.io."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import NONE, Cells, Printer, age_of, below, listed, name_of


def _flow_schema(value: JsonObject) -> Cells:
    spec = below(value, "spec")
    method = spec.get("distinguisherMethod")
    conditions = listed(value, "status", "conditions")
    dangling = next((found.get("status", "") for found in conditions if found.get("type") == "Dangling"), "?")
    return [
        name_of(value),
        below(spec, "priorityLevelConfiguration").get("name", ""),
        spec.get("matchingPrecedence", 0),
        NONE if method is None else method.get("type", ""),
        age_of(value),
        dangling,
    ]


def _priority_level(value: JsonObject) -> Cells:
    spec = below(value, "spec")
    limited = spec.get("limited")
    shares = NONE if limited is None else limited.get("nominalConcurrencyShares", 0)
    queuing = below(limited or {}, "limitResponse").get("queuing")
    queues = [NONE if queuing is None else queuing.get(name, 0) for name in ("queues", "handSize", "queueLengthLimit")]
    return [name_of(value), spec.get("type", ""), shares, *queues, age_of(value)]


PRINTERS: Final[dict[str, Printer]] = {
    "FlowSchema": _flow_schema,
    "PriorityLevelConfiguration": _priority_level,
}
