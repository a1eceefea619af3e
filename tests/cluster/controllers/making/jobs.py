"""Jobs and pods for the tests of the pure parts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from konverge import ObjectMeta
from konverge.cluster.controllers.job.account import Account
from konverge.cluster.controllers.job.member import FAILURES, INDEX, TRACKING
from konverge.models import batch_v1, core_v1

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def job(**spec: Any) -> batch_v1.Job:
    """Return a job; what is not said is as the server defaults it."""
    given = {"parallelism": 1, "completions": 1, "backoff_limit": 6, "completion_mode": "NonIndexed", **spec}
    template = core_v1.PodTemplateSpec(
        metadata=ObjectMeta(labels={"app": "work"}),
        spec=core_v1.PodSpec(
            restart_policy="Never", containers=[core_v1.Container(name="main", image="example.com/work:1")]
        ),
    )
    metadata = ObjectMeta(name="work", namespace="shop", uid="job")
    return batch_v1.Job(metadata=metadata, spec=batch_v1.JobSpec(template=template, **given))


def indexed(**spec: Any) -> batch_v1.Job:
    """Return an indexed job."""
    return job(completion_mode="Indexed", **spec)


def pod(
    name: str,
    phase: str = "Running",
    *,
    index: int | None = None,
    failures: int | None = None,
    ended: float = 0.0,
    exit_code: int | None = None,
    tracked: bool = True,
    deleted: bool = False,
) -> core_v1.Pod:
    """Return a pod; `ended` is how many seconds ago."""
    annotations = {INDEX: None if index is None else str(index), FAILURES: None if failures is None else str(failures)}
    metadata = ObjectMeta(
        name=name,
        namespace="shop",
        uid=f"uid-{name}",
        creation_timestamp=NOW - timedelta(minutes=10),
        annotations={key: value for key, value in annotations.items() if value is not None} or None,
        finalizers=[TRACKING] if tracked else None,
        deletion_timestamp=NOW if deleted else None,
    )
    made = core_v1.Pod(metadata=metadata)
    made.status.phase = phase
    code = exit_code if exit_code is not None else {"Succeeded": 0, "Failed": 1}.get(phase)
    if code is not None:
        end = core_v1.ContainerStateTerminated(exit_code=code, finished_at=NOW - timedelta(seconds=ended))
        state = core_v1.ContainerState(terminated=end)
        made.status.container_statuses = [core_v1.ContainerStatus(name="main", state=state, restart_count=0)]
    return made


def account(of: batch_v1.Job, *pods: core_v1.Pod) -> Account:
    """Return where a job stands."""
    return Account(of, pods, NOW)
