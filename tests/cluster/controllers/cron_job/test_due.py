from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge import ObjectMeta
from konverge.api.cron_schedule import CronSchedule
from konverge.api.invalid import InvalidValue
from konverge.cluster.controllers.cron_job.due import Timetable, due, owed, until_next
from konverge.cluster.controllers.cron_job.start import decide, job_name, new_job
from konverge.models import batch_v1, core_v1

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
HOURLY = Timetable(CronSchedule.parse("0 * * * *"), None)


def cron_job(last: datetime | None = NOON, **spec: Any) -> batch_v1.CronJob:
    """A cron job that was last started then."""
    template = batch_v1.JobTemplateSpec(metadata=ObjectMeta(labels={"app": "tick"}), spec=batch_v1.JobSpec())
    made = batch_v1.CronJob(
        metadata=ObjectMeta(name="tick", namespace="shop", uid="cron", creation_timestamp=NOON),
        spec=batch_v1.CronJobSpec(schedule="0 * * * *", job_template=template, **spec),
    )
    made.status.last_schedule_time = last
    return made


@given(
    st.sampled_from(["* * * * *", "0 * * * *", "*/15 * * * *", "30 6 * * *", "@every 95m", "15 0 * * 2"]),
    st.integers(0, 60 * 24 * 40),
    st.integers(0, 59),
)
def test_only_the_latest_start_is_owed(schedule: str, minutes: int, seconds: int) -> None:
    """It is the one that counting all of them one by one would end with."""
    timetable = Timetable(CronSchedule.parse(schedule), None)
    now = NOON + timedelta(minutes=minutes, seconds=seconds)
    latest, following = None, timetable.after(NOON)
    while following <= now:
        latest, following = following, timetable.after(following)
    assert due(timetable, since=NOON, now=now).latest == latest


def test_an_uneven_schedule_owes_only_what_is_not_long_ago() -> None:
    """One of its first periods at most, as the real one has it: after a night without starts nothing is made up for."""
    uneven = Timetable(CronSchedule.parse("*/10 3-9 * * *"), None)
    morning = datetime(2026, 1, 2, 9, 50, tzinfo=UTC)
    assert due(uneven, since=NOON, now=morning + timedelta(minutes=5)).latest == morning
    assert due(uneven, since=NOON, now=morning + timedelta(minutes=15)).latest is None


def test_what_is_older_than_the_deadline_is_not_owed() -> None:
    """Half an hour after the hour, a deadline of ten minutes is over."""
    late = NOON + 1.5 * HOUR
    assert owed(HOURLY, cron_job(), late).latest == NOON + HOUR
    assert owed(HOURLY, cron_job(starting_deadline_seconds=600), late).latest is None
    assert owed(HOURLY, cron_job(starting_deadline_seconds=1800), late).latest is None  # the window opens after it
    assert owed(HOURLY, cron_job(starting_deadline_seconds=1801), late).latest == NOON + HOUR


@pytest.mark.parametrize(("hours", "warns"), [(1, False), (100, False), (101, True), (1000, True)])
def test_too_many_missed_starts_are_told(hours: int, warns: bool) -> None:
    """And one is made up for all the same."""
    start = decide(HOURLY, cron_job(), NOON + hours * HOUR)
    assert start.at == NOON + hours * HOUR
    assert [notice.reason for notice in start.notices] == (["TooManyMissedTimes"] if warns else [])


def test_it_looks_again_a_little_after_the_next_start() -> None:
    """Whether something was due or not."""
    assert until_next(HOURLY, cron_job(), NOON + timedelta(minutes=20)) == 40 * 60 + 0.1
    assert until_next(HOURLY, cron_job(), NOON + 5.5 * HOUR) == 30 * 60 + 0.1
    assert until_next(HOURLY, cron_job(None), NOON) == 60 * 60 + 0.1


def test_a_schedule_that_never_comes_is_an_error() -> None:
    """31 February."""
    never = Timetable(CronSchedule.parse("0 0 31 2 *"), None)
    with pytest.raises(InvalidValue, match="less than 1 second"):
        decide(never, cron_job(), NOON + HOUR)


def test_who_runs_beside_whom() -> None:
    """Allow begins another, Forbid none, Replace another in its place."""
    for policy, begins, replaces in (("Allow", True, False), ("Forbid", False, False), ("Replace", True, True)):
        running = cron_job(concurrency_policy=policy)
        running.status.active = [core_v1.ObjectReference(name="tick-1", namespace="shop", uid="job")]
        start = decide(HOURLY, running, NOON + HOUR)
        assert ((start.at is not None), start.replaces) == (begins, replaces)


def test_a_start_happens_once() -> None:
    """It is known by the time of the last start, or by the name of the job that runs."""
    assert decide(HOURLY, cron_job(NOON + HOUR), NOON + 1.2 * HOUR).at is None
    running = cron_job()
    name = job_name(running, NOON + HOUR)
    running.status.active = [core_v1.ObjectReference(name=name, namespace="shop", uid="job")]
    assert decide(HOURLY, running, NOON + 1.2 * HOUR).at is None


def test_a_job_bears_the_minute_it_is_for() -> None:
    """In its name as a number, in an annotation in the words of its zone."""
    at = datetime(2026, 6, 1, 4, 30, tzinfo=UTC)
    job = new_job(cron_job(time_zone="Europe/Berlin"), at)
    assert job.metadata.name == "tick-29671470"
    assert job.metadata.annotations == {"batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-06-01T06:30:00+02:00"}
    assert job.metadata.labels == {"app": "tick"}
    assert (new_job(cron_job(), at).metadata.annotations or {}).popitem()[1] == "2026-06-01T04:30:00Z"
