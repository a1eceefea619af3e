"""Counts in the status of a workload: none may contradict another."""

from __future__ import annotations

from collections.abc import Iterator

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject


def count_errors(status: JsonObject, names: tuple[str, ...], *, ready: str = "readyReplicas") -> Iterator[FieldError]:
    """Judge that parts are no more than the whole, and those available no more than those ready."""
    whole = status.get("replicas", 0)
    for name in names:
        if (count := status.get(name, 0)) > whole:
            yield field_error.invalid(f"status.{name}", count, "cannot be greater than status.replicas")
    available = status.get("availableReplicas", 0)
    if available > status.get("readyReplicas", 0):
        yield field_error.invalid("status.availableReplicas", available, f"cannot be greater than {ready}")


def decremented_errors(status: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    """Judge that collisions are never counted down."""
    before, count = old.get("collisionCount"), status.get("collisionCount")
    if before is not None and (count is None or count < before):
        yield field_error.invalid("status.collisionCount", count or 0, "cannot be decremented")
