from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.api.time import MicroTime, format_micro_time, format_time, parse_time

MOMENT = datetime(2026, 1, 31, 12, 30, 5, 1200, tzinfo=UTC)
moments = st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - Hypothesis adds the zone


def test_writes_as_the_api_does() -> None:
    """Whole seconds for Time, six digits for MicroTime, always UTC with a Z."""
    east = MOMENT.astimezone(timezone(timedelta(hours=2)))
    assert format_time(east) == "2026-01-31T12:30:05Z"
    assert format_micro_time(east) == "2026-01-31T12:30:05.001200Z"
    assert format_micro_time(MOMENT.replace(microsecond=0)) == "2026-01-31T12:30:05.000000Z"
    assert format_time(datetime(1, 1, 1, tzinfo=UTC)) == "0001-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-31T12:30:05Z", MOMENT.replace(microsecond=0)),
        ("2026-01-31T12:30:05.0012Z", MOMENT),
        ("2026-01-31T12:30:05.001200999Z", MOMENT),
        ("2026-01-31T12:30:05,0012Z", MOMENT),
        ("2026-01-31T14:30:05.001200+02:00", MOMENT),
        ("2026-01-31T07:00:05.0012-05:30", MOMENT),
    ],
)
def test_reads_any_fraction_and_offset(text: str, expected: datetime) -> None:
    """The moment is the same, in UTC, cut to microseconds."""
    assert parse_time(text) == expected
    assert parse_time(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-01-31",
        "2026-01-31T12:30:05",
        "2026-01-31 12:30:05Z",
        "2026-01-31t12:30:05z",
        "2026-02-30T12:30:05Z",
        "2026-01-31T24:00:00Z",
        "2026-01-31T12:60:00Z",
        "2026-01-31T12:30:60Z",
        "2026-01-31T12:30:05.Z",
        "2026-01-31T12:30:05+2:00",
        "2026-01-31T12:30:05+0200",
        "2026-01-31T12:30:05+99:00",
        "20260131T123005Z",
        "2026-01-31T12:30:05Z\n",
        "٢٠٢٦-01-31T12:30:05Z",
        "0001-01-01T00:00:00+10:00",
        "x" * 1000,
    ],
)
def test_refuses_anything_else(text: str) -> None:
    """A bad spelling is a ValueError that quotes its beginning."""
    with pytest.raises(ValueError, match="is not a time") as error:
        parse_time(text)
    assert len(str(error.value)) < 200


def test_refuses_a_time_without_a_zone() -> None:
    """It would be a guess which moment is meant."""
    naive = MOMENT.replace(tzinfo=None)
    for write in (format_time, format_micro_time, MicroTime.of):
        with pytest.raises(ValueError, match="has no time zone"):
            write(naive)


def test_micro_time_is_a_datetime() -> None:
    """It compares, copies and calculates as one, and keeps its type."""
    micro = MicroTime.of(MOMENT)
    assert micro == MOMENT == MicroTime.parse("2026-01-31T12:30:05.001200Z")
    assert type(micro + timedelta(seconds=1)) is MicroTime
    assert str(micro) == "2026-01-31T12:30:05.001200Z"
    for other in (copy.copy(micro), copy.deepcopy(micro), pickle.loads(pickle.dumps(micro))):
        assert (type(other), other) == (MicroTime, micro)


def test_micro_time_works_through_the_hooks_of_msgspec() -> None:
    """An encoder without the hook refuses it; one with the hook writes six digits."""

    class Lease(msgspec.Struct):
        renewed: MicroTime

    def encode(value: Any) -> Any:
        return format_micro_time(value)

    def decode(kind: type, value: Any) -> Any:
        assert kind is MicroTime
        return MicroTime.parse(value)

    line = b'{"renewed":"2026-01-31T12:30:05.001200Z"}'
    lease = msgspec.json.decode(line, type=Lease, dec_hook=decode)
    assert lease.renewed == MOMENT
    assert msgspec.json.encode(lease, enc_hook=encode) == line
    with pytest.raises(TypeError):
        msgspec.json.encode(lease)


@given(moments)
def test_reads_back(moment: datetime) -> None:
    """Microseconds survive in MicroTime, seconds in Time."""
    assert parse_time(format_micro_time(moment)) == moment
    assert parse_time(format_time(moment)) == moment.replace(microsecond=0)
