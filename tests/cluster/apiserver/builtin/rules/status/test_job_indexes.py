"""Texts of indexes: intervals in rising order, and two texts that share none."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.builtin.rules.status.job_indexes import indexes_fault, overlap_fault


@pytest.mark.parametrize("text", ["", "0", "0,2", "0-1,3-5,9", "+1"])
def test_intervals_in_order_are_good(text: str) -> None:
    """Single indexes and intervals, each above the one before."""
    assert indexes_fault(text, 10) == ""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1-2-3", "at most two parts"),
        ("x", 'cannot convert string to integer for index: "x"'),
        ("10", 'too large index: "10"'),
        ("3-2", "non-increasing order, previous: 3, current: 2"),
        ("1-4,4", "non-increasing order, previous: 4, current: 4"),
        ("9" * 5000, "cannot convert"),
    ],
)
def test_the_first_fault_is_told(text: str, fault: str) -> None:
    """What stands there is quoted."""
    assert fault in indexes_fault(text, 10)


def test_the_lowest_common_index_is_told() -> None:
    """Parts that cannot be read are passed over: their own fault is told elsewhere."""
    assert overlap_fault("0,2,x,5-7", "1,y,7-8", 10).endswith("overlap at index: 7")
    assert overlap_fault("0,2", "1,3", 10) == ""


def test_long_texts_take_no_time() -> None:
    """Ten thousand intervals on each side are compared once."""
    done, failed = (",".join(map(str, range(start, 20_000, 2))) for start in (0, 1))
    assert overlap_fault(done, failed, 20_000) == ""
