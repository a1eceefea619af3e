"""New pods of a job: the template, the tracking finalizer, and in an indexed job everything that names the index."""

from __future__ import annotations

from typing import Final

import konverge as kv
from konverge.cluster.controllers.job import failure_policy
from konverge.cluster.controllers.job.account import Account
from konverge.cluster.controllers.job.member import (
    FAILURES,
    IGNORED_FAILURES,
    INDEX,
    TRACKING,
    failures_before,
    ignored_failures_before,
)
from konverge.cluster.controllers.pod_from_template import new_pod
from konverge.models import batch_v1, core_v1

_VARIABLE: Final = "JOB_COMPLETION_INDEX"
_LONGEST_PREFIX: Final = 58  # of a name that the server completes


def pod_of(account: Account, index: int | None) -> core_v1.Pod:
    """Return a pod to create, for an index where the job has them."""
    pod = new_pod(account.job.spec.template, account.job)
    kv.add_finalizer(pod, TRACKING)
    if index is not None:
        _number(pod, account.job, index)
        if account.job.spec.backoff_limit_per_index is not None:
            _take_over(pod, account, index)
    return pod


def _number(pod: core_v1.Pod, job: batch_v1.Job, index: int) -> None:
    metadata, spec = pod.metadata, pod.spec
    metadata.annotations = {**(metadata.annotations or {}), INDEX: str(index)}
    metadata.labels = {**(metadata.labels or {}), INDEX: str(index)}
    metadata.generate_name = _prefix(job.metadata.name or "", index)
    spec.hostname = f"{job.metadata.name}-{index}"
    for container in (*(spec.init_containers or ()), *spec.containers):
        if all(variable.name != _VARIABLE for variable in container.env or ()):
            container.env = [*(container.env or ()), _variable()]


def _prefix(name: str, index: int) -> str:
    end = f"-{index}-"
    return name[: _LONGEST_PREFIX - len(end)] + end


def _variable() -> core_v1.EnvVar:
    source = core_v1.ObjectFieldSelector(field_path=f"metadata.labels['{INDEX}']")
    return core_v1.EnvVar(name=_VARIABLE, value_from=core_v1.EnvVarSource(field_ref=source))


def _take_over(pod: core_v1.Pod, account: Account, index: int) -> None:
    """Write down how often the index has failed: the pod that knew makes way for this one."""
    failures = ignored = 0
    if (last := account.to_be_replaced.get(index)) is not None:
        counts = failure_policy.judge(last, account.job.spec.pod_failure_policy).counts
        failures = failures_before(last) + counts
        ignored = ignored_failures_before(last) + (not counts)
    annotations = {**(pod.metadata.annotations or {}), FAILURES: str(failures)}
    if ignored:
        annotations[IGNORED_FAILURES] = str(ignored)
    pod.metadata.annotations = annotations
