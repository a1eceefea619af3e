from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.apply.path_element import key_element, shown, value_element


# Written by structured-merge-diff 6.3.3: SerializePathElement and String of a value element.
@pytest.mark.parametrize(
    ("value", "text", "message"),
    [
        ("a b", 'v:"a b"', '[="a b"]'),
        ("<&>", r'v:"\u003c\u0026\u003e"', '[="<&>"]'),
        ("\u2028x", r'v:"\u2028x"', r'[="\u2028x"]'),
        ("\b\f\n\r\t\x01", r'v:"\u0008\u000c\n\r\t\u0001"', r'[="\b\f\n\r\t\x01"]'),
        ('q"\\/', r'v:"q\"\\/"', r'[="q\"\\/"]'),
        ("é😀", 'v:"é😀"', '[="é😀"]'),
        (1, "v:1", "[=1]"),
        (1.0, "v:1", "[=1]"),
        (1.5, "v:1.5", "[=1.5]"),
        (1e-7, "v:1e-07", "[=1e-07]"),
        (0.000001, "v:0.000001", "[=1e-06]"),
        (1e21, "v:1e+21", "[=1e+21]"),
        (1e20, "v:100000000000000000000", "[=1e+20]"),
        (1234567, "v:1234567", "[=1.234567e+06]"),
        (1.5e300, "v:1.5e+300", "[=1.5e+300]"),
        (-3.25, "v:-3.25", "[=-3.25]"),
        (True, "v:true", "[=true]"),
    ],
)
def test_values(value: Any, text: str, message: str) -> None:
    """A value is written and shown as Go does it, which reads all numbers as floats."""
    assert value_element(value) == text
    assert shown(text, as_read=True) == message


def test_a_number_that_was_not_read_is_shown_as_it_is() -> None:
    """Messages on a value that a request gave show whole numbers whole."""
    assert shown("v:1234567") == "[=1234567]"


def test_keys() -> None:
    """Keys are shown by name, and their names are not escaped as values are."""
    text = key_element([("name", "a<b"), ("port", 80)])
    assert text == r'k:{"name":"a\u003cb","port":80}'
    assert shown(text) == '[name="a<b",port=80]'
    assert key_element([("a<", None)]) == 'k:{"a<":null}'
    assert shown("f:spec") == ".spec"
    assert shown("i:3") == "[3]"
    assert shown('k:{"a":[1,{"b":true}]}') == "[a=[1,b=true]]"
