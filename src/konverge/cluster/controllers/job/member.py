"""Member: what a pod tells about the job it belongs to: its index, whether it still counts, how and when it ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

import konverge as kv
from konverge.models import batch_v1, core_v1

TRACKING: Final = "batch.kubernetes.io/job-tracking"
"""The finalizer that keeps a pod until the job's status has counted it."""
INDEX: Final = "batch.kubernetes.io/job-completion-index"
FAILURES: Final = "batch.kubernetes.io/job-index-failure-count"
IGNORED_FAILURES: Final = "batch.kubernetes.io/job-index-ignored-failure-count"
_MOST: Final = 2**31


def is_indexed(job: batch_v1.Job) -> bool:
    """Whether each completion of a job has a number."""
    return job.spec.completion_mode == "Indexed"


def replaces_only_failed(job: batch_v1.Job) -> bool:
    """Whether a pod that is being deleted is replaced only when it has ended."""
    return job.spec.pod_replacement_policy == "Failed" or job.spec.pod_failure_policy is not None


def is_tracked(pod: core_v1.Pod) -> bool:
    """Whether the pod is not counted yet."""
    return kv.has_finalizer(pod, TRACKING)


def has_succeeded(pod: core_v1.Pod) -> bool:
    """Whether all containers ended well."""
    return pod.status.phase == "Succeeded"


def has_failed(pod: core_v1.Pod, job: batch_v1.Job) -> bool:
    """Whether the pod counts as failed: one that is being deleted too, unless the job waits for its end."""
    if pod.status.phase == "Failed":
        return True
    if replaces_only_failed(job):
        return False
    return pod.metadata.deletion_timestamp is not None and not has_succeeded(pod)


def index_of(pod: core_v1.Pod, job: batch_v1.Job) -> int | None:
    """Return the completion index, if it is one of the job's."""
    index = any_index_of(pod)
    return index if index is not None and index < (job.spec.completions or 0) else None


def any_index_of(pod: core_v1.Pod) -> int | None:
    """Return the completion index, also one that the job has no more since it was made smaller."""
    text = (pod.metadata.annotations or {}).get(INDEX, "")
    return int(text) if text.isdecimal() else None


def belongs(pod: core_v1.Pod, job: batch_v1.Job) -> bool:
    """Whether the pod can count: in an indexed job it needs an index."""
    return not is_indexed(job) or index_of(pod, job) is not None


def failures_before(pod: core_v1.Pod) -> int:
    """Return how many pods of its index had failed before this one was made."""
    return _count(pod, FAILURES)


def ignored_failures_before(pod: core_v1.Pod) -> int:
    """Return how many more had failed in a way that does not count."""
    return _count(pod, IGNORED_FAILURES)


def _count(pod: core_v1.Pod, annotation: str) -> int:
    text = (pod.metadata.annotations or {}).get(annotation, "")
    return int(text) if text.isdecimal() and int(text) < _MOST else 0


def finished_at(pod: core_v1.Pod) -> datetime:
    """Return when a pod ended, as well as it can be told."""
    return _containers_ended(pod) or _was_unready(pod) or _deletion(pod) or _creation(pod)


def _containers_ended(pod: core_v1.Pod) -> datetime | None:
    """When the last container ended, sidecars included; None while one has not."""
    ends = [_end(status) for status in _counted_statuses(pod)]
    known = [end for end in ends if end is not None]
    return max(known, default=None) if len(known) == len(ends) else None


def _counted_statuses(pod: core_v1.Pod) -> Iterator[core_v1.ContainerStatus]:
    yield from pod.status.container_statuses or ()
    sidecars = [each.name for each in pod.spec.init_containers or () if each.restart_policy == "Always"]
    yield from (status for status in pod.status.init_container_statuses or () if status.name in sidecars)


def _end(status: core_v1.ContainerStatus) -> datetime | None:
    ended = status.state.terminated if status.state else None
    return ended.finished_at if ended else None


def _was_unready(pod: core_v1.Pod) -> datetime | None:
    for condition in pod.status.conditions or ():
        if condition.type == "Ready":
            return condition.last_transition_time if condition.status == "False" else None
    return None


def _deletion(pod: core_v1.Pod) -> datetime | None:
    deleted = pod.metadata.deletion_timestamp
    return deleted and deleted - timedelta(seconds=pod.metadata.deletion_grace_period_seconds or 0)


def _creation(pod: core_v1.Pod) -> datetime:
    return pod.metadata.creation_timestamp or datetime.min.replace(tzinfo=UTC)


def restarts(pods: Iterable[core_v1.Pod]) -> int:
    """Return how often the containers of pods that go on were started again."""
    going_on = [pod.status for pod in pods if pod.status.phase in {"Running", "Pending"}]
    statuses = [[*(status.init_container_statuses or ()), *(status.container_statuses or ())] for status in going_on]
    return sum(status.restart_count or 0 for each in statuses for status in each)
