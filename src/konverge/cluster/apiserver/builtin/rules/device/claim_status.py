"""The status of a claim: which devices it got, who uses it, and what drivers tell of each device.

An allocation is made once, and taken away whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.address import interface_fault
from konverge.cluster.apiserver.builtin.rules.device.binding_conditions import binding_condition_errors
from konverge.cluster.apiserver.builtin.rules.device.bounded import list_errors, set_errors
from konverge.cluster.apiserver.builtin.rules.device.configuration import (
    MOST_CONFIGURATIONS,
    configuration_errors,
    data_errors,
)
from konverge.cluster.apiserver.builtin.rules.device.names import label_errors, pool_name_errors, uid_errors
from konverge.cluster.apiserver.builtin.rules.device.request import (
    RequestNames,
    request_names,
    request_reference_errors,
    used_request_errors,
)
from konverge.cluster.apiserver.builtin.rules.device.sameness import is_same
from konverge.cluster.apiserver.builtin.rules.driver_name import driver_name_errors
from konverge.cluster.apiserver.builtin.rules.go_order import in_go_order
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.builtin.rules.pod.scheduling import node_selector_errors
from konverge.cluster.apiserver.builtin.rules.status.conditions import condition_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_FIXED: Final = "field is immutable"
_MOST_USERS: Final = 256
_MOST_RESULTS: Final = 32
_MOST_CONDITIONS: Final = 8
_MOST_ADDRESSES: Final = 16
_LONGEST_TEXTS: Final = {"interfaceName": 256, "hardwareAddress": 128}
_SOURCES: Final = ("FromClaim", "FromClass")
_UNALLOCATED: Final = "may not be specified when `allocated` is not set"
_ENDING: Final = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"
_UNBOUNDED: Final = 2**31

DeviceId = tuple[str, str, str, str]  # driver, pool, device, share


def device_id(holder: JsonObject) -> DeviceId:
    """Return which device a result or a report is about, and which share of it."""
    driver, pool, device, share = (holder.get(name) or "" for name in ("driver", "pool", "device", "shareID"))
    return driver, pool, device, share


def _allocated(status: JsonObject) -> list[DeviceId]:
    devices = (status.get("allocation") or {}).get("devices") or {}
    return [device_id(result) for result in devices.get("results") or ()]


def drop_released_devices(status: JsonObject, old: JsonObject) -> None:
    """Drop what was told of devices that the claim had and has no longer."""
    kept = _allocated(status)
    released = [each for each in _allocated(old) if each not in kept]
    if "devices" not in status:
        return
    status["devices"] = [each for each in status["devices"] or () if device_id(each) not in released]
    if not status["devices"]:
        del status["devices"]


def status_errors(value: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    """Judge the status of a claim that replaces another one."""
    status, before = value.get("status") or {}, old.get("status") or {}
    users, known = status.get("reservedFor"), _allocated(status)
    yield from set_errors(
        users,
        "status.reservedFor",
        _user_errors,
        most=_MOST_USERS,
        key=lambda user: field_error.named(user.get("uid", "")),
    )
    yield from _report_list_errors(status.get("devices") or (), "status.devices", known)
    if users and status.get("allocation") is None:
        yield field_error.forbidden("status.reservedFor", _UNALLOCATED)
    elif "deletionTimestamp" in value["metadata"] and _adds_user(users or (), before.get("reservedFor") or ()):
        yield field_error.forbidden("status.reservedFor", _ENDING)
    names = request_names((value.get("spec") or {}).get("devices") or {})
    yield from _allocation_errors(status.get("allocation"), before.get("allocation"), names=names)


def _user_errors(user: JsonObject, path: str) -> Iterator[FieldError]:
    yield from (field_error.required(f"{path}.{name}") for name in ("resource", "name", "uid") if not user.get(name))


def _adds_user(users: Sequence[JsonObject], before: Sequence[JsonObject]) -> bool:
    return not all(any(is_same(user, each) for each in before) for user in users)


# --- reports of drivers ---


def _shown_id(report: JsonObject) -> msgspec.Raw:
    names = ("Driver", "Pool", "Device", "ShareID")
    return in_go_order(dict(zip(names, device_id(report), strict=True)))


def _report_list_errors(reports: Sequence[JsonObject], path: str, known: Sequence[DeviceId]) -> Iterator[FieldError]:
    def judge(report: JsonObject, where: str) -> Iterator[FieldError]:
        return _report_errors(report, where, known=known)

    yield from set_errors(reports, path, judge, most=_UNBOUNDED, key=_shown_id)


def _report_errors(report: JsonObject, path: str, *, known: Sequence[DeviceId]) -> Iterator[FieldError]:
    yield from _device_errors(report, path)
    if report.get("shareID") is not None:
        yield from uid_errors(report["shareID"], f"{path}.shareID")
    if device_id(report) not in known:
        wrong = "must be an allocated device in the claim"
        yield field_error.invalid(path, _shown_id(report), wrong)
    conditions = report.get("conditions") or ()
    if len(conditions) > _MOST_CONDITIONS:
        yield field_error.too_many(f"{path}.conditions", len(conditions), _MOST_CONDITIONS)
    yield from condition_errors(conditions, f"{path}.conditions")
    if report.get("data") is not None:
        yield from data_errors(report["data"], f"{path}.data")
    yield from _network_errors(report.get("networkData") or {}, f"{path}.networkData")


def _device_errors(holder: JsonObject, path: str) -> Iterator[FieldError]:
    yield from driver_name_errors(holder.get("driver", ""), f"{path}.driver")
    yield from pool_name_errors(holder.get("pool", ""), f"{path}.pool")
    yield from label_errors(holder.get("device", ""), f"{path}.device")


def _network_errors(data: JsonObject, path: str) -> Iterator[FieldError]:
    for name, longest in _LONGEST_TEXTS.items():
        if len(data.get(name, "").encode()) > longest:
            yield field_error.too_long(f"{path}.{name}", longest)
    yield from set_errors(data.get("ips"), f"{path}.ips", _address_errors, most=_MOST_ADDRESSES)


def _address_errors(text: str, path: str) -> Iterator[FieldError]:
    if wrong := interface_fault(text):
        yield field_error.invalid(path, text, wrong)


# --- the allocation ---


def _allocation_errors(
    allocation: JsonObject | None, old: JsonObject | None, *, names: RequestNames
) -> Iterator[FieldError]:
    if allocation is None:
        return
    path = "status.allocation"
    if old is not None:
        if not is_same(allocation, old):
            yield field_error.invalid(path, internal_text("resource.AllocationResult", allocation), _FIXED)
        return
    devices = allocation.get("devices") or {}
    yield from _result_list_errors(devices, f"{path}.devices", names)
    if allocation.get("nodeSelector") is not None:
        yield from node_selector_errors(allocation["nodeSelector"], f"{path}.nodeSelector")


def _result_list_errors(devices: JsonObject, path: str, names: RequestNames) -> Iterator[FieldError]:
    def result_errors(result: JsonObject, where: str) -> Iterator[FieldError]:
        yield from request_reference_errors(result.get("request", ""), f"{where}.request", names=names)
        yield from _device_errors(result, where)
        yield from binding_condition_errors(result, where)
        if result.get("shareID") is not None:
            yield from uid_errors(result["shareID"], f"{where}.shareID")

    def config_errors(config: JsonObject, where: str) -> Iterator[FieldError]:
        yield from _source_errors(config.get("source", ""), f"{where}.source")
        yield from used_request_errors(config, where, names=names)
        yield from configuration_errors(config, where)

    most_configs = 2 * MOST_CONFIGURATIONS  # those of the class, and those of the claim
    yield from list_errors(devices.get("results"), f"{path}.results", result_errors, most=_MOST_RESULTS)
    yield from list_errors(devices.get("config"), f"{path}.config", config_errors, most=most_configs)


def _source_errors(source: Any, path: str) -> Iterator[FieldError]:
    if not source:
        yield field_error.required(path)
    elif source not in _SOURCES:
        yield field_error.not_supported(path, source, _SOURCES)
