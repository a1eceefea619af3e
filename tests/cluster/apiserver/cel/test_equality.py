from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.equality import compare, equal
from konverge.cluster.apiserver.cel.values import MAX_INT, MAX_UINT, MIN_INT, MapValue, Uint

INTS = st.integers(MIN_INT, MAX_INT)
NUMBERS = INTS | st.integers(0, MAX_UINT).map(Uint) | st.floats(allow_nan=False)
SCALARS = NUMBERS | st.text() | st.binary() | st.booleans() | st.none()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3), max_leaves=8)


@given(VALUES, VALUES)
def test_equality_is_symmetric(one: Any, other: Any) -> None:
    """No value is equal to another that is not equal to it."""
    assert equal(one, other) == equal(other, one)


@given(VALUES)
def test_every_value_is_equal_to_itself(value: Any) -> None:
    """All but NaN."""
    assert equal(value, value)


@given(NUMBERS, NUMBERS)
def test_numbers_have_one_order(one: Any, other: Any) -> None:
    """Numbers of all types compare, and the other way round is the opposite."""
    assert compare(one, other) == -compare(other, one)
    assert (compare(one, other) == 0) == equal(one, other)


def test_nan_is_equal_to_nothing_and_has_no_order() -> None:
    """Not even to itself."""
    assert not equal(math.nan, math.nan)
    with pytest.raises(CelError, match="NaN values cannot be ordered"):
        compare(1.0, math.nan)


def test_true_is_not_one() -> None:
    """Python's bool is a number; CEL's is not."""
    assert not equal(True, 1)
    assert not equal(MapValue([(1, "a")]), MapValue([(True, "a")]))


def test_keys_of_maps_are_found_across_the_types_of_numbers() -> None:
    """A whole double finds an int; a bool does not."""
    numbers = MapValue([(1, "int"), (Uint(2), "uint")])
    assert numbers.find(1.0) == ("int", True)
    assert numbers.find(2) == ("uint", True)
    assert numbers.find(1.5) == (None, False)
    assert numbers.find(True) == (None, False)


@pytest.mark.parametrize("leaf", [1, math.nan])
def test_lists_that_hold_another_twice_are_compared_once(leaf: float) -> None:
    """A hundred lists, each with the one before in two places, are no 2^100 comparisons; NaN stays unequal."""
    one: Any = [leaf]
    other: Any = [leaf]
    for _ in range(50):
        one, other = MapValue([("a", [one, one])]), MapValue([("a", [other, other])])
    assert equal(one, one) == equal(one, other) == (not math.isnan(leaf))
