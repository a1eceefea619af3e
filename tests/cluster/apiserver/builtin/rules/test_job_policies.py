"""Indexes of jobs, written as numbers and ranges."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.builtin.rules.job_policies import index_count


@pytest.mark.parametrize(("text", "count"), [("", 0), ("0", 1), ("0,2-4", 4), ("1,3,5-6", 4)])
def test_indexes_are_counted(text: str, count: int) -> None:
    """Each number counts one, each range all that it spans."""
    assert index_count(text, 10) == (count, "")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x", 'cannot convert string to integer for index: "x"'),
        ("10", 'too large index: "10"'),
        ("2,1", "non-increasing order, previous: 2, current: 1"),
        ("3-3", "non-increasing order, previous: 3, current: 3"),
    ],
)
def test_indexes_that_are_wrong(text: str, fault: str) -> None:
    """Indexes grow, and stay below the number of completions."""
    assert index_count(text, 10) == (0, fault)
