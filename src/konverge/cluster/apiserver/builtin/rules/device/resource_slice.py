"""A slice of the devices that a driver offers: of which pool, on which nodes, and the devices or their counters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.device.bounded import set_errors
from konverge.cluster.apiserver.builtin.rules.device.device import counter_set_errors, device_errors
from konverge.cluster.apiserver.builtin.rules.device.names import pool_name_errors
from konverge.cluster.apiserver.builtin.rules.device.node_choice import slice_node_errors
from konverge.cluster.apiserver.builtin.rules.driver_name import driver_name_errors
from konverge.cluster.apiserver.builtin.rules.kind_rules import EmptyPath, KindRules
from konverge.cluster.apiserver.builtin.rules.number_rules import positive
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_EITHER: Final = ("sharedCounters", "devices")
_FIXED: Final = "field is immutable"
_MOST_DEVICES: Final = 128
_MOST_LARGE_DEVICES: Final = 64  # of those that have taints, or take of counters
_MOST_COUNTER_SETS: Final = 8
# Fields of features that are off by default: nobody reads them.
_LISTS: Final = ("bools", "ints", "strings", "versions")
_MAPPINGS: Final = "nodeAllocatableResourceMappings"


def _drop_disabled(value: JsonObject) -> bool:
    """Drop what features that are off brought; say whether there was anything."""
    dropped = False
    for device in (value.get("spec") or {}).get("devices") or ():
        dropped |= bool(device.pop(_MAPPINGS, None))
        for attribute in (device.get("attributes") or {}).values():
            for name in _LISTS:
                dropped |= bool(attribute.pop(name, None))
    return dropped


def _refused_empties(value: JsonObject) -> list[EmptyPath]:
    """Find the empty one where both lists are given; that is one too many, even so."""
    spec = value.get("spec")
    lists = [spec.get(name) for name in _EITHER] if isinstance(spec, dict) else []
    if not lists or None in lists:
        return []
    return [("spec", name) for name, items in zip(_EITHER, lists, strict=True) if items == []]


def _prepare_for_create(value: JsonObject) -> None:
    _drop_disabled(value)


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:  # noqa: ARG001 - it has no subresource
    if _drop_disabled(value):  # the real server counts before it drops
        value["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1


def _validate(value: JsonObject) -> list[FieldError]:
    return list(_errors(value.get("spec") or {}, None))


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    return list(_errors(value.get("spec") or {}, old.get("spec") or {}))


def _errors(spec: JsonObject, old: JsonObject | None) -> Iterator[FieldError]:
    devices, counters = spec.get("devices"), spec.get("sharedCounters")
    yield from driver_name_errors(spec.get("driver", ""), "spec.driver")
    yield from _pool_errors(spec.get("pool") or {}, "spec.pool")
    if old is not None:
        yield from _change_errors(spec, old)
    yield from slice_node_errors(spec, "spec")
    if devices is not None and counters is not None:
        yield field_error.invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed")
    yield from _device_errors(spec, old or {})
    yield from set_errors(
        counters,
        "spec.sharedCounters",
        counter_set_errors,
        most=_MOST_COUNTER_SETS,
        key=lambda each: each.get("name", ""),
    )


def _pool_errors(pool: JsonObject, path: str) -> Iterator[FieldError]:
    yield from pool_name_errors(pool.get("name", ""), f"{path}.name")
    yield from positive(pool.get("resourceSliceCount", 0), f"{path}.resourceSliceCount")
    if pool.get("generation", 0) < 0:
        yield field_error.invalid(f"{path}.generation", pool["generation"], "must be greater than or equal to zero")


def _change_errors(spec: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    name, before = ((each.get("pool") or {}).get("name", "") for each in (spec, old))
    if name != before:
        yield field_error.invalid("spec.pool.name", name, _FIXED)
    if spec.get("driver", "") != old.get("driver", ""):
        yield field_error.invalid("spec.driver", spec.get("driver", ""), _FIXED)
    if spec.get("nodeName") != old.get("nodeName"):
        yield field_error.invalid("spec.nodeName", field_error.named(spec.get("nodeName")), _FIXED)


def _device_errors(spec: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    devices = spec.get("devices") or ()
    before = {each.get("name", ""): each for each in reversed(old.get("devices") or ())}
    is_large = any(each.get("taints") or each.get("consumesCounters") for each in devices)
    says_where = spec.get("perDeviceNodeSelection") is True

    def judge(device: JsonObject, path: str) -> Iterator[FieldError]:
        return device_errors(device, path, old=before.get(device.get("name", "")), says_where=says_where)

    yield from set_errors(
        devices,
        "spec.devices",
        judge,
        most=_MOST_LARGE_DEVICES if is_large else _MOST_DEVICES,
        key=lambda each: each.get("name", ""),
    )


RESOURCE_SLICE: Final = KindRules(
    refused_empties=_refused_empties,
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    validate=_validate,
    validate_update=_validate_update,
)
