"""Go's words for what is no JSON (asked of a real server and of Go's own scanner)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.apiserver.writing.go_json import go_kind, go_number, syntax_error


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "unexpected end of JSON input"),
        ("{", "unexpected end of JSON input"),
        ("hello", "invalid character 'h' looking for beginning of value"),
        ('{"a":1,}', "invalid character '}' looking for beginning of object key string"),
        ("[1 2]", "invalid character '2' after array element"),
        ('{"a" 1}', "invalid character '1' after object key"),
        ('{"a":1 2}', "invalid character '2' after object key:value pair"),
        ('"\\x"', "invalid character 'x' in string escape code"),
        ('"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"),
        ("trve", "invalid character 'v' in literal true (expecting 'u')"),
        ("01", "invalid character '1' after top-level value"),
        ("-x", "invalid character 'x' in numeric literal"),
        ("1.x", "invalid character 'x' after decimal point in numeric literal"),
        ("1ex", "invalid character 'x' in exponent of numeric literal"),
        ("{'a':1}", "invalid character '\\'' looking for beginning of object key string"),
    ],
)
def test_a_syntax_error_has_gos_words(text: str, words: str) -> None:
    """The character and the place are named as Go names them."""
    assert syntax_error(text) == words


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(_JSON, st.sampled_from([None, 1]))
def test_json_has_no_syntax_error(value: object, indent: int | None) -> None:
    """Whatever is JSON is accepted, however it is written."""
    assert syntax_error(json.dumps(value, indent=indent)) == ""


@given(st.text(alphabet='{}[]:,"\\u0a1 tfn-.e', max_size=12))
def test_a_text_has_a_syntax_error_where_python_does_not_read_it(text: str) -> None:
    """Both scanners agree on what is JSON."""
    try:
        json.loads(text)
    except ValueError:
        assert syntax_error(text)
    else:
        assert syntax_error(text) == ""


def test_a_kind_of_value_has_gos_name() -> None:
    """The names of the decoder's messages."""
    values: tuple[object, ...] = ({}, [], "", True, 1, 1.5)
    assert [go_kind(value) for value in values] == [
        "object",
        "array",
        "string",
        "bool",
        "number",
        "number",
    ]


@pytest.mark.parametrize(
    ("text", "number"), [("1.0", 1), ("2.5e15", 2500000000000000), ("1.5", 1.5), ("1e21", 1e21), ("-3.0", -3)]
)
def test_a_whole_number_loses_its_fraction(text: str, number: float) -> None:
    """Go writes it back as an integer."""
    found = go_number(text)
    assert found == number
    assert type(found) is type(number)
