"""Plan: which pods of a job that goes on are deleted, and which are created; never both in one run."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Final

import msgspec

from konverge.cluster.controllers.job.account import Account
from konverge.cluster.controllers.job.backoff import wait, wait_of_index
from konverge.cluster.controllers.job.indexes import Indexes
from konverge.cluster.controllers.job.member import any_index_of, index_of, is_indexed, replaces_only_failed
from konverge.cluster.controllers.pod_state import is_ready, is_terminating, ready_since
from konverge.models import core_v1

_PHASES: Final = {"Pending": 0, "Unknown": 1, "Running": 2}
_MOST: Final = 500  # pods in one run, so that a large job does not hold up the others


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to do with the pods."""

    delete: tuple[core_v1.Pod, ...] = ()
    create: tuple[int | None, ...] = ()  # an index for each pod; None where the job has none
    wait: float = 0.0  # seconds until pods may be created that are held back


def plan_of(account: Account) -> Plan:
    """Decide what to do with the pods."""
    if account.job.spec.suspend:
        return Plan(delete=tuple(account.active))
    wanted = _wanted(account)
    surplus = _surplus(account, max(len(account.active) - wanted, 0))
    if surplus:
        return Plan(delete=tuple(surplus[:_MOST]))
    in_the_way = account.terminating if replaces_only_failed(account.job) else 0
    missing = min(wanted - in_the_way - len(account.active), _MOST)
    if missing <= 0:
        return Plan()
    held_back = wait(account)
    if held_back > 0:
        return Plan(wait=held_back)
    return _of_indexes(account, missing) if is_indexed(account.job) else Plan(create=(None,) * missing)


def _wanted(account: Account) -> int:
    """How many pods are to run."""
    spec = account.job.spec
    parallelism = 1 if spec.parallelism is None else spec.parallelism
    if spec.completions is None:  # a work queue: after the first success what runs may end, and nothing is added
        return len(account.active) if account.succeeded else parallelism
    return max(min(spec.completions - account.succeeded, parallelism), 0)


def _surplus(account: Account, least: int) -> list[core_v1.Pod]:
    """The pods to delete: those that cannot count, then as many more as there are too many."""
    useless = _useless(account) if is_indexed(account.job) else []
    uids = frozenset(pod.metadata.uid for pod in useless)
    useful = [pod for pod in account.active if pod.metadata.uid not in uids]
    return [*useless, *sorted(useful, key=_loss)[: max(least - len(useless), 0)]]


def _useless(account: Account) -> list[core_v1.Pod]:
    """The pods without an index of the job's, and all but one of those that share theirs."""
    left = Counter(any_index_of(pod) for pod in account.active)
    found: list[core_v1.Pod] = []
    for pod in sorted(account.active, key=_loss):
        index = any_index_of(pod)
        if index_of(pod, account.job) is None or left[index] > 1:
            left[index] -= 1
            found.append(pod)
    return found


def _of_indexes(account: Account, missing: int) -> Plan:
    """The first indexes that nobody works on; those that are held back are left out, not passed over."""
    taken = Indexes.of(account.active_indexes) | account.succeeded_indexes | (account.failed_indexes or Indexes())
    if replaces_only_failed(account.job):
        ending = (any_index_of(pod) for pod in account.pods if is_terminating(pod))
        taken |= Indexes.of(index for index in ending if index is not None)
    first = [index for index, _ in zip(taken.gaps(account.job.spec.completions or 0), range(missing), strict=False)]
    waits = {index: wait_of_index(account, index) for index in first}
    now = tuple(index for index in first if waits[index] <= 0)
    return Plan(create=now, wait=min((left for left in waits.values() if left > 0), default=0.0))


def _loss(pod: core_v1.Pod) -> tuple[bool, int, bool, float, int, float]:
    """How much is lost with a pod: little with one that has not got far, or was restarted often, or is young."""
    restarts = max((each.restart_count or 0 for each in pod.status.container_statuses or ()), default=0)
    return (
        bool(pod.spec.node_name),
        _PHASES.get(pod.status.phase or "", 0),
        is_ready(pod),
        -_seconds(ready_since(pod)),
        -restarts,
        -_seconds(pod.metadata.creation_timestamp),
    )


def _seconds(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0
