from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.api.duration import duration_fault, format_duration, format_nanoseconds, parse_duration, parse_nanoseconds

GOLDEN = [
    line.split("\t")
    for line in (Path(__file__).parent / "data" / "durations.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize("row", [row for row in GOLDEN if row[1] != "!"], ids=lambda row: row[0])
def test_reads_and_writes_as_go_does(row: list[str]) -> None:
    """The value and the spelling are those of Go's time package."""
    text, nanoseconds, written = row
    assert parse_nanoseconds(text) == int(nanoseconds)
    assert format_nanoseconds(int(nanoseconds)) == written


@pytest.mark.parametrize("text", ["", *(row[0] for row in GOLDEN if row[1] == "!")])
def test_refuses_what_go_refuses(text: str) -> None:
    """A bad spelling is a ValueError that quotes it."""
    with pytest.raises(ValueError, match=r"is not a duration|is too long") as error:
        parse_nanoseconds(text)
    assert repr(text) in str(error.value)


def test_a_timedelta_holds_microseconds_only() -> None:
    """What would be rounded is refused, with the exact way named."""
    assert parse_duration("1.5h") == timedelta(hours=1, minutes=30)
    with pytest.raises(ValueError, match="use parse_nanoseconds"):
        parse_duration("1500ns")


def test_a_timedelta_beyond_the_range_is_refused() -> None:
    """A duration of the API ends after 292 years."""
    assert format_duration(timedelta(days=-1)) == "-24h0m0s"
    with pytest.raises(ValueError, match="too long"):
        format_duration(timedelta(days=200_000))


@given(st.timedeltas(min_value=timedelta(days=-100_000), max_value=timedelta(days=100_000)))
def test_a_timedelta_reads_back(duration: timedelta) -> None:
    """Nothing is lost by writing and reading."""
    assert parse_duration(format_duration(duration)) == duration


@given(st.integers(-(2**63), 2**63 - 1))
def test_nanoseconds_read_back(nanoseconds: int) -> None:
    """The exact pair is exact over the whole range."""
    assert parse_nanoseconds(format_nanoseconds(nanoseconds)) == nanoseconds


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", 'time: invalid duration ""'),
        ("soon", 'time: invalid duration "soon"'),
        ("-", 'time: invalid duration "-"'),
        (".s", 'time: invalid duration ".s"'),
        ("1", 'time: missing unit in duration "1"'),
        ("1h1", 'time: missing unit in duration "1h1"'),
        ("5x", 'time: unknown unit "x" in duration "5x"'),
        ("1\N{MICRO SIGN}", r'time: unknown unit "\xc2\xb5" in duration "1\xc2\xb5"'),
        ('1"', r'time: unknown unit "\"" in duration "1\""'),
    ],
)
def test_what_is_wrong_is_said_as_go_says_it(text: str, fault: str) -> None:
    """The server quotes it in its answers."""
    assert duration_fault(text) == fault
