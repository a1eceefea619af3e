"""What devices there are: classes of them, and slices of a driver's pool, each of one node or of many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.device_request import config_errors, selector_list_errors
from konverge.cluster.apiserver.builtin.rules.driver_name import driver_name_errors
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.pod.scheduling import node_selector_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_WHERE: Final = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")
_ONE: Final = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
_FIXED: Final = "field is immutable"
_MOST_DEVICES: Final = 128


def _validate_class(value: JsonObject) -> list[FieldError]:
    spec = value.get("spec") or {}
    return [
        *selector_list_errors(spec.get("selectors") or [], "spec.selectors"),
        *config_errors(spec.get("config") or [], "spec.config"),
    ]


def _validate_slice(value: JsonObject) -> list[FieldError]:
    return list(_slice_errors(value.get("spec") or {}))


def _slice_errors(spec: JsonObject) -> Iterator[FieldError]:
    yield from driver_name_errors(spec.get("driver", ""), "spec.driver")
    yield from _pool_errors(spec.get("pool") or {}, "spec.pool")
    given = [name for name in _WHERE if spec.get(name) not in (None, False, "")]
    if not given:
        yield field_error.required("spec", _ONE)
    elif len(given) > 1:
        shown = "{" + ", ".join(f"`{name}`" for name in given) + "}"
        yield field_error.invalid("spec", shown, f"{_ONE}, but multiple fields are set")
    if spec.get("nodeName"):
        wrongs = name_rules.dns_subdomain(spec["nodeName"])
        yield from (field_error.invalid("spec.nodeName", spec["nodeName"], wrong) for wrong in wrongs)
    if spec.get("nodeSelector") is not None:
        yield from node_selector_errors(spec["nodeSelector"], "spec.nodeSelector")
    devices = spec.get("devices") or []
    if len(devices) > _MOST_DEVICES:
        yield field_error.too_many("spec.devices", len(devices), _MOST_DEVICES)
    yield from _device_errors(devices, "spec.devices")


def _pool_errors(pool: JsonObject, path: str) -> Iterator[FieldError]:
    name = pool.get("name", "")
    if not name:
        yield field_error.required(f"{path}.name")
    for part in name.split("/") if name else ():
        yield from (field_error.invalid(f"{path}.name", name, wrong) for wrong in name_rules.dns_subdomain(part))
    if pool.get("resourceSliceCount", 0) <= 0:
        yield field_error.invalid(
            f"{path}.resourceSliceCount", pool.get("resourceSliceCount", 0), "must be greater than zero"
        )
    if pool.get("generation", 0) < 0:
        yield field_error.invalid(f"{path}.generation", pool["generation"], "must be greater than or equal to zero")


def _device_errors(devices: list[JsonObject], path: str) -> Iterator[FieldError]:
    for index, device in enumerate(devices):
        name, where = device.get("name", ""), f"{path}[{index}].name"
        if not name:
            yield field_error.required(where)
        yield from (field_error.invalid(where, name, wrong) for wrong in (name_rules.dns_label(name) if name else ()))
        if any(name == other.get("name", "") for other in devices[:index]):
            yield field_error.duplicate(where, name)


def _slice_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    spec, before, errors = value.get("spec") or {}, old.get("spec") or {}, _validate_slice(value)
    if (spec.get("pool") or {}).get("name") != (before.get("pool") or {}).get("name"):
        errors.append(field_error.invalid("spec.pool.name", (spec.get("pool") or {}).get("name"), _FIXED))
    for name in ("driver", "nodeName"):
        if spec.get(name) != before.get(name):
            errors.append(field_error.invalid(f"spec.{name}", spec.get(name), _FIXED))
    return errors


DEVICE_CLASS: Final = KindRules(
    validate=_validate_class, validate_update=lambda value, _old, _subresource: _validate_class(value)
)
RESOURCE_SLICE: Final = KindRules(validate=_validate_slice, validate_update=_slice_update)
