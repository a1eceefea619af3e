from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.api.json_patch import PatchTestFailed, apply, create
from konverge.api.json_value import json_equal

scalars = (
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, 1.5]) | st.text("a/~-0", max_size=3)
)
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text("a/~-0", max_size=2), inner, max_size=4),
    max_leaves=25,
)


@pytest.mark.parametrize(
    ("document", "patch", "expected"),
    [
        ({"a": 1}, [{"op": "add", "path": "/b", "value": 2}], {"a": 1, "b": 2}),
        ({"a": 1}, [{"op": "add", "path": "/a", "value": 2}], {"a": 2}),
        ({"a": [1, 3]}, [{"op": "add", "path": "/a/1", "value": 2}], {"a": [1, 2, 3]}),
        ({"a": [1]}, [{"op": "add", "path": "/a/1", "value": 2}], {"a": [1, 2]}),
        ({"a": [1]}, [{"op": "add", "path": "/a/-", "value": 2}], {"a": [1, 2]}),
        ({"a": 1}, [{"op": "add", "path": "", "value": [1]}], [1]),
        ({"a": 1}, [{"op": "add", "path": "/b", "value": None}], {"a": 1, "b": None}),
        ({"a": 1, "b": 2}, [{"op": "remove", "path": "/a"}], {"b": 2}),
        ([1, 2, 3], [{"op": "remove", "path": "/1"}], [1, 3]),
        ({"a": 1}, [{"op": "replace", "path": "/a", "value": {"b": []}}], {"a": {"b": []}}),
        ({"a": 1}, [{"op": "replace", "path": "", "value": 5}], 5),
        ({"a": {"b": 1}}, [{"op": "move", "from": "/a/b", "path": "/c"}], {"a": {}, "c": 1}),
        ([1, 2, 3], [{"op": "move", "from": "/0", "path": "/2"}], [2, 3, 1]),
        ({"a": 1}, [{"op": "move", "from": "/a", "path": "/a"}], {"a": 1}),
        ({"a": {"b": 1}}, [{"op": "copy", "from": "/a", "path": "/a/c"}], {"a": {"b": 1, "c": {"b": 1}}}),
        ({"a/b": 1, "m~n": 2}, [{"op": "test", "path": "/a~1b", "value": 1.0}], {"a/b": 1, "m~n": 2}),
        ({"m~n": 2, "~1": 3}, [{"op": "remove", "path": "/m~0n"}, {"op": "remove", "path": "/~01"}], {}),
        ({"": 1}, [{"op": "remove", "path": "/"}], {}),
        ({"a": 1}, [{"op": "test", "path": "/a", "value": 1, "comment": "ignored"}], {"a": 1}),
    ],
)
def test_operations(document: Any, patch: list[dict[str, Any]], expected: Any) -> None:
    """Each operation does what the RFC says, and both arguments stay as they are."""
    before = copy.deepcopy((document, patch))
    assert json_equal(apply(document, patch), expected)
    assert (document, patch) == before


@pytest.mark.parametrize(
    ("document", "operation", "message"),
    [
        ({}, {"op": "remove", "path": "/a"}, r"operation 1 \(remove '/a'\): there is no 'a'"),
        ({}, {"op": "replace", "path": "/a", "value": 1}, "there is no 'a'"),
        ({}, {"op": "add", "path": "/a/b", "value": 1}, "there is no 'a'"),
        ({"a": 1}, {"op": "add", "path": "/a/b", "value": 1}, "'b' cannot be added to a number"),
        ({"a": 1}, {"op": "remove", "path": "/a/b"}, "'b' is looked for in a number"),
        ([1], {"op": "add", "path": "/2", "value": 1}, "'2' is not an index of a list that ends at 1"),
        ([1], {"op": "remove", "path": "/1"}, "'1' is not an index of a list that ends at 0"),
        ([1], {"op": "remove", "path": "/-"}, "'-' is not an index"),
        ([1], {"op": "remove", "path": "/00"}, "'00' is not an index"),
        ([1], {"op": "remove", "path": "/-1"}, "'-1' is not an index"),
        ([1], {"op": "remove", "path": "/" + "9" * 5000}, "is not an index"),
        ({"a": 1}, {"op": "remove", "path": ""}, "the whole document cannot be removed"),
        ({"a": {}}, {"op": "move", "from": "/a", "path": "/a/b"}, "cannot be moved into itself"),
        ({"a": 1}, {"op": "test", "path": "/a", "value": True}, "not the one expected"),
        ({"a": 1}, {"op": "test", "path": "/b", "value": 1}, "there is no 'b'"),
        ({}, {"op": "add", "path": "/a"}, "`value` is missing"),
        ({}, {"op": "add", "path": "a", "value": 1}, "must be empty or start with '/'"),
        ({}, {"op": "add", "path": "/~2", "value": 1}, "neither ~0 nor ~1"),
        ({}, {"op": "add", "value": 1}, "`path` must be a JSON pointer"),
        ({}, {"op": "copy", "path": "/a"}, "`from` must be a JSON pointer"),
        ({}, {"op": "set", "path": "/a", "value": 1}, "`op` must be one of add, remove, replace, move, copy, test"),
        ({}, {"path": "/a"}, r"operation 1 \(\? '/a'\): `op` must be one of"),
        ({}, 5, "an operation is an object, not a number"),
    ],
)
def test_errors_name_the_operation(document: Any, operation: Any, message: str) -> None:
    """The index and the path say where to look."""
    before = copy.deepcopy(document)
    with pytest.raises(ValueError, match=r"^JSON patch, operation 1 \(") as error:
        apply(document, [{"op": "test", "path": "", "value": document}, operation])
    assert error.match(message)
    assert document == before


def test_a_failed_test_has_its_own_type_and_tells_no_value() -> None:
    """The caller can tell a stale document from a bad patch, and secrets stay out of the message."""
    with pytest.raises(PatchTestFailed) as error:
        apply({"data": "hunter2"}, [{"op": "test", "path": "/data", "value": "swordfish"}])
    assert "hunter2" not in str(error.value)
    assert "swordfish" not in str(error.value)


def test_a_patch_is_not_entangled_with_its_result() -> None:
    """A value that was added can be patched again without changing the patch."""
    patch: list[dict[str, Any]] = [{"op": "add", "path": "/a", "value": {}}, {"op": "add", "path": "/a/b", "value": 1}]
    assert apply({}, patch) == {"a": {"b": 1}}
    assert patch[0]["value"] == {}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, [{"op": "replace", "path": "/a", "value": True}]),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, [{"op": "remove", "path": "/a/c"}]),
        ([1, 2, 3, 4], [1, 3, 4], [{"op": "remove", "path": "/1"}]),
        ([1, 3], [1, 2, 3], [{"op": "add", "path": "/1", "value": 2}]),
        ([{"a": 1}, {"a": 2}], [{"a": 1}, {"a": 3}], [{"op": "replace", "path": "/1/a", "value": 3}]),
        ({}, {"a/b~": None}, [{"op": "add", "path": "/a~1b~0", "value": None}]),
        (1, {}, [{"op": "replace", "path": "", "value": {}}]),
    ],
)
def test_created_patches_are_small(before: Any, after: Any, expected: list[dict[str, Any]]) -> None:
    """An edit is one operation at its place."""
    assert create(before, after) == expected


@given(documents, documents)
def test_created_patches_are_right(before: Any, after: Any) -> None:
    """Any document can be turned into any other, to the last boolean."""
    assert json_equal(apply(before, create(before, after)), after)
    assert create(before, before) == []
