"""Persistent volumes: pending when they are new, and the time of each change of phase is kept."""

from __future__ import annotations

from typing import Final

from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.strategy import JsonObject

_CHANGED: Final = "lastPhaseTransitionTime"


def _prepare_for_create(value: JsonObject) -> None:
    value["status"] = {"phase": "Pending", _CHANGED: format_time(now())}


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if subresource != "status":
        return
    status, before = value.setdefault("status", {}), old.get("status", {})
    if status.get("phase") == before.get("phase"):
        if _CHANGED not in status and _CHANGED in before:
            status[_CHANGED] = before[_CHANGED]
    elif status.get(_CHANGED) in (None, before.get(_CHANGED)):
        status[_CHANGED] = format_time(now())


PERSISTENT_VOLUME: Final = KindRules(prepare_for_create=_prepare_for_create, prepare_for_update=_prepare_for_update)
