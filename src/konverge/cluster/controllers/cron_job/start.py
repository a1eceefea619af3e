"""Start: whether a cron job begins a job now, and what that job looks like.

The name of a job is that of its minute, so that no start can happen twice, whoever tries it and however often.
"""

from __future__ import annotations

import copy
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

import konverge as kv
from konverge.cluster.controllers.cron_job.due import TOO_MANY, Timetable, owed, until_next
from konverge.models import batch_v1

_SCHEDULED_AT: Final = "batch.kubernetes.io/cronjob-scheduled-timestamp"


class Notice(msgspec.Struct, frozen=True):
    """An event to record."""

    type: str
    reason: str
    note: str


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What to do now: begin a job for this time, if there is one; look again after so many seconds."""

    at: datetime | None = None
    replaces: bool = False  # the jobs that still run make way
    look_again: float
    notices: tuple[Notice, ...] = ()


def decide(timetable: Timetable, cron_job: batch_v1.CronJob, now: datetime) -> Start:
    """Decide whether a job is to begin."""
    found = owed(timetable, cron_job, now)
    wait = until_next(timetable, cron_job, now)
    if found.latest is None:
        return Start(look_again=wait)
    notices = (_TOO_MANY,) if found.missed > TOO_MANY else ()
    if is_too_late(cron_job, found.latest, now):
        return Start(look_again=wait, notices=(*notices, _missed(found.latest)))
    if is_begun(cron_job, found.latest):
        return Start(look_again=wait, notices=notices)
    if cron_job.spec.concurrency_policy == "Forbid" and cron_job.status.active:
        return Start(look_again=wait, notices=(*notices, _ALREADY_ACTIVE))
    replaces = cron_job.spec.concurrency_policy == "Replace"
    return Start(at=found.latest, replaces=replaces, look_again=wait, notices=notices)


def is_too_late(cron_job: batch_v1.CronJob, at: datetime, now: datetime) -> bool:
    """Whether the deadline for a start has passed."""
    deadline = cron_job.spec.starting_deadline_seconds
    return deadline is not None and at + timedelta(seconds=deadline) < now


def is_begun(cron_job: batch_v1.CronJob, at: datetime) -> bool:
    """Whether the job of this time is there already, or was."""
    running = [reference.name for reference in cron_job.status.active or ()]
    return job_name(cron_job, at) in running or cron_job.status.last_schedule_time == at


def job_name(cron_job: batch_v1.CronJob, at: datetime) -> str:
    """Return the name of the job that begins at a time."""
    return f"{cron_job.metadata.name}-{int(at.timestamp()) // 60}"


def new_job(cron_job: batch_v1.CronJob, at: datetime) -> batch_v1.Job:
    """Return the job that begins at a time."""
    template = copy.deepcopy(cron_job.spec.job_template)
    zone = ZoneInfo(cron_job.spec.time_zone) if cron_job.spec.time_zone else UTC
    metadata = template.metadata or kv.ObjectMeta()
    shown = at.astimezone(zone).isoformat(timespec="seconds").replace("+00:00", "Z")
    job = batch_v1.Job(
        metadata=kv.ObjectMeta(
            name=job_name(cron_job, at),
            namespace=cron_job.metadata.namespace,
            labels=metadata.labels,
            annotations={**(metadata.annotations or {}), _SCHEDULED_AT: shown},
        ),
        spec=template.spec or batch_v1.JobSpec(),
    )
    kv.set_controller_reference(cron_job, job)
    return job


def _missed(at: datetime) -> Notice:
    shown = at.astimezone(UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
    return Notice("Warning", "MissSchedule", f"Missed scheduled time to start a job: {shown}")


_ALREADY_ACTIVE = Notice(
    "Normal",
    "JobAlreadyActive",
    "Not starting job because prior execution is running and concurrency policy is Forbid",
)
_TOO_MANY = Notice(
    "Warning",
    "TooManyMissedTimes",
    "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
)
