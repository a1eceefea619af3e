"""Conditions of a CRD: which hold, and how one is set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from konverge.api.time import format_time
from konverge.clock import now


def find(crd: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
    """Return a condition by its type."""
    found = (condition for condition in (crd.get("status") or {}).get("conditions") or () if condition["type"] == kind)
    return next(found, None)


def is_true(crd: Mapping[str, Any], kind: str) -> bool:
    """Whether a condition is there and true."""
    condition = find(crd, kind)
    return condition is not None and condition.get("status") == "True"


def put(crd: dict[str, Any], kind: str, status: str, *, reason: str, message: str) -> bool:
    """Set a condition, in place; its time is that of the last change of its status. Return whether anything changed."""
    told = {"status": status, "reason": reason, "message": message}
    condition = find(crd, kind)
    if condition is None:
        conditions = crd.setdefault("status", {}).get("conditions") or []
        crd["status"]["conditions"] = [*conditions, {"type": kind, "lastTransitionTime": format_time(now()), **told}]
        return True
    if all(condition.get(name) == value for name, value in told.items()):
        return False
    if condition.get("status") != status:
        condition["lastTransitionTime"] = format_time(now())
    condition.update(told)
    return True


def drop(crd: dict[str, Any], kind: str) -> bool:
    """Remove a condition, in place; return whether it was there."""
    status = crd.get("status") or {}
    kept = [condition for condition in status.get("conditions") or () if condition["type"] != kind]
    if len(kept) == len(status.get("conditions") or ()):
        return False
    status["conditions"] = kept
    return True
