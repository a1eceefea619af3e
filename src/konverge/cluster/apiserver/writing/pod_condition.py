"""A pod's conditions, as the server itself sets them: when it binds a pod, and when it evicts one."""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.live import time_now


def set_condition(status: JsonObject, condition: JsonObject) -> None:
    """Set a pod's condition; the time of its last transition is that of a change of its status."""
    conditions: list[Any] = status.setdefault("conditions", [])
    now = time_now()
    for index, old in enumerate(conditions):
        if old["type"] == condition["type"]:
            is_same = old.get("status") == condition["status"]
            moment = old.get("lastTransitionTime", now) if is_same else now
            conditions[index] = {"lastProbeTime": None, **condition, "lastTransitionTime": moment}
            return
    conditions.append({"lastProbeTime": None, **condition, "lastTransitionTime": now})
