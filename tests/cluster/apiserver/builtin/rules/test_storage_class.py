"""Rules of storage classes."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.builtin.rules.storage_class import _topology_errors


def term(**wanted: list[str]) -> dict[str, Any]:
    """Return a term of allowed topologies."""
    return {"matchLabelExpressions": [{"key": key, "values": values} for key, values in wanted.items()]}


@pytest.mark.parametrize(
    ("terms", "count"),
    [
        ([term(zone=["a", "b"]), term(zone=["a"])], 0),
        ([term(zone=["a", "b"]), term(zone=["b", "a"])], 1),
        ([term(zone=["a", "b"]), term(zone=["b", "a", "b"])], 2),  # and a value that stands twice
        ([term(a=["1"], b=["2"]), term(b=["2"], a=["1"]), term(a=["1"], b=["2"])], 3),
        ([{}, {}], 5),  # each is compared with two empty ones more, as in the real server
    ],
)
def test_equal_terms(terms: list[dict[str, Any]], count: int) -> None:
    """Each is told as often as there are equal ones before it, in whatever order they are written."""
    assert len(_topology_errors({"allowedTopologies": terms})) == count


def test_many_equal_terms() -> None:
    """Some thousand empty ones would be told millions of times."""
    assert len(_topology_errors({"allowedTopologies": [{}] * 5000})) < 20_000
