from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.api.json_value import json_copy, json_equal, json_kind

scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.text(max_size=2)
values = st.recursive(scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=2), v, max_size=3))


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (False, 0, False),
        (0.0, False, False),
        (None, False, False),
        ([1, {"a": True}], [1.0, {"a": True}], True),
        ([1, {"a": True}], [1, {"a": 1}], False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ([], {}, False),
        ([1], [1, 1], False),
        ("1", 1, False),
    ],
)
def test_equality_is_that_of_json(left: Any, right: Any, *, equal: bool) -> None:
    """Numbers compare by value, and a boolean is never a number."""
    assert json_equal(left, right) is equal
    assert json_equal(right, left) is equal


@given(values)
def test_a_copy_is_equal_and_apart(value: Any) -> None:
    """The copy shares no container with its original."""
    copied = json_copy(value)
    assert json_equal(copied, value)
    assert copied is not value or not isinstance(value, dict | list)


def test_messages_name_the_kind_of_a_value() -> None:
    """The value itself, which may be a secret, stays out."""
    values: list[Any] = [None, {}, [], "s", True, 1, 1.5]
    assert [json_kind(value) for value in values] == [
        "null",
        "an object",
        "a list",
        "a string",
        "a boolean",
        "a number",
        "a number",
    ]
