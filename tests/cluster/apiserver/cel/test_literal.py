import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.apiserver.cel.literal import (
    BadLiteral,
    bytes_value,
    double_value,
    int_value,
    string_value,
    uint_value,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'a'", "a"),
        ('"\\n\\t\\x41\\u00e9\\U0001F600\\101\\\\\\"\\?\\`"', '\n\tAé😀A\\"?`'),
        ("r'\\n'", "\\n"),
        ("'''a'b\n'''", "a'b\n"),
        ("''", ""),
        ("'a\r\nb\rc'", "a\nb\nc"),
    ],
)
def test_strings(text: str, value: str) -> None:
    """A string's quotes, prefixes and escapes are taken off; line ends become one sort."""
    assert string_value(text) == value


@pytest.mark.parametrize("text", ["'\\ud800'", "'\\U00110000'"])
def test_no_such_character(text: str) -> None:
    """A code point that does not exist is refused."""
    with pytest.raises(BadLiteral, match="invalid unicode code point"):
        string_value(text)


def test_bytes() -> None:
    """In bytes an escape is a byte, and other characters are UTF-8."""
    assert bytes_value("'\\xff\\001é'") == b"\xff\x01\xc3\xa9"
    assert bytes_value("r'\\xff'") == b"\\xff"
    with pytest.raises(BadLiteral, match="unable to unescape string"):
        bytes_value("'\\u0041'")


def test_integers_end_at_64_bits() -> None:
    """A number outside of 64 bits is refused, however long it is written."""
    assert int_value("9223372036854775808", is_negative=True) == -(2**63)
    assert int_value("0x7fffffffffffffff", is_negative=False) == 2**63 - 1
    assert uint_value("18446744073709551615u") == 2**64 - 1
    for text in ("9223372036854775808", "0xffffffffffffffff", "9" * 5000):
        with pytest.raises(BadLiteral, match="invalid int literal"):
            int_value(text, is_negative=False)
    with pytest.raises(BadLiteral, match="invalid uint literal"):
        uint_value("18446744073709551616u")


def test_doubles_are_finite() -> None:
    """A number beyond the largest double is refused."""
    assert double_value("1.5e3", is_negative=True) == -1500
    with pytest.raises(BadLiteral, match="invalid double literal"):
        double_value("1e309", is_negative=False)


@given(st.floats(min_value=0, allow_infinity=False, allow_nan=False))
def test_doubles_are_read_exactly(value: float) -> None:
    """What Python writes of a double is read back."""
    assert math.isclose(double_value(repr(value), is_negative=False), value, rel_tol=0)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r")))
def test_escaped_strings_are_read_back(value: str) -> None:
    """A string in which each character is escaped is that string."""
    assert string_value("'" + "".join(f"\\U{ord(char):08x}" for char in value) + "'") == value
