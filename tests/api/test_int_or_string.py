from __future__ import annotations

from typing import Any

import pytest

from konverge.api.int_or_string import scaled_value


@pytest.mark.parametrize(
    ("value", "total", "down", "up"),
    [
        (5, 10, 5, 5),
        (0, 10, 0, 0),
        (-1, 10, -1, -1),
        ("25%", 10, 2, 3),
        ("50%", 10, 5, 5),
        ("0%", 10, 0, 0),
        ("100%", 7, 7, 7),
        ("150%", 3, 4, 5),
        ("1%", 1, 0, 1),
        ("-25%", 10, -3, -2),
        ("+25%", 10, 2, 3),
    ],
)
def test_percentages_are_shares_of_the_total(value: int | str, total: int, down: int, up: int) -> None:
    """Numbers stand for themselves; shares round as they are asked to."""
    assert scaled_value(value, total, round_up=False) == down
    assert scaled_value(value, total, round_up=True) == up


@pytest.mark.parametrize("value", ["", "5", "%", "5.5%", "5%%", " 5%", "5 %", "abc%", "5%\n", True, None, 1.5])
def test_anything_else_is_refused(value: Any) -> None:
    """A text needs its percent sign, and a bool is no number."""
    with pytest.raises(ValueError, match="neither a whole number nor a percentage"):
        scaled_value(value, 10, round_up=True)
