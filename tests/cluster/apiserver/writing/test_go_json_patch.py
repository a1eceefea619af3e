"""JSON patches where the real server's library goes its own way."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.api.invalid import InvalidPatch
from konverge.cluster.apiserver.writing.go_json_patch import apply


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"op": "add", "path": "/b"}, {"a": [1, 2], "b": None}),
        ({"op": "add", "path": "/a/-1", "value": 3}, {"a": [1, 2, 3]}),
        ({"op": "add", "path": "/a/01", "value": 3}, {"a": [1, 3, 2]}),
        ({"op": "add", "path": "passed over/b", "value": 3}, {"a": [1, 2], "b": 3}),
        ({"op": "replace", "path": "/b", "value": 3}, {"a": [1, 2], "b": 3}),
        ({"op": "replace", "path": "", "value": {"c": 1}}, {"c": 1}),
        ({"op": "remove", "path": "/a/-2"}, {"a": [2]}),
        ({"op": "copy", "from": "/none", "path": "/b"}, {"a": [1, 2], "b": None}),
        ({"op": "test", "path": "/none", "value": None}, {"a": [1, 2]}),
        ({"op": "test", "path": "", "value": {"a": [1, 2]}}, {"a": [1, 2]}),
    ],
)
def test_what_the_standard_does_not_say(operation: dict[str, Any], expected: dict[str, Any]) -> None:
    """Missing values are nulls, absent keys can be named, indices may count from the end."""
    assert apply({"a": [1, 2]}, [operation]) == expected


@pytest.mark.parametrize(
    "operation",
    [
        None,
        {"op": "Add", "path": "/b", "value": 1},
        {"op": "add", "path": "", "value": {}},
        {"op": "add", "path": "/none/b", "value": 1},
        {"op": "add", "path": "/a/9", "value": 1},
        {"op": "add", "path": "/a/x", "value": 1},
        {"op": "add", "value": 1},
        {"op": "remove", "path": "/none"},
        {"op": "remove", "path": "/a/2"},
        {"op": "replace", "path": "/a/2", "value": 1},
        {"op": "replace", "path": "", "value": 1},
        {"op": "move", "from": "/none", "path": "/b"},
        {"op": "test", "path": "/a"},
        {"op": "test", "path": "/none", "value": 1},
    ],
)
def test_what_is_refused(operation: dict[str, Any] | None) -> None:
    """A patch that does not fit changes nothing that anyone sees."""
    with pytest.raises(InvalidPatch):
        apply({"a": [1, 2]}, [operation])


def test_copies_of_copies_are_bounded() -> None:
    """Each doubles what it copies: forty lines would fill any memory."""
    first = {"op": "add", "path": "/b", "value": {"c": "x" * 1000}}
    copies = [{"op": "copy", "from": "/b", "path": f"/b/{number}"} for number in range(40)]
    with pytest.raises(InvalidPatch):
        apply({"a": 1}, [first, *copies])


def test_an_index_of_many_digits_is_none() -> None:
    """Python itself refuses to read it, with another error."""
    with pytest.raises(InvalidPatch):
        apply({"a": [1, 2]}, [{"op": "add", "path": "/a/" + "9" * 10_000, "value": 1}])
