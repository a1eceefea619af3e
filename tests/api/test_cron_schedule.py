"""Schedules: what can be read, what is said about the rest, and when they are due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.api.cron_schedule import CronSchedule
from konverge.api.invalid import InvalidValue

# Made by a program around robfig/cron v3.0.1: ParseStandard("TZ=<zone> <schedule>"), then Next four times.
# Not among them: on Lord Howe, whose clock moves by half an hour, that library passes over the week after ("@weekly").
GOLDEN = [
    (
        "30 2 * * *",
        "Europe/Berlin",
        "2026-03-28T12:00:00Z",
        ["2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z", "2026-04-01T00:30:00Z", "2026-04-02T00:30:00Z"],
    ),
    (
        "30 2 * * *",
        "Europe/Berlin",
        "2026-10-24T12:00:00Z",
        ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z", "2026-10-27T01:30:00Z"],
    ),
    (
        "0 * * * *",
        "Europe/Berlin",
        "2026-10-24T23:30:00Z",
        ["2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z", "2026-10-25T03:00:00Z"],
    ),
    (
        "30 1 * * *",
        "America/New_York",
        "2026-10-31T12:00:00Z",
        ["2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z", "2026-11-02T06:30:00Z", "2026-11-03T06:30:00Z"],
    ),
    (
        "30 2 * * *",
        "America/New_York",
        "2026-03-07T12:00:00Z",
        ["2026-03-09T06:30:00Z", "2026-03-10T06:30:00Z", "2026-03-11T06:30:00Z", "2026-03-12T06:30:00Z"],
    ),
    (
        "0 0 * * *",
        "America/Sao_Paulo",
        "2018-11-03T12:00:00Z",
        ["2018-11-05T02:00:00Z", "2018-11-06T02:00:00Z", "2018-11-07T02:00:00Z", "2018-11-08T02:00:00Z"],
    ),
    (
        "0 0 * * sun",
        "America/Sao_Paulo",
        "2018-11-02T12:00:00Z",
        ["2018-11-11T02:00:00Z", "2018-11-18T02:00:00Z", "2018-11-25T02:00:00Z", "2018-12-02T02:00:00Z"],
    ),
    (
        "15 0 4 11 *",
        "America/Sao_Paulo",
        "2018-10-02T12:00:00Z",
        ["2019-11-04T03:15:00Z", "2020-11-04T03:15:00Z", "2021-11-04T03:15:00Z", "2022-11-04T03:15:00Z"],
    ),
    (
        "0 0 29 2 *",
        "UTC",
        "2026-03-01T00:00:00Z",
        ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z", "2036-02-29T00:00:00Z", "2040-02-29T00:00:00Z"],
    ),
    ("0 0 31 2 *", "UTC", "2026-03-01T00:00:00Z", [None]),
    (
        "0 12 1,15 * mon",
        "UTC",
        "2026-11-01T12:00:00Z",
        ["2026-11-02T12:00:00Z", "2026-11-09T12:00:00Z", "2026-11-15T12:00:00Z", "2026-11-16T12:00:00Z"],
    ),
    (
        "*/7 8-18/3 * jan,dec ?",
        "Asia/Kolkata",
        "2026-11-15T10:11:12Z",
        ["2026-12-01T02:30:00Z", "2026-12-01T02:37:00Z", "2026-12-01T02:44:00Z", "2026-12-01T02:51:00Z"],
    ),
    (
        "59 23 31 12 *",
        "Pacific/Auckland",
        "2026-12-31T10:58:59Z",
        ["2026-12-31T10:59:00Z", "2027-12-31T10:59:00Z", "2028-12-31T10:59:00Z", "2029-12-31T10:59:00Z"],
    ),
    (
        "45 1 * * *",
        "Australia/Lord_Howe",
        "2026-04-04T10:00:00Z",
        ["2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z", "2026-04-05T15:15:00Z", "2026-04-06T15:15:00Z"],
    ),
    (
        "@every 90m",
        "UTC",
        "2026-11-15T10:11:12Z",
        ["2026-11-15T11:41:12Z", "2026-11-15T13:11:12Z", "2026-11-15T14:41:12Z", "2026-11-15T16:11:12Z"],
    ),
    (
        "* * * * *",
        "UTC",
        "2026-11-15T10:11:59.5Z",
        ["2026-11-15T10:12:00Z", "2026-11-15T10:13:00Z", "2026-11-15T10:14:00Z", "2026-11-15T10:15:00Z"],
    ),
    (
        "0-30/10 5/6 */10 2-12/5 1-5",
        "Europe/London",
        "2026-11-15T10:11:12Z",
        ["2026-12-01T05:00:00Z", "2026-12-01T05:10:00Z", "2026-12-01T05:20:00Z", "2026-12-01T05:30:00Z"],
    ),
]


@pytest.mark.parametrize(
    "schedule",
    ["* * * * *", "*/5 0-23/2 1,15 JAN-dec mon", "@daily", "@every 1h30m", "0 0 ? * 0", "CRON_TZ=UTC 0 0 1 1 *"],
)
def test_schedules_that_can_be_read(schedule: str) -> None:
    """Steps, ranges, lists, names and descriptors are all read."""
    assert CronSchedule.parse(schedule).text == schedule


@pytest.mark.parametrize(
    ("schedule", "fault"),
    [
        ("", "empty spec string"),
        ("* * *", "expected exactly 5 fields, found 3: [* * *]"),
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("9-1 * * * *", "beginning of range (9) beyond end of range (1): 9-1"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("*/1/2 * * * *", "too many slashes: */1/2"),
        ("x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
        ("@x", "unrecognized descriptor: @x"),
        ("@every x", 'failed to parse duration @every x: time: invalid duration "x"'),
        ("TZ=Nowhere * * * * *", "provided bad location Nowhere: unknown time zone Nowhere"),
        ("TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"),
    ],
)
def test_schedules_that_cannot_be_read(schedule: str, fault: str) -> None:
    """The fault names the part that is wrong."""
    with pytest.raises(InvalidValue) as error:
        CronSchedule.parse(schedule)
    assert str(error.value) == fault


@pytest.mark.parametrize(("schedule", "zone", "start", "due"), GOLDEN)
def test_the_next_times_are_those_of_the_library_that_kubernetes_uses(
    schedule: str, zone: str, start: str, due: list[str | None]
) -> None:
    """Through the nights of the year that have an hour less or more, and to days that seldom or never come."""
    moment, parsed = datetime.fromisoformat(start), CronSchedule.parse(schedule)
    for wanted in due:
        found = parsed.next_after(moment, ZoneInfo(zone))
        assert (found and found.isoformat()) == (wanted and wanted.replace("Z", "+00:00"))
        moment = found or moment


def test_a_zone_in_the_schedule_comes_before_another() -> None:
    """The text decides for itself."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    named = CronSchedule.parse("CRON_TZ=Asia/Kolkata 0 6 * * *")
    assert named.next_after(start, ZoneInfo("America/New_York")) == datetime(2026, 1, 1, 0, 30, tzinfo=UTC)


MINUTES = st.integers(0, 60 * 24 * 800).map(lambda count: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=count))


@given(st.sampled_from(["*/15 3 * * *", "5 4 1,15 * *", "0 0 * * mon", "30 1-5/2 * 2-10 tue-thu"]), MINUTES)
def test_between_a_moment_and_the_next_time_nothing_is_due(schedule: str, moment: datetime) -> None:
    """Whoever starts later, but before the next time, finds the same one."""
    parsed = CronSchedule.parse(schedule)
    found = parsed.next_after(moment)
    assert found is not None
    assert found > moment
    assert parsed.next_after(moment + (found - moment) / 2) == found
    assert parsed.next_after(found - timedelta(seconds=1)) == found
