"""Kinds of the group scheduling.k8s.io."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import Cells, Printer, age_of, name_of


def _priority_class(value: JsonObject) -> Cells:
    shown = (value.get("value", 0), bool(value.get("globalDefault")))
    return [name_of(value), *shown, age_of(value), value.get("preemptionPolicy") or ""]


PRINTERS: Final[dict[str, Printer]] = {"PriorityClass": _priority_class}
