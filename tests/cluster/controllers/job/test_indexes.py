from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.controllers.job.indexes import Indexes

NUMBERS = st.sets(st.integers(0, 40))


@pytest.mark.parametrize(
    ("indexes", "text"),
    [([], ""), ([3], "3"), ([1, 2], "1,2"), ([1, 2, 3], "1-3"), ([0, 2, 3, 4, 7, 8], "0,2-4,7,8")],
)
def test_the_short_form(indexes: list[int], text: str) -> None:
    """Three in a row are a range, two are not."""
    assert str(Indexes.of(indexes)) == text


@given(NUMBERS)
def test_the_short_form_is_read_back(numbers: set[int]) -> None:
    """Whatever was written is what is read."""
    assert Indexes.parse(str(Indexes.of(numbers)), 100) == Indexes.of(numbers)


@given(NUMBERS, NUMBERS)
def test_it_is_a_set(one: set[int], other: set[int]) -> None:
    """Union, intersection, size, membership and complement are those of Python's sets."""
    first, second = Indexes.of(one), Indexes.of(other)
    assert first | second == Indexes.of(one | other)
    assert first & second == Indexes.of(one & other)
    assert len(first) == len(one)
    assert [number for number in range(41) if number in first] == sorted(one)
    assert list(first.gaps(30)) == sorted(set(range(30)) - one)


def test_what_lies_beyond_the_completions_is_cut_off() -> None:
    """A job may be made smaller; and what cannot be read is left out."""
    assert str(Indexes.parse("0-5,x,7,9-20", 10)) == "0-5,7,9"
    assert str(Indexes.parse("12,4", 10)) == "4"
    assert str(Indexes.parse(None, 10)) == ""
