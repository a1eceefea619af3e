from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.apiserver.table.shown import go_json, shown

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("<a>", "<a>"),
        (None, "<no value>"),
        (True, "true"),
        (False, "false"),
        (7, "7"),
        (2.5, "2.5"),
        (1.0, "1"),
        (-0.0, "-0"),
        (123456.5, "123456.5"),
        (2500000.5, "2.5000005e+06"),
        (0.00012, "0.00012"),
        (0.000012, "1.2e-05"),
        (1e30, "1e+30"),
        ([], "[]"),
        ({"b": 1, "a": "<x>"}, '{"a":"\\u003cx\\u003e","b":1}'),
    ],
)
def test_values_in_cells(value: Any, text: str) -> None:
    """Scalars as Go prints them, the others as its JSON; asked of the real server."""
    assert shown(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.000012, "0.000012"),
        (1.5e-7, "1.5e-7"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        ("a\u2028&", '"a\\u2028\\u0026"'),
        ({"z": None, "a": [True]}, '{"a":[true],"z":null}'),
    ],
)
def test_json_as_go_writes_it(value: Any, text: str) -> None:
    """Numbers turn to exponents later than in print."""
    assert go_json(value) == text


@given(JSON)
def test_the_json_says_the_same(value: Any) -> None:
    """Whatever the spelling, it reads back as the value; a whole number is written as an integer."""
    assert json.loads(go_json(value), parse_int=float) == json.loads(json.dumps(value), parse_int=float)
