"""Kinds of the group policy."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import Cells, Printer, age_of, below, name_of


def _pod_disruption_budget(value: JsonObject) -> Cells:
    spec = below(value, "spec")
    bounds = (_bound(spec.get("minAvailable")), _bound(spec.get("maxUnavailable")))
    return [name_of(value), *bounds, below(value, "status").get("disruptionsAllowed", 0), age_of(value)]


def _bound(value: Any) -> str:
    return "N/A" if value is None else str(value)


PRINTERS: Final[dict[str, Printer]] = {"PodDisruptionBudget": _pod_disruption_budget}
