from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.api.quantity import Format
from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.library.amount import Amount, parse_amount

AMOUNTS = st.builds(
    Amount, st.integers(-(2**63), 2**63 - 1), st.integers(-9, 30), st.just(Format.DECIMAL_SI), st.booleans()
)


def exact(amount: Amount) -> Fraction:
    """Return the number that an amount stands for."""
    return amount.unscaled * Fraction(10) ** amount.scale


@given(AMOUNTS, AMOUNTS)
def test_sums_and_order_are_exact(one: Amount, other: Amount) -> None:
    """However far the amounts are apart."""
    assert exact(one.plus(other)) == exact(one) + exact(other)
    assert one.compared(other) == (exact(one) > exact(other)) - (exact(one) < exact(other))


def test_only_small_numbers_are_integers() -> None:
    """A fraction with a binary suffix is a decimal, even where it is whole."""
    assert parse_amount("1Gi").whole() == 2**30
    assert parse_amount("1.5Gi").whole() is None
    assert parse_amount("1.0").whole() is None


def test_absurd_exponents_cost_nothing() -> None:
    """An amount of a billion digits is compared by its size, and is not added to."""
    huge = parse_amount("1e999999999")
    assert huge.compared(parse_amount("5")) == 1
    with pytest.raises(CelError):
        huge.plus(parse_amount("5"))
