from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.apiserver.cel.go_time import clock_of, parse_moment, shown_moment
from konverge.cluster.apiserver.cel.values import Timestamp

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOMENTS = st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001 - Hypothesis adds the zone


@given(MOMENTS, st.integers(-14 * 60, 14 * 60))
def test_fields_are_those_of_the_calendar(moment: Any, minutes: Any) -> None:
    """The fields of a moment in a zone are those of Python's datetime, where that reaches."""
    nanos = (moment - EPOCH) // timedelta(microseconds=1) * 1000
    at = clock_of(Timestamp(nanos), minutes * 60)
    local = moment + timedelta(minutes=minutes)
    assert (at.year, at.month, at.day) == (local.year, local.month, local.day)
    assert (at.hour, at.minute, at.second) == (local.hour, local.minute, local.second)
    assert at.weekday == local.isoweekday() % 7
    assert at.year_day == local.timetuple().tm_yday


@given(st.integers(-62_135_596_800 * 10**9, 253_402_300_799 * 10**9), st.integers(-1439, 1439))
def test_what_is_written_reads_back(nanos: Any, minutes: Any) -> None:
    """Every nanosecond of the years 1 to 9999, in every zone."""
    moment = Timestamp(nanos, minutes * 60)
    text = shown_moment(moment)
    if len(text.split("-", 1)[0]) == 4:  # a zone may move the first and the last day out of the four digits
        assert parse_moment(text) == moment
