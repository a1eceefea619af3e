"""Backoff: how long to wait before a failed pod is replaced: 10 s, doubled by each failure, 10 minutes at most.

The count is taken from the pods that are there, failed ones stay until the job goes. So nothing is remembered between
runs, and a controller that was started anew waits as the one before it would have.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from konverge.cluster.controllers.job.account import Account
from konverge.cluster.controllers.job.member import (
    belongs,
    failures_before,
    finished_at,
    has_failed,
    has_succeeded,
    ignored_failures_before,
    is_tracked,
)
from konverge.models import core_v1

_FIRST: Final = 10.0
_LONGEST: Final = 600.0


def wait(account: Account) -> float:
    """Return the seconds to wait before any pod of the job is created."""
    if account.job.spec.backoff_limit_per_index is not None:
        return 0.0  # each index waits for itself
    ended = [pod for pod in account.pods if belongs(pod, account.job)]
    failures = [finished_at(pod) for pod in ended if _counts(pod, account)]
    last_success = max((finished_at(pod) for pod in ended if has_succeeded(pod)), default=None)
    recent = [end for end in failures if last_success is None or end > last_success]
    return _left(len(recent), max(recent, default=account.now), account.now)


def wait_of_index(account: Account, index: int) -> float:
    """Return the seconds to wait before the next pod of an index is created."""
    last = account.to_be_replaced.get(index)
    if last is None:
        return 0.0
    return _left(failures_before(last) + ignored_failures_before(last) + 1, finished_at(last), account.now)


def _counts(pod: core_v1.Pod, account: Account) -> bool:
    """Whether a pod failed by itself; one that we deleted has lost the finalizer before."""
    deleted_by_us = pod.metadata.deletion_timestamp is not None and not is_tracked(pod)
    return has_failed(pod, account.job) and not deleted_by_us


def _left(failures: int, last: datetime, now: datetime) -> float:
    if not failures:
        return 0.0
    pause = min(_FIRST * float(2 ** min(failures - 1, 10)), _LONGEST)
    return max(pause - (now - last).total_seconds(), 0.0)
