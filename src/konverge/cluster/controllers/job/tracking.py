"""Tracking: which pods are counted in this run and may go, and how their uids become counts.

Two writes of the status stand around the removal of the finalizers: the first puts the uids down, the second turns
them into counts. A pod can therefore vanish at any moment, and the controller die at any, without a pod being counted
twice or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from konverge.cluster.controllers.job import failure_policy
from konverge.cluster.controllers.job.account import Account
from konverge.cluster.controllers.job.ending import Ending
from konverge.cluster.controllers.job.indexes import Indexes
from konverge.cluster.controllers.job.member import (
    any_index_of,
    belongs,
    has_failed,
    has_succeeded,
    index_of,
    is_indexed,
    is_tracked,
)
from konverge.models import batch_v1, core_v1

MOST_AT_ONCE: Final = 500  # uids in the status, which keeps it under 20 KB


class Tally(msgspec.Struct, frozen=True):
    """What is counted in this run."""

    released: tuple[core_v1.Pod, ...]  # the pods whose finalizer goes
    succeeded: tuple[str, ...] = ()  # uids to put down
    failed: tuple[str, ...] = ()
    indexes: Indexes = Indexes()
    is_all: bool = True  # False: there is more to count than fits


def tally(account: Account, ending: Ending | None) -> Tally:
    """Choose the pods to count; with an ending, every pod is."""
    released: list[core_v1.Pod] = []
    succeeded, failed, indexes = list[str](), list[str](), list[int]()
    room = MOST_AT_ONCE - len(account.uncounted.succeeded or ()) - len(account.uncounted.failed or ())
    for pod in _in_order(account):
        if not is_tracked(pod) or not _may_go(pod, account, ending):
            continue
        if room <= len(succeeded) + len(failed) + len(indexes):
            return Tally(tuple(released), tuple(succeeded), tuple(failed), Indexes.of(indexes), is_all=False)
        released.append(pod)
        if has_succeeded(pod) and pod.metadata.uid not in (account.uncounted.failed or ()):
            _put_down_success(pod, account, succeeded, indexes)
        elif has_failed(pod, account.job) or (ending is not None and not ending.succeeds):
            _put_down_failure(pod, account, failed)
    return Tally(tuple(released), tuple(succeeded), tuple(failed), Indexes.of(indexes))


def _in_order(account: Account) -> Iterable[core_v1.Pod]:
    if not is_indexed(account.job):
        return account.pods
    return sorted(account.pods, key=lambda pod: -1 if (index := any_index_of(pod)) is None else index)


def _may_go(pod: core_v1.Pod, account: Account, ending: Ending | None) -> bool:
    if ending is not None or account.job.metadata.deletion_timestamp or has_succeeded(pod):
        return True
    if not has_failed(pod, account.job):
        return False
    waiting = account.to_be_replaced.get(-1 if (index := index_of(pod, account.job)) is None else index)
    return waiting is None or waiting.metadata.uid != pod.metadata.uid


def _put_down_success(pod: core_v1.Pod, account: Account, uids: list[str], indexes: list[int]) -> None:
    """Put a success down: an index is enough, since it counts once; else it takes the uid."""
    index, uid = index_of(pod, account.job), pod.metadata.uid or ""
    if is_indexed(account.job):
        if index is not None and index not in account.counted_indexes and index not in indexes:
            indexes.append(index)
    elif uid not in (account.uncounted.succeeded or ()):
        uids.append(uid)


def _put_down_failure(pod: core_v1.Pod, account: Account, uids: list[str]) -> None:
    uid = pod.metadata.uid or ""
    if uid in (account.uncounted.failed or ()) or not belongs(pod, account.job):
        return
    if failure_policy.judge(pod, account.job.spec.pod_failure_policy).counts:
        uids.append(uid)


def put_down(status: batch_v1.JobStatus, account: Account, tallied: Tally) -> None:
    """Write the choice into the status: the step before the finalizers go."""
    uncounted = status.uncounted_terminated_pods or batch_v1.UncountedTerminatedPods()
    uncounted.succeeded = [*(uncounted.succeeded or ()), *tallied.succeeded] or None
    uncounted.failed = [*(uncounted.failed or ()), *tallied.failed] or None
    status.uncounted_terminated_pods = uncounted
    if is_indexed(account.job):
        indexes = account.counted_indexes | tallied.indexes
        status.completed_indexes = str(indexes) or None
        status.succeeded = len(indexes) or None
        status.failed_indexes = None if account.failed_indexes is None else str(account.failed_indexes)


def count_out(status: batch_v1.JobStatus, tracked: Iterable[str | None]) -> None:
    """Turn the uids of pods without a finalizer into counts: the step after the finalizers are gone."""
    kept = frozenset(tracked)
    uncounted = status.uncounted_terminated_pods or batch_v1.UncountedTerminatedPods()
    succeeded = [uid for uid in uncounted.succeeded or () if uid in kept]
    failed = [uid for uid in uncounted.failed or () if uid in kept]
    status.succeeded = _raised(status.succeeded, len(uncounted.succeeded or ()) - len(succeeded))
    status.failed = _raised(status.failed, len(uncounted.failed or ()) - len(failed))
    uncounted.succeeded, uncounted.failed = succeeded or None, failed or None
    status.uncounted_terminated_pods = uncounted


def is_counted_out(status: batch_v1.JobStatus) -> bool:
    """Whether no uid waits to become a count."""
    uncounted = status.uncounted_terminated_pods
    return uncounted is None or not (uncounted.succeeded or uncounted.failed)


def _raised(count: int | None, by: int) -> int | None:
    return count + by if count is not None else by or None
