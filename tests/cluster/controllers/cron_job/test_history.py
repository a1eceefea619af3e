from __future__ import annotations

from datetime import UTC, datetime, timedelta

from konverge import ObjectMeta
from konverge.cluster.controllers.cron_job.history import last_success, surplus
from konverge.models import batch_v1

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def job(name: str, end: str, minute: int) -> batch_v1.Job:
    """A job that began and ended at a minute."""
    made = batch_v1.Job(metadata=ObjectMeta(name=name))
    made.status.start_time = NOON + timedelta(minutes=minute)
    made.status.conditions = [batch_v1.JobCondition(type=end, status="True")] if end else None
    made.status.completion_time = made.status.start_time if end == "Complete" else None
    return made


JOBS = [
    job("c", "Complete", 3),
    job("a", "Complete", 1),
    job("b", "Complete", 2),
    job("y", "Failed", 5),
    job("x", "Failed", 4),
    job("runs", "", 0),
]


def names(successful: int | None, failed: int | None) -> list[str | None]:
    """The jobs that are too many."""
    spec = batch_v1.CronJobSpec(successful_jobs_history_limit=successful, failed_jobs_history_limit=failed)
    return [each.metadata.name for each in surplus(batch_v1.CronJob(spec=spec), JOBS)]


def test_the_oldest_go_and_each_end_has_its_limit() -> None:
    """Without a limit all are kept; what runs is always kept."""
    assert names(1, 1) == ["a", "b", "x"]
    assert names(None, 0) == ["x", "y"]
    assert names(9, None) == []


def test_the_last_success_is_remembered_when_its_job_is_gone() -> None:
    """The later one of what is written and what is seen."""
    cron_job = batch_v1.CronJob()
    assert last_success(cron_job, JOBS) == NOON + timedelta(minutes=3)
    cron_job.status.last_successful_time = NOON + timedelta(hours=1)
    assert last_success(cron_job, JOBS) == NOON + timedelta(hours=1)
    assert last_success(batch_v1.CronJob(), JOBS[3:]) is None
