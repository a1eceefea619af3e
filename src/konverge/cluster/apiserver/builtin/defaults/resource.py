"""Defaults of claims to devices, and of the devices themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver.builtin.defaults.default import Default
from konverge.cluster.apiserver.strategy import JsonObject

_EXACT: Final = "ExactCount"


def _request(value: JsonObject) -> None:
    if not value.get("allocationMode"):
        value["allocationMode"] = _EXACT
    if value["allocationMode"] == _EXACT and not value.get("count"):
        value["count"] = 1


def _taint(value: JsonObject) -> None:
    if "timeAdded" not in value:
        value["timeAdded"] = format_time(now())


def _device(value: JsonObject) -> None:
    for mapping in value.get("nodeAllocatableResourceMappings", {}).values():
        mapping.setdefault("allocationMultiplier", "1")


DEFAULTS: Final[Mapping[str, Default]] = {
    "Device": _device,
    "DeviceSubRequest": _request,
    "DeviceTaint": _taint,
    "ExactDeviceRequest": _request,
}
