"""The metrics of an autoscaler: v1, in its annotations, names the parts otherwise than v2.

The order of the names is that of Go's fields, as the annotations are texts that clients compare.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from konverge.api.invalid import InvalidValue
from konverge.api.quantity import Quantity
from konverge.cluster.apiserver.strategy import JsonObject

_REFERENCE: Final = ("kind", "name", "apiVersion")
_ZERO: Final = "0"  # what Go writes for a quantity that is not there, where the field cannot be left out
_SOURCES: Final = ("object", "pods", "resource", "containerResource", "external")

Converter = Callable[[JsonObject], JsonObject]


def spec_v1(metric: JsonObject) -> JsonObject:
    """Return a wanted metric in the form of v1."""
    return _converted(metric, _SPECS_V1)


def spec_v2(metric: JsonObject) -> JsonObject:
    """Return a wanted metric in the form of v2."""
    return _converted(metric, _SPECS_V2)


def status_v1(metric: JsonObject) -> JsonObject:
    """Return a current metric in the form of v1."""
    return _converted(metric, _STATUSES_V1)


def status_v2(metric: JsonObject) -> JsonObject:
    """Return a current metric in the form of v2."""
    return _converted(metric, _STATUSES_V2)


def _converted(metric: JsonObject, by_source: dict[str, Converter]) -> JsonObject:
    found: JsonObject = {"type": metric.get("type", "")}
    for source in _SOURCES:
        if metric.get(source) is not None:
            found[source] = by_source[source](metric[source])
    return found


def _given(**fields: Any) -> JsonObject:
    return {name: value for name, value in fields.items() if value is not None}


def _reference(value: JsonObject | None) -> JsonObject:
    return {name: value[name] for name in _REFERENCE if name in value} if value else {"kind": "", "name": ""}


def _metric(name: str | None, selector: JsonObject | None) -> JsonObject:
    return _given(name=name or "", selector=selector)


# --- to v1 ---


def _resource_spec_v1(source: JsonObject) -> JsonObject:
    target = source.get("target") or {}
    return _given(
        name=source.get("name", ""),
        targetAverageUtilization=target.get("averageUtilization"),
        targetAverageValue=target.get("averageValue"),
        container=source.get("container"),
    )


def _pods_spec_v1(source: JsonObject) -> JsonObject:
    metric, target = source.get("metric") or {}, source.get("target") or {}
    average = target.get("averageValue") or _ZERO
    return _given(metricName=metric.get("name", ""), targetAverageValue=average, selector=metric.get("selector"))


def _external_spec_v1(source: JsonObject) -> JsonObject:
    metric, target = source.get("metric") or {}, source.get("target") or {}
    return _given(
        metricName=metric.get("name", ""),
        metricSelector=metric.get("selector"),
        targetValue=target.get("value"),
        targetAverageValue=target.get("averageValue"),
    )


def _object_spec_v1(source: JsonObject) -> JsonObject:
    metric, target = source.get("metric") or {}, source.get("target") or {}
    return _given(
        target=_reference(source.get("describedObject")),
        metricName=metric.get("name", ""),
        targetValue=target.get("value") or _ZERO,
        selector=metric.get("selector"),
        averageValue=target.get("averageValue"),
    )


def _resource_status_v1(source: JsonObject) -> JsonObject:
    current = source.get("current") or {}
    return _given(
        name=source.get("name", ""),
        currentAverageUtilization=current.get("averageUtilization"),
        currentAverageValue=current.get("averageValue") or _ZERO,
        container=source.get("container"),
    )


def _pods_status_v1(source: JsonObject) -> JsonObject:
    metric, current = source.get("metric") or {}, source.get("current") or {}
    average = current.get("averageValue") or _ZERO
    return _given(metricName=metric.get("name", ""), currentAverageValue=average, selector=metric.get("selector"))


def _external_status_v1(source: JsonObject) -> JsonObject:
    metric, current = source.get("metric") or {}, source.get("current") or {}
    return _given(
        metricName=metric.get("name", ""),
        metricSelector=metric.get("selector"),
        currentValue=current.get("value") or _ZERO,
        currentAverageValue=current.get("averageValue"),
    )


def _object_status_v1(source: JsonObject) -> JsonObject:
    metric, current = source.get("metric") or {}, source.get("current") or {}
    return _given(
        target=_reference(source.get("describedObject")),
        metricName=metric.get("name", ""),
        currentValue=current.get("value") or _ZERO,
        selector=metric.get("selector"),
        averageValue=current.get("averageValue"),
    )


# --- to v2 ---


def _resource_spec_v2(source: JsonObject) -> JsonObject:
    utilization = source.get("targetAverageUtilization")
    target = _given(
        type="AverageValue" if utilization is None else "Utilization",
        averageValue=source.get("targetAverageValue"),
        averageUtilization=utilization,
    )
    return _given(name=source.get("name", ""), target=target, container=source.get("container"))


def _pods_spec_v2(source: JsonObject) -> JsonObject:
    target = {"type": "AverageValue", "averageValue": source.get("targetAverageValue") or _ZERO}
    return {"metric": _metric(source.get("metricName"), source.get("selector")), "target": target}


def _external_spec_v2(source: JsonObject) -> JsonObject:
    value = source.get("targetValue")
    kind = "AverageValue" if value is None else "Value"
    target = _given(type=kind, value=value, averageValue=source.get("targetAverageValue"))
    return {"metric": _metric(source.get("metricName"), source.get("metricSelector")), "target": target}


def _object_spec_v2(source: JsonObject) -> JsonObject:
    average = source.get("averageValue")
    value: Any = source.get("targetValue") or _ZERO
    if average is not None and _is_zero(value):
        value = None  # v1 cannot leave it out, so a zero beside an average means that there is none
    target = _given(type="Value" if average is None else "AverageValue", value=value, averageValue=average)
    return {
        "describedObject": _reference(source.get("target")),
        "target": target,
        "metric": _metric(source.get("metricName"), source.get("selector")),
    }


def _is_zero(value: Any) -> bool:
    try:
        return not Quantity(value)
    except InvalidValue:
        return False


def _resource_status_v2(source: JsonObject) -> JsonObject:
    current = _given(
        averageValue=source.get("currentAverageValue") or _ZERO,
        averageUtilization=source.get("currentAverageUtilization"),
    )
    return _given(name=source.get("name", ""), current=current, container=source.get("container"))


def _pods_status_v2(source: JsonObject) -> JsonObject:
    current = {"averageValue": source.get("currentAverageValue") or _ZERO}
    return {"metric": _metric(source.get("metricName"), source.get("selector")), "current": current}


def _external_status_v2(source: JsonObject) -> JsonObject:
    current = _given(value=source.get("currentValue") or _ZERO, averageValue=source.get("currentAverageValue"))
    return {"metric": _metric(source.get("metricName"), source.get("metricSelector")), "current": current}


def _object_status_v2(source: JsonObject) -> JsonObject:
    return {
        "metric": _metric(source.get("metricName"), source.get("selector")),
        "current": _given(value=source.get("currentValue") or _ZERO, averageValue=source.get("averageValue")),
        "describedObject": _reference(source.get("target")),
    }


def _by_source(
    *, of_object: Converter, pods: Converter, resource: Converter, external: Converter
) -> dict[str, Converter]:
    found = {"object": of_object, "pods": pods, "external": external}
    return {**found, "resource": resource, "containerResource": resource}


_SPECS_V1: Final = _by_source(
    of_object=_object_spec_v1, pods=_pods_spec_v1, resource=_resource_spec_v1, external=_external_spec_v1
)
_SPECS_V2: Final = _by_source(
    of_object=_object_spec_v2, pods=_pods_spec_v2, resource=_resource_spec_v2, external=_external_spec_v2
)
_STATUSES_V1: Final = _by_source(
    of_object=_object_status_v1, pods=_pods_status_v1, resource=_resource_status_v1, external=_external_status_v1
)
_STATUSES_V2: Final = _by_source(
    of_object=_object_status_v2, pods=_pods_status_v2, resource=_resource_status_v2, external=_external_status_v2
)
