from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from konverge.api.time import format_time
from konverge.cluster.apiserver.table.age import age, age_of_text, between, human_duration, is_later

DAY = 24 * 3600
YEAR = 365 * DAY


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-2, "<invalid>"),
        (-1.5, "0s"),
        (-0.5, "0s"),
        (0, "0s"),
        (119.9, "119s"),
        (120, "2m"),
        (121, "2m1s"),
        (600, "10m"),
        (659, "10m"),
        (3 * 3600 - 1, "179m"),
        (3 * 3600, "3h"),
        (3 * 3600 + 60, "3h1m"),
        (8 * 3600 + 60, "8h"),
        (48 * 3600 - 1, "47h"),
        (2 * DAY, "2d"),
        (2 * DAY + 3600, "2d1h"),
        (8 * DAY + 3600, "8d"),
        (2 * YEAR - 1, "729d"),
        (2 * YEAR, "2y"),
        (2 * YEAR + DAY, "2y1d"),
        (8 * YEAR + DAY, "8y"),
    ],
)
def test_durations_have_few_figures(seconds: float, shown: str) -> None:
    """The limits are those of Kubernetes' HumanDuration."""
    assert human_duration(timedelta(seconds=seconds)) == shown


def test_an_absent_time_is_unknown() -> None:
    """Nothing, an empty text and Go's zero time are no moments."""
    assert age(None) == age("") == age("0001-01-01T00:00:00Z") == "<unknown>"
    assert age_of_text("") == age_of_text("null") == "<unknown>"


def test_a_text_that_is_no_time_is_invalid() -> None:
    """In a cell that is a word, not an error."""
    assert age_of_text("yesterday") == "<invalid>"


def test_ages_follow_the_clock() -> None:
    """An age is counted from now."""
    moment = datetime.now(UTC) - timedelta(hours=5, minutes=30, seconds=10)
    assert age(format_time(moment)) == "5h30m"


def test_between_two_moments() -> None:
    """A job's duration needs no clock."""
    assert between("2020-01-01T00:00:00Z", "2020-01-01T01:00:00+00:00") == "60m"


def test_the_later_moment() -> None:
    """An empty text is before all."""
    assert is_later("2020-01-01T00:00:00Z", "")
    assert is_later("2020-01-02T00:00:00Z", "2020-01-01T00:00:00Z")
    assert not is_later("", "2020-01-01T00:00:00Z")
    assert not is_later("2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z")
