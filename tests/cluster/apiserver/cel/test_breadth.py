from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.cel.breadth import is_too_broad
from konverge.cluster.apiserver.cel.cel_error import CostExceeded
from konverge.cluster.apiserver.cel.library.list_extras import _flatten
from konverge.cluster.apiserver.cel.library.string_format import format_text
from konverge.cluster.apiserver.cel.values import MapValue


def _doubled(times: int) -> Any:
    value: Any = [1]
    for _ in range(times):
        value = MapValue([("a", [value, value])])
    return value


def test_what_stands_twice_counts_twice() -> None:
    """Twenty doublings are too many, ten are not; a hundred are counted as fast."""
    assert [is_too_broad(_doubled(times)) for times in (10, 20, 100)] == [False, True, True]


def test_what_is_too_broad_is_not_written_down() -> None:
    """`format` stops as an expression does that costs too much."""
    with pytest.raises(CostExceeded):
        format_text("%s", [_doubled(60)])


def test_what_is_too_broad_is_not_made_flat() -> None:
    """`flatten` to any depth stops likewise, and makes flat what is narrow."""
    value: Any = [1]
    for _ in range(60):
        value = [value, value]
    with pytest.raises(CostExceeded):
        _flatten(value, 100)
    assert _flatten([[1], [[2]]], 2) == [1, 2]
