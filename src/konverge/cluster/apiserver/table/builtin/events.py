"""Events, in the core group's form."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.age import age
from konverge.cluster.apiserver.table.builtin.parts import Cells, Printer, below, name_of


def _event(value: JsonObject) -> Cells:
    first, last, count = _when(value)
    involved = below(value, "involvedObject")
    target = involved.get("kind", "").lower()
    if involved.get("name"):
        target = f"{target}/{involved['name']}"
    return [
        last,
        value.get("type", ""),
        value.get("reason", ""),
        target,
        involved.get("fieldPath", ""),
        _source(value),
        value.get("message", "").strip(),
        first,
        count,
        name_of(value),
    ]


def _when(value: JsonObject) -> tuple[str, str, int]:
    """Return when an event was first seen, when last, and how often."""
    first = age(value.get("firstTimestamp") or value.get("eventTime"))
    series = value.get("series")
    if series is not None:
        return first, age(series.get("lastObservedTime")), series.get("count", 0)
    last = value.get("lastTimestamp")
    return first, age(last) if last else first, value.get("count") or 1


def _source(value: JsonObject) -> str:
    source = below(value, "source")
    component: str = source.get("component") or value.get("reportingComponent", "")
    instance = source.get("host") or value.get("reportingInstance", "")
    return f"{component}, {instance}" if instance else component


PRINTERS: Final[dict[str, Printer]] = {"Event": _event}
