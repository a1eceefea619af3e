"""Values in the form in which Go prints them; the expectations were printed by Go."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.field_error import invalid
from konverge.cluster.apiserver.schema.go_value import go_float, go_json, told


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (100000.0, "100000"),
        (999999.0, "999999"),
        (1000000.0, "1e+06"),
        (1234567.0, "1.234567e+06"),
        (1e20, "1e+20"),
        (1e21, "1e+21"),
        (3000000001.0, "3.000000001e+09"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (21.0, "21"),
        (-1.5, "-1.5"),
        (0.0, "0"),
    ],
)
def test_numbers_are_printed_as_by_percent_v(value: float, text: str) -> None:
    """An exponent below 1e-4 and from 1e6 on, of two digits at least."""
    assert go_float(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 2.0, "a": [1, None, True]}, '{"a":[1,null,true],"b":2}'),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        ("<a&b>", '"\\u003ca\\u0026b\\u003e"'),
        (-0.0, "-0"),
    ],
)
def test_json_is_written_as_by_gos_encoder(value: Any, text: str) -> None:
    """Keys are sorted, whole floats have no point, and three characters are escaped."""
    assert go_json(value) == text


def test_a_cause_shows_values_as_go_does() -> None:
    """What looks the same in both is left as it is."""
    assert invalid("a", told({"x": 2.0}), "").body() == 'Invalid value: {"x":2}'
    assert invalid("a", told(1e6), "").body() == "Invalid value: 1e+06"
    assert told("x") == "x"
    assert told(5) == 5
