"""One device of a slice: what it is called and has, what it takes of its pool's counters, and where it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.device.binding_conditions import binding_condition_errors
from konverge.cluster.apiserver.builtin.rules.device.bounded import list_errors, map_errors, nothing, set_errors
from konverge.cluster.apiserver.builtin.rules.device.capacity import shared_capacity_errors, whole_capacity_errors
from konverge.cluster.apiserver.builtin.rules.device.names import (
    LONGEST_QUALIFIED_NAME,
    label_errors,
    qualified_name_errors,
)
from konverge.cluster.apiserver.builtin.rules.device.node_choice import device_node_errors
from konverge.cluster.apiserver.builtin.rules.device.sameness import is_same
from konverge.cluster.apiserver.builtin.rules.device.taint import taint_errors
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_MOST_ENTRIES: Final = 32  # attributes and capacities
_MOST_TAINTS: Final = 16
_MOST_CONSUMPTIONS: Final = 2
_MOST_COUNTERS: Final = 32
_LONGEST_COUNTER: Final = 63
_LONGEST_VALUE: Final = 64
_VALUES: Final = ("bool", "int", "string", "version")
_NUMBER: Final = r"(0|[1-9]\d*)"
_PRE: Final = r"(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_BUILD: Final = r"[0-9a-zA-Z-]+"
_VERSION: Final = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_PRE}(\.{_PRE})*)?(\+{_BUILD}(\.{_BUILD})*)?", re.ASCII
)


def device_errors(device: JsonObject, path: str, *, old: JsonObject | None, says_where: bool) -> Iterator[FieldError]:
    """Judge a device; `old`: the one of its name before, whose taints are not judged again."""
    attributes, capacity = device.get("attributes") or {}, device.get("capacity") or {}
    yield from label_errors(device.get("name", ""), f"{path}.name")
    if (count := len(attributes) + len(capacity)) > _MOST_ENTRIES:
        wrong = f"the total number of attributes and capacities must not exceed {_MOST_ENTRIES}"
        yield field_error.invalid(path, count, wrong)
    capacity_errors = shared_capacity_errors if device.get("allowMultipleAllocations") else whole_capacity_errors
    for name, entries, judge in (
        ("attributes", attributes, _attribute_errors),
        ("capacity", capacity, capacity_errors),
    ):
        yield from map_errors(
            entries,
            f"{path}.{name}",
            judge,
            judge_key=qualified_name_errors,
            longest_key=LONGEST_QUALIFIED_NAME,
        )
    if old is None or not is_same(old.get("taints"), device.get("taints")):
        yield from list_errors(device.get("taints"), f"{path}.taints", taint_errors, most=_MOST_TAINTS)
    yield from set_errors(
        device.get("consumesCounters"),
        f"{path}.consumesCounters",
        _consumption_errors,
        most=_MOST_CONSUMPTIONS,
        key=lambda each: each.get("counterSet", ""),
    )
    yield from device_node_errors(device, path, is_asked=says_where)
    yield from binding_condition_errors(device, path)


def _attribute_errors(attribute: JsonObject, path: str) -> Iterator[FieldError]:
    text, version = attribute.get("string"), attribute.get("version")
    if text is not None:
        yield from _length_errors(text, f"{path}.string")
    if version is not None:
        if not _VERSION.fullmatch(version):
            wrong = "must be a string compatible with semver.org spec 2.0.0"
            yield field_error.invalid(f"{path}.version", version, wrong)
        yield from _length_errors(version, f"{path}.version")
    if (count := sum(attribute.get(name) is not None for name in _VALUES)) != 1:
        shown = internal_text("resource.DeviceAttribute", attribute) if count else ""
        yield field_error.invalid(path, shown, "exactly one value must be specified")


def _length_errors(text: str, path: str) -> Iterator[FieldError]:
    if len(text.encode()) > _LONGEST_VALUE:
        yield field_error.too_long(path, _LONGEST_VALUE)


def _consumption_errors(consumption: JsonObject, path: str) -> Iterator[FieldError]:
    yield from counter_errors(consumption, path, name="counterSet")


def counter_set_errors(counters: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge counters that the devices of a pool share."""
    yield from counter_errors(counters, path, name="name")


def counter_errors(holder: JsonObject, path: str, *, name: str) -> Iterator[FieldError]:
    """Judge the name of a set of counters, and the counters."""
    if not holder.get(name):
        yield field_error.required(f"{path}.{name}")
    else:
        yield from label_errors(holder[name], f"{path}.{name}")
    if not holder.get("counters"):
        yield field_error.required(f"{path}.counters")
        return
    yield from map_errors(
        holder["counters"],
        f"{path}.counters",
        nothing,
        judge_key=label_errors,
        longest_key=_LONGEST_COUNTER,
        most=_MOST_COUNTERS,
    )
