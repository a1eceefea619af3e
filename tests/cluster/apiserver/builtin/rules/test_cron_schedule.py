"""Schedules: what can be read, and what is said about the rest."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.builtin.rules.cron_schedule import schedule_fault


@pytest.mark.parametrize(
    "schedule",
    ["* * * * *", "*/5 0-23/2 1,15 JAN-dec mon", "@daily", "@every 1h30m", "0 0 ? * 0", "CRON_TZ=UTC 0 0 1 1 *"],
)
def test_schedules_that_can_be_read(schedule: str) -> None:
    """Steps, ranges, lists, names and descriptors are all read."""
    assert schedule_fault(schedule) == ""


@pytest.mark.parametrize(
    ("schedule", "fault"),
    [
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
    ],
)
def test_schedules_that_cannot_be_read(schedule: str, fault: str) -> None:
    """The fault names the part that is wrong."""
    assert schedule_fault(schedule) == fault
