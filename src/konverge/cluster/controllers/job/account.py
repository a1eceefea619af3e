"""Account: where a job stands, from its status and its pods; everything that is decided later reads from here.

A pod is counted once. While it has the tracking finalizer it stands for itself; when it has ended, its uid goes into
the status (`uncountedTerminatedPods`), then the finalizer goes, then the uid becomes one more in the counter. Whenever
the controller dies in between, the next run finds out from the two which step it was.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import datetime
from functools import cached_property

import msgspec

from konverge.cluster.controllers.job import failure_policy
from konverge.cluster.controllers.job.indexes import Indexes
from konverge.cluster.controllers.job.member import (
    any_index_of,
    belongs,
    failures_before,
    finished_at,
    has_failed,
    has_succeeded,
    ignored_failures_before,
    index_of,
    is_indexed,
    is_tracked,
)
from konverge.cluster.controllers.pod_state import is_active, is_ready, is_terminating
from konverge.models import batch_v1, core_v1


class Account(msgspec.Struct, frozen=True, dict=True):
    """A job, its pods, and the time; nothing in it changes."""

    job: batch_v1.Job
    pods: tuple[core_v1.Pod, ...]
    now: datetime

    @cached_property
    def active(self) -> list[core_v1.Pod]:
        """The pods that have not ended and are not to end."""
        return [pod for pod in self.pods if is_active(pod)]

    @cached_property
    def ready(self) -> int:
        """How many of them are ready."""
        return sum(is_ready(pod) for pod in self.active)

    @cached_property
    def terminating(self) -> int:
        """How many pods are being deleted and have not ended."""
        return sum(is_terminating(pod) for pod in self.pods)

    @cached_property
    def uncounted(self) -> batch_v1.UncountedTerminatedPods:
        """The uids that are between the pods and the counters."""
        written = self.job.status.uncounted_terminated_pods or batch_v1.UncountedTerminatedPods()
        return copy.copy(written)  # what is written is about to change

    @cached_property
    def newly_succeeded(self) -> list[core_v1.Pod]:
        """The pods that succeeded and are counted nowhere yet."""
        return self._new(self.uncounted.succeeded, has_succeeded)

    @cached_property
    def newly_failed(self) -> list[core_v1.Pod]:
        """The pods that failed and are counted nowhere yet; ignored ones among them."""
        return self._new(self.uncounted.failed, lambda pod: has_failed(pod, self.job))

    def _new(self, counted: list[str] | None, ended: Callable[[core_v1.Pod], bool]) -> list[core_v1.Pod]:
        known = frozenset(counted or ())
        ours = (
            pod for pod in self.pods if is_tracked(pod) and pod.metadata.uid not in known and belongs(pod, self.job)
        )
        return [pod for pod in ours if ended(pod)]

    @cached_property
    def succeeded(self) -> int:
        """How many completions there are: pods, or indexes."""
        if is_indexed(self.job):
            return len(self.succeeded_indexes)
        return (self.job.status.succeeded or 0) + len(self.uncounted.succeeded or ()) + len(self.newly_succeeded)

    @cached_property
    def failed(self) -> int:
        """How many pods failed, without those that the failure policy ignores."""
        policy = self.job.spec.pod_failure_policy
        counting = [pod for pod in self.newly_failed if failure_policy.judge(pod, policy).counts]
        return (self.job.status.failed or 0) + len(self.uncounted.failed or ()) + len(counting)

    @cached_property
    def counted_indexes(self) -> Indexes:
        """The succeeded indexes that the status has."""
        return Indexes.parse(self.job.status.completed_indexes, self.job.spec.completions or 0)

    @cached_property
    def succeeded_indexes(self) -> Indexes:
        """The succeeded indexes, with those that the status does not have yet."""
        indexes = (index_of(pod, self.job) for pod in self.pods if has_succeeded(pod) and is_tracked(pod))
        return self.counted_indexes | Indexes.of(index for index in indexes if index is not None)

    @cached_property
    def failed_indexes(self) -> Indexes | None:
        """The indexes that have failed for good; None where only pods are counted."""
        limit = self.job.spec.backoff_limit_per_index
        if limit is None:
            return None
        before = Indexes.parse(self.job.status.failed_indexes, self.job.spec.completions or 0)
        lost = (index_of(pod, self.job) for pod in self.pods if is_tracked(pod) and self._is_last(pod, limit))
        return before | Indexes.of(index for index in lost if index is not None)

    def _is_last(self, pod: core_v1.Pod, limit: int) -> bool:
        """Whether the failure of this pod ends its index."""
        if not has_failed(pod, self.job):
            return False
        judgement = failure_policy.judge(pod, self.job.spec.pod_failure_policy)
        return judgement.action == "FailIndex" or (judgement.counts and failures_before(pod) >= limit)

    @cached_property
    def to_be_replaced(self) -> dict[int, core_v1.Pod]:
        """The last failed pod of each index that goes on; it is kept until its replacement has taken over its count."""
        found: dict[int, core_v1.Pod] = {}
        if self.failed_indexes is None:
            return found
        settled = self.succeeded_indexes | self.failed_indexes | Indexes.of(self.active_indexes)
        for pod in self.pods:
            index = index_of(pod, self.job)
            if index is None or not is_tracked(pod) or not has_failed(pod, self.job) or index in settled:
                continue
            found[index] = max(found.get(index, pod), pod, key=_attempt)
        return found

    @cached_property
    def active_indexes(self) -> list[int]:
        """The indexes of the active pods."""
        return [index for pod in self.active if (index := any_index_of(pod)) is not None]


def _attempt(pod: core_v1.Pod) -> tuple[int, datetime]:
    return failures_before(pod) + ignored_failures_before(pod), finished_at(pod)
