from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.api.json_value import json_equal
from konverge.api.merge_patch import apply, create

scalars = st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0]) | st.text("ab", max_size=2)


def _documents(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=3),
        max_leaves=20,
    )


documents, with_nulls = _documents(scalars), _documents(scalars | st.none())


@pytest.mark.parametrize(
    ("document", "patch", "expected"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_the_examples_of_the_rfc(document: Any, patch: Any, expected: Any) -> None:
    """All of appendix A, and both arguments stay as they are."""
    before = copy.deepcopy((document, patch))
    assert apply(document, patch) == expected
    assert (document, patch) == before


def test_the_result_is_not_entangled_with_its_sources() -> None:
    """Changing the result changes neither document nor patch."""
    document: dict[str, Any] = {"a": {"b": []}}
    patch: dict[str, Any] = {"c": [{}], "d": {"e": []}}
    result = apply(document, patch)
    result["a"]["b"].append(1)
    result["c"][0]["x"] = 1
    result["d"]["e"].append(1)
    assert (document, patch) == ({"a": {"b": []}}, {"c": [{}], "d": {"e": []}})


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 1.0}, {}),
        ({"a": 1}, {"a": True}, {"a": True}),
        ({"a": 1, "b": {"c": 1, "d": 2}}, {"b": {"c": 1}}, {"a": None, "b": {"d": None}}),
        ({"a": None}, {"a": None, "b": 1}, {"b": 1}),
        ({"a": 1}, {"a": [None]}, {"a": [None]}),
        ({"a": 1}, {"a": {}}, {"a": {}}),
        (5, 5, 5),
    ],
)
def test_created_patches_are_small(before: Any, after: Any, expected: Any) -> None:
    """Only what changed is in the patch."""
    assert create(before, after) == expected


def test_a_null_that_cannot_be_set_is_refused() -> None:
    """Null means remove, so the field is named and the other patch recommended."""
    with pytest.raises(ValueError, match=r"cannot set /a~1b/c to null.*use a JSON patch"):
        create({"a/b": {}}, {"a/b": {"c": None}})


@given(documents, documents)
def test_created_patches_are_right(before: Any, after: Any) -> None:
    """Any document without nulls can be reached from any other."""
    assert json_equal(apply(before, create(before, after)), after)


@given(with_nulls, with_nulls)
def test_created_patches_are_right_or_refused(before: Any, after: Any) -> None:
    """A null is set right, or not at all."""
    try:
        patch = create(before, after)
    except ValueError:
        return
    assert json_equal(apply(before, patch), after)
