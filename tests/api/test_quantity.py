from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.api.quantity import Format, Quantity
from konverge.errors import KonvergeError

GOLDEN = [
    line.split("\t")
    for line in (Path(__file__).parent / "data" / "quantities.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
numbers = st.decimals(allow_nan=False, allow_infinity=False, places=9, min_value=-(10**20), max_value=10**20)
quantities = st.builds(lambda n, f: Quantity(n).with_format(f), numbers, st.sampled_from(Format))


@pytest.mark.parametrize("row", [row for row in GOLDEN if row[1] != "!"], ids=lambda row: row[0])
def test_reads_and_writes_as_the_server_does(row: list[str]) -> None:
    """Canonical form, format and value are those of the real library."""
    text, canonical, form, value = row
    quantity = Quantity(text)
    assert (str(quantity), quantity.format, quantity.decimal) == (canonical, form, Decimal(value))
    assert quantity.text == text


@pytest.mark.parametrize("row", [row for row in GOLDEN if row[1] == "!"], ids=lambda row: row[0])
def test_refuses_what_the_server_refuses(row: list[str]) -> None:
    """A bad spelling is a ValueError that quotes it."""
    with pytest.raises(ValueError, match="is not a quantity") as error:
        Quantity(row[0])
    assert repr(row[0]) in str(error.value)
    assert isinstance(error.value, KonvergeError)


@pytest.mark.parametrize("text", ["", "-", "m", "Ki", ".", "e3", "1\n", "1" * 5000, "1e100000", "1e-100000"])
def test_refuses_the_empty_and_the_absurd(text: str) -> None:
    """No digits, and sizes that only an attack has, are refused without being computed."""
    with pytest.raises(ValueError, match="is not a quantity"):
        Quantity(text)


@pytest.mark.parametrize("value", [1.5, True, None, b"1"])
def test_refuses_other_types(value: Any) -> None:
    """Floats are inexact and the rest means nothing."""
    with pytest.raises(ValueError, match="is made of"):
        Quantity(value)


def test_amounts_beyond_the_largest_suffix_keep_it() -> None:
    """A thousand E stays a thousand E."""
    assert str(Quantity("1000E")) == "1000E"
    assert str(Quantity("1000000000000000000000")) == "1000E"
    assert str(Quantity("1Ei") * 1024 * 1024) == "1048576Ei"


def test_rounds_away_from_zero() -> None:
    """Whoever asks for some gets some."""
    assert [int(Quantity(text)) for text in ("1500m", "-1500m", "1n", "0", "2")] == [2, -2, 1, 0, 2]
    assert [Quantity(text).milli_value() for text in ("1.5", "1u", "-1u", "2k")] == [1500, 1, -1, 2_000_000]
    assert str(Quantity("1234m").round_up(-2)) == "1240m"
    assert str(Quantity("1234").round_up(3)) == "2k"


def test_arithmetic_keeps_the_format_of_the_left() -> None:
    """A sum is written like its left side, or like its right side where the left is zero."""
    assert str(Quantity("1Gi") + Quantity("1Mi")) == "1025Mi"
    assert str(Quantity("0") + Quantity("1Gi")) == "1Gi"
    assert str(Quantity("1Gi") - Quantity("1G")) == "73741824"
    assert str(Quantity("100m") * 3) == "300m"
    assert str(2 * Quantity("1.5Gi")) == "3Gi"
    assert str(Quantity("1") * Decimal("0.25")) == "250m"
    assert str(sum([Quantity("1Gi"), Quantity("1Gi")], Quantity(0))) == "2Gi"
    assert str(-Quantity("1k")) == "-1k"
    assert abs(Quantity("-1k")) == 1000


def test_compares_by_value() -> None:
    """Spelling and format do not matter; numbers compare too; a bool is not a number."""
    assert Quantity("1024Ki") == Quantity("1Mi") == 1048576
    assert Quantity("0.5") == Quantity("500m") == Decimal("0.5")
    assert Quantity("1Gi") > Quantity("1G") > 5
    assert Quantity("1") != True  # noqa: E712 - the comparison is what is tested
    assert Quantity("1") != "1"
    assert not Quantity("0Ki")
    assert len({Quantity("1k"), Quantity("1000"), 1000, Decimal(1000)}) == 1


def test_cannot_be_changed() -> None:
    """It is a value."""
    quantity = Quantity("1")
    with pytest.raises(AttributeError, match="cannot be changed"):
        quantity.format = Format.BINARY_SI
    with pytest.raises(AttributeError, match="cannot be changed"):
        del quantity.format


def test_copies_keep_the_spelling() -> None:
    """Copies, pickles and Quantity(quantity) are the same in every respect."""
    quantity = Quantity("1024Mi")
    for other in (
        copy.copy(quantity),
        copy.deepcopy(quantity),
        pickle.loads(pickle.dumps(quantity)),
        Quantity(quantity),
    ):
        assert (other, other.text, other.format) == (quantity, "1024Mi", Format.BINARY_SI)
    assert repr(quantity) == "Quantity('1024Mi')"
    assert (quantity + 0).text == "1Gi"


@given(quantities)
def test_the_canonical_form_reads_back(quantity: Quantity) -> None:
    """Nothing is lost by writing and reading, within what a binary format can hold."""
    again = Quantity(str(quantity))
    if quantity.format is not Format.BINARY_SI:
        assert again == quantity
    assert str(again) == str(quantity) or abs(quantity) >= 2**63


@given(quantities, quantities)
def test_arithmetic_is_exact(left: Quantity, right: Quantity) -> None:
    """Sums undo, order agrees with differences, and equal values hash alike."""
    assert left + right - right == left
    assert (left < right) == (int((right - left) > 0) == 1)
    assert (left == right) == (not left - right)
    assert hash(left) == hash(left.decimal)
