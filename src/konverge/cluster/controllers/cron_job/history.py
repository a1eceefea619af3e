"""History: what the jobs of a cron job say about it, and which of them are too old to keep."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from konverge.models import batch_v1

_NEVER = datetime.max.replace(tzinfo=UTC)


def finished_as(job: batch_v1.Job) -> str:
    """Return how a job ended, `Complete` or `Failed`; empty while it goes on."""
    for condition in job.status.conditions or ():
        if condition.type in {"Complete", "Failed"} and condition.status == "True":
            return condition.type
    return ""


def surplus(cron_job: batch_v1.CronJob, jobs: Iterable[batch_v1.Job]) -> list[batch_v1.Job]:
    """Return the finished jobs beyond the limits, the oldest first; the two ends have a limit each."""
    spec, ended = cron_job.spec, sorted(jobs, key=_age)
    limits = {"Complete": spec.successful_jobs_history_limit, "Failed": spec.failed_jobs_history_limit}
    found: list[batch_v1.Job] = []
    for end, limit in limits.items():
        if limit is not None:
            alike = [job for job in ended if finished_as(job) == end]
            found += alike[: max(len(alike) - limit, 0)]
    return found


def last_success(cron_job: batch_v1.CronJob, jobs: Iterable[batch_v1.Job]) -> datetime | None:
    """Return when a job last succeeded, as far as anyone remembers."""
    times = [job.status.completion_time for job in jobs if finished_as(job) == "Complete"]
    known = [time for time in (cron_job.status.last_successful_time, *times) if time is not None]
    return max(known, default=None)


def _age(job: batch_v1.Job) -> tuple[datetime, str]:
    return job.status.start_time or _NEVER, job.metadata.name or ""
