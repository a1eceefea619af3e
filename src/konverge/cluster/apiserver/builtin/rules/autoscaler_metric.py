"""The metrics of an autoscaler: each has the source that its type names, and a target that its source can have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.object_reference import reference_errors
from konverge.cluster.apiserver.builtin.rules.resource_name import container_resource_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_FIELDS: Final = {  # of each type, in the order in which they are judged
    "Object": "object",
    "External": "external",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
_TYPES: Final = tuple(sorted(_FIELDS))
_TARGETS: Final = ("Utilization", "Value", "AverageValue")


def api_version_fault(version: str, *, may_be_core: bool) -> str:
    """Say what is wrong with the API version of an object that is named."""
    if version.count("/") > 1:
        return f"unexpected GroupVersion string: {version}"
    group = version.rpartition("/")[0]
    return "" if may_be_core or group else "apiVersion must specify API group"


def metric_errors(metric: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge one metric."""
    kind = metric.get("type", "")
    if not kind:
        yield field_error.required(f"{path}.type", "must specify a metric source type")
    if kind not in _FIELDS:
        yield field_error.not_supported(f"{path}.type", kind, _TYPES)
    present = [name for name in _FIELDS.values() if metric.get(name) is not None]
    if present:
        yield from _source_errors(present[0], metric[present[0]], f"{path}.{present[0]}")
    wanted = _FIELDS.get(kind, "")
    if not wanted:
        yield field_error.not_supported(f"{path}.type", kind, _TYPES)
    elif wanted not in present:
        yield field_error.required(f"{path}.{wanted}", "must populate information for the given metric source")
    if len(present) > 1:
        others = [name for name in present if name != wanted]
        yield from (
            field_error.forbidden(f"{path}.{name}", "must populate the given metric source only") for name in others
        )


def _source_errors(name: str, source: JsonObject, path: str) -> Iterator[FieldError]:
    if name == "object":
        yield from _described_errors(source.get("describedObject") or {}, f"{path}.describedObject")
    if name in ("object", "external", "pods"):
        yield from _identifier_errors(source.get("metric") or {}, f"{path}.metric")
    else:
        yield from _resource_errors(name, source, path)
    target = source.get("target") or {}
    yield from _target_errors(target, f"{path}.target")
    yield from _fitting_errors(name, target, f"{path}.target")


def _described_errors(described: JsonObject, path: str) -> Iterator[FieldError]:
    yield from reference_errors(described, path)
    version = described.get("apiVersion", "")
    if wrong := api_version_fault(version, may_be_core=True):
        yield field_error.invalid(f"{path}.apiVersion", version, wrong)


def _identifier_errors(metric: JsonObject, path: str) -> Iterator[FieldError]:
    name = metric.get("name", "")
    if not name:
        yield field_error.required(f"{path}.name", "must specify a metric name")
    yield from (field_error.invalid(f"{path}.name", name, wrong) for wrong in name_rules.path_segment(name))


def _resource_errors(source_name: str, source: JsonObject, path: str) -> Iterator[FieldError]:
    name, container = source.get("name", ""), source.get("container", "")
    if not name:
        yield field_error.required(f"{path}.name", "must specify a resource name")
    if source_name == "resource":
        return
    if name:
        yield from container_resource_errors(name, f"{path}.name")
    if not container:
        yield field_error.required(f"{path}.container", "must specify a container")
    else:
        wrongs = name_rules.dns_label(container)
        yield from (field_error.invalid(f"{path}.container", container, wrong) for wrong in wrongs)


def _target_errors(target: JsonObject, path: str) -> Iterator[FieldError]:
    kind, share = target.get("type", ""), target.get("averageUtilization")
    if not kind:
        yield field_error.required(f"{path}.type", "must specify a metric target type")
    if kind not in _TARGETS:
        yield field_error.invalid(f"{path}.type", kind, "must be either Utilization, Value, or AverageValue")
    for name in ("value", "averageValue"):
        if (amount := target.get(name)) is not None and Quantity(amount) <= 0:
            yield field_error.invalid(f"{path}.{name}", str(Quantity(amount)), "must be positive")
    if share is not None and share < 1:
        yield field_error.invalid(f"{path}.averageUtilization", share, "must be greater than 0")


def _fitting_errors(name: str, target: JsonObject, path: str) -> Iterator[FieldError]:
    total, each, share = (target.get(part) is not None for part in ("value", "averageValue", "averageUtilization"))
    if name == "object" and not total and not each:
        yield field_error.required(f"{path}.averageValue", "must set either a target value or averageValue")
    if name == "pods" and not each:
        yield field_error.required(f"{path}.averageValue", "must specify a positive target averageValue")
    if name == "external" and not total and not each:
        needed = "must set either a target value for metric or a per-pod target"
        yield field_error.required(f"{path}.averageValue", needed)
    if name == "external" and total and each:
        wrong = "may not set both a target value for metric and a per-pod target"
        yield field_error.forbidden(f"{path}.value", wrong)
    if name in ("resource", "containerResource") and share == each:
        both = "may not set both a target raw value and a target utilization"
        needed = "must set either a target raw value or a target utilization"
        missing = field_error.required(f"{path}.averageUtilization", needed)
        yield field_error.forbidden(f"{path}.averageValue", both) if each else missing
