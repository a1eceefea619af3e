"""Which pods go first when there are too many: those whose loss costs least; pure.

Not bound before bound, pending before running, not ready before ready, cheaper before dearer (by annotation), crowded
before lonely, young before old, often restarted before seldom. Ages are compared by their magnitude (powers of two),
and within one by uid: so that not always the youngest goes, and still each time the same.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from functools import cmp_to_key
from typing import Final

from konverge.cluster.controllers.pod_state import is_active, is_ready, ready_since
from konverge.models import core_v1

COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_PHASES: Final = {"Pending": 0, "Unknown": 1, "Running": 2}


def victims(
    pods: Iterable[core_v1.Pod], count: int, *, related: Iterable[core_v1.Pod], now: datetime
) -> list[core_v1.Pod]:
    """Return the pods to delete; `related` are all pods of the same owner's owner, which crowd a node."""
    given = list(pods)
    if count >= len(given):
        return given
    crowd = Counter(pod.spec.node_name or "" for pod in related if is_active(pod))

    def compare(one: core_v1.Pod, other: core_v1.Pod) -> int:
        return _compare(one, other, crowd, now)

    return sorted(given, key=cmp_to_key(compare))[:count]


def _compare(one: core_v1.Pod, other: core_v1.Pod, crowd: Counter[str], now: datetime) -> int:
    first, second = _rank(one, crowd), _rank(other, crowd)
    if first != second:
        return -1 if first < second else 1
    return (
        _by_age(one, other, (ready_since(one), ready_since(other)), now)
        or _restarts(other) - _restarts(one)
        or _by_age(one, other, (one.metadata.creation_timestamp, other.metadata.creation_timestamp), now)
    )


def _rank(pod: core_v1.Pod, crowd: Counter[str]) -> tuple[bool, int, bool, int, int]:
    place = pod.spec.node_name or ""
    return (bool(place), _PHASES.get(pod.status.phase or "", 0), is_ready(pod), _cost(pod), -crowd[place])


def _cost(pod: core_v1.Pod) -> int:
    try:
        return int((pod.metadata.annotations or {}).get(COST, "0"))
    except ValueError:
        return 0


def _restarts(pod: core_v1.Pod) -> int:
    return max((each.restart_count for each in pod.status.container_statuses or ()), default=0)


def _by_age(one: core_v1.Pod, other: core_v1.Pod, since: tuple[datetime | None, datetime | None], now: datetime) -> int:
    first, second = since
    if first == second:
        return 0
    if first is None or second is None:
        return -1 if first is None else 1
    difference = _magnitude(first, now) - _magnitude(second, now)
    if difference == 0:
        return -1 if (one.metadata.uid or "") < (other.metadata.uid or "") else 1
    return difference


def _magnitude(since: datetime, now: datetime) -> int:
    age = (now - since).total_seconds() * 1e9
    return int(math.log2(age)) if age > 0 else -1
