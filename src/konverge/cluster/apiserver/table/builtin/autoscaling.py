"""Kinds of the group autoscaling, in the form of v2."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import (
    NONE,
    UNSET,
    Cells,
    Printer,
    age_of,
    below,
    listed,
    name_of,
    quantity_text,
)

_MOST: Final = 2  # metrics that are shown
_UNKNOWN: Final = "<unknown>"
_SOURCES: Final = {
    "External": "external",
    "Pods": "pods",
    "Object": "object",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}


def _horizontal_pod_autoscaler(value: JsonObject) -> Cells:
    spec, status = below(value, "spec"), below(value, "status")
    target = below(spec, "scaleTargetRef")
    least = spec.get("minReplicas")
    return [
        name_of(value),
        f"{target.get('kind', '')}/{target.get('name', '')}",
        _metrics(listed(spec, "metrics"), listed(status, "currentMetrics")),
        UNSET if least is None else str(least),
        spec.get("maxReplicas", 0),
        status.get("currentReplicas", 0),
        age_of(value),
    ]


def _metrics(specs: list[JsonObject], statuses: list[JsonObject]) -> str:
    if not specs:
        return NONE
    padded = [*statuses, *({} for _ in specs)]
    shown = [_metric(spec, status) for spec, status in zip(specs, padded, strict=False)]
    text = ", ".join(shown[:_MOST])
    return f"{text} + {len(shown) - _MOST} more..." if len(shown) > _MOST else text


def _metric(spec: JsonObject, status: JsonObject) -> str:
    source = _SOURCES.get(spec.get("type", ""))
    if source is None:
        return "<unknown type>"
    wanted, target = below(spec, source), below(spec, source, "target")
    current = below(status, source, "current") if status.get(source) is not None else None
    if source in ("resource", "containerResource"):
        return f"{wanted.get('name', '')}: {_of_resource(target, current)}"
    if source == "pods":
        return f"{_value(current, 'averageValue')}/{quantity_text(target.get('averageValue'))}"
    return _of_object(target, current)


def _of_resource(target: JsonObject, current: JsonObject | None) -> str:
    if target.get("averageValue") is not None:
        return f"{_value(current, 'averageValue')}/{quantity_text(target['averageValue'])}"
    used = (current or {}).get("averageUtilization")
    wanted = target.get("averageUtilization")
    return f"{_UNKNOWN if used is None else f'{used}%'}/{'<auto>' if wanted is None else f'{wanted}%'}"


def _of_object(target: JsonObject, current: JsonObject | None) -> str:
    if target.get("averageValue") is None:
        return f"{_value(current, 'value')}/{quantity_text(target.get('value'))}"
    average = (current or {}).get("averageValue")
    shown = _UNKNOWN if average is None else quantity_text(average)
    return f"{shown}/{quantity_text(target['averageValue'])} (avg)"


def _value(current: JsonObject | None, name: str) -> str:
    if current is None:
        return _UNKNOWN
    found = current.get(name)
    return "<nil>" if found is None else quantity_text(found)  # as Go prints a pointer to nothing


PRINTERS: Final[dict[str, Printer]] = {"HorizontalPodAutoscaler": _horizontal_pod_autoscaler}
