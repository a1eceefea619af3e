"""Kinds of the group resource.k8s.io."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import Cells, Printer, age_of, below, is_deleted, listed, name_of


def _named(value: JsonObject) -> Cells:
    return [name_of(value), age_of(value)]


def _claim(value: JsonObject) -> Cells:
    return [name_of(value), ",".join(_states(value)), age_of(value)]


def _states(value: JsonObject) -> list[str]:
    status = below(value, "status")
    states = ["deleted"] if is_deleted(value) else []
    if status.get("allocation") is None:
        return states or ["pending"]
    return [*states, "allocated", *(["reserved"] if listed(status, "reservedFor") else [])]


def _slice(value: JsonObject) -> Cells:
    spec = below(value, "spec")
    shown = (spec.get("nodeName") or "", spec.get("driver", ""), below(spec, "pool").get("name", ""))
    return [name_of(value), *shown, age_of(value)]


PRINTERS: Final[dict[str, Printer]] = {
    "DeviceClass": _named,
    "ResourceClaim": _claim,
    "ResourceClaimTemplate": _named,
    "ResourceSlice": _slice,
}
