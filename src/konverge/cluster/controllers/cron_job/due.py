"""Due: which start of a cron job is owed at a moment, how many were missed, and when to look again.

Pure: a schedule, the times that bound it, and now. What was missed is not made up for one by one: only the latest
start that is owed counts, so a controller that was away for a week begins one job and not hundreds.
"""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from konverge.api.cron_schedule import CronSchedule
from konverge.api.invalid import InvalidValue
from konverge.models import batch_v1

TOO_MANY: Final = 100  # starts missed beyond which the clock is suspected rather than the controller's absence
_SLACK: Final = timedelta(milliseconds=100)  # later than due, so that a clock that is a little behind agrees
_SECOND: Final = timedelta(seconds=1)


class Due(msgspec.Struct, frozen=True):
    """What is owed since the last start."""

    since: datetime  # from when on it was looked
    latest: datetime | None  # the most recent start that is owed; None: nothing is
    missed: int = 0  # how many starts lie between, roughly, counting from the second one on


class Timetable(msgspec.Struct, frozen=True):
    """A schedule and the zone it is read in."""

    schedule: CronSchedule
    zone: tzinfo | None

    @classmethod
    def of(cls, spec: batch_v1.CronJobSpec) -> Timetable:
        """Return that of a cron job; a zone in the schedule itself comes before the field."""
        return cls(CronSchedule.parse(spec.schedule), ZoneInfo(spec.time_zone) if spec.time_zone else None)

    def after(self, moment: datetime) -> datetime:
        """Return the next start after a moment; a schedule that never comes (31 February) is an error."""
        found = self.schedule.next_after(moment, self.zone)
        if found is None:
            raise InvalidValue("time difference between two schedules is less than 1 second")
        return found


def due(timetable: Timetable, *, since: datetime, now: datetime) -> Due:
    """Return the most recent start between two moments that is owed."""
    first = timetable.after(since)
    if now < first:
        return Due(since, None)
    second = timetable.after(first)
    if now < second:
        return Due(since, first)
    period = max(round((second - first) / _SECOND), 1)
    missed = int((now - first) / _SECOND) // period + 1
    # Leap close to now and count from there; two periods back, since not all periods are as long as the first.
    return Due(since, _last(timetable, first + (missed - 2) * period * _SECOND, now), missed)


def _last(timetable: Timetable, start: datetime, now: datetime) -> datetime | None:
    found, candidate = None, timetable.after(start)
    while candidate <= now:
        found, candidate = candidate, timetable.after(candidate)
    return found


def last_start(cron_job: batch_v1.CronJob) -> datetime:
    """Return when it was last started; its creation counts as a start."""
    start = cron_job.status.last_schedule_time or cron_job.metadata.creation_timestamp
    if start is None:
        raise InvalidValue(f'CronJob "{cron_job.metadata.key}" has no creation time: read it from the server')
    return start


def owed(timetable: Timetable, cron_job: batch_v1.CronJob, now: datetime) -> Due:
    """Return what is owed now; what is older than the deadline for starting is not."""
    since = last_start(cron_job)
    deadline = cron_job.spec.starting_deadline_seconds
    return due(timetable, since=since if deadline is None else max(since, now - deadline * _SECOND), now=now)


def until_next(timetable: Timetable, cron_job: batch_v1.CronJob, now: datetime) -> float:
    """Return the seconds until it should be looked at again."""
    try:
        found = due(timetable, since=last_start(cron_job), now=now)
        latest = found.latest or (now if found.missed else found.since)
        wait = timetable.after(latest) + _SLACK - now
    except InvalidValue:
        return 0.0  # a schedule that never comes: nothing to wait for
    return max(wait / _SECOND, 0.001)
