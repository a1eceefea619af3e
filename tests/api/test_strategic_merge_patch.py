from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.api.strategic_merge_patch import PatchField, apply, create

# The fields of a type written for the purpose, with every strategy there is.
ITEM: dict[str, PatchField] = {"strs": PatchField(("merge",))}
ITEM["sub"] = PatchField(("merge",), "name", ITEM)  # an item can contain items
INNER = {"strs": PatchField(("merge",)), "items": PatchField(("merge",), "name", ITEM)}
SCHEMA = {
    "items": PatchField(("merge",), "name", ITEM),
    "vols": PatchField(("merge", "retainKeys"), "name", ITEM),
    "strs": PatchField(("merge",)),
    "atomicItems": PatchField(schema=ITEM),
    "obj": PatchField(schema=INNER),
    "rep": PatchField(("replace",), schema=INNER),
    "ret": PatchField(("retainKeys",), schema=INNER),
}
# What k8s.io/apimachinery v0.36.3 makes of each document and patch by that schema; null where it refuses the patch.
GOLDEN = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "strategic_merge_patches.jsonl").read_text("utf-8").splitlines()
]

words = st.sampled_from("abcde")
sets = st.lists(words, max_size=4, unique=True)
maps = st.dictionaries(words, words, max_size=3)


def _items(sub: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    optional = {"value": words, "strs": sets, "tags": st.lists(words, max_size=3), "map": maps, "sub": sub}
    item = st.fixed_dictionaries({"name": st.sampled_from("pqrs")}, optional=optional)
    return st.lists(item, max_size=4, unique_by=lambda found: found["name"])


items = _items(_items(st.just([])))
inners = st.fixed_dictionaries({}, optional={"a": words, "b": words, "strs": sets, "items": items})
documents = st.fixed_dictionaries(
    {},
    optional={
        "items": items,
        "vols": items,
        "strs": sets,
        "atomicItems": items,
        "obj": inners,
        "rep": inners,
        "ret": inners,
        "map": maps,
        "a": words | st.integers(0, 2) | st.booleans(),
    },
)


@pytest.mark.parametrize("case", GOLDEN, ids=range(len(GOLDEN)))
def test_applies_as_the_server_does(case: dict[str, Any]) -> None:
    """Results are those of the real library, which refuses the same patches; the arguments stay as they are."""
    before = copy.deepcopy(case)
    if case["result"] is None:
        with pytest.raises(ValueError, match="strategic merge patch: "):
            apply(case["document"], case["patch"], SCHEMA)
    else:
        assert apply(case["document"], case["patch"], SCHEMA) == case["result"]
    assert case == before


@given(documents, documents)
def test_created_patches_are_right(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Any document can be turned into any other, in the order it has, and no change is no patch."""
    assert apply(before, create(before, after, SCHEMA), SCHEMA) == after
    assert create(before, before, SCHEMA) == {}


def test_a_patch_names_items_by_their_key() -> None:
    """One changed, one gone and one new item; the order is told."""
    before = {"items": [{"name": "a", "value": "1", "tags": ["x"]}, {"name": "b"}]}
    after = {"items": [{"name": "c"}, {"name": "a", "value": "2", "tags": ["x"]}]}
    assert create(before, after, SCHEMA) == {
        "items": [{"name": "c"}, {"name": "a", "value": "2"}, {"name": "b", "$patch": "delete"}],
        "$setElementOrder/items": [{"name": "c"}, {"name": "a"}],
    }


def test_a_patch_of_plain_values_names_the_difference() -> None:
    """Added and removed values, and the order."""
    assert create({"strs": ["a", "b"]}, {"strs": ["c", "a"]}, SCHEMA) == {
        "strs": ["c"],
        "$deleteFromPrimitiveList/strs": ["b"],
        "$setElementOrder/strs": ["c", "a"],
    }


def test_a_patch_keeps_what_others_added() -> None:
    """Items and values that the patch does not know stay, as near to their place as they can."""
    patch = create({"items": [{"name": "a"}]}, {"items": [{"name": "a", "value": "1"}]}, SCHEMA)
    live = {"items": [{"name": "z"}, {"name": "a", "other": "kept"}, {"name": "y"}]}
    assert apply(live, patch, SCHEMA) == {
        "items": [{"name": "z"}, {"name": "a", "other": "kept", "value": "1"}, {"name": "y"}]
    }


def test_retained_keys_clear_a_union() -> None:
    """The keys of an object with this strategy are told, so that a field set by a default goes away."""
    before, after = {"ret": {"a": "1"}}, {"ret": {"b": "2"}}
    patch = create(before, after, SCHEMA)
    assert patch == {"ret": {"a": None, "b": "2", "$retainKeys": ["b"]}}
    assert apply({"ret": {"a": "1", "c": "3"}}, patch, SCHEMA) == after


def test_a_repeated_merge_key_replaces_the_list() -> None:
    """Two ports 53, one UDP and one TCP, must not be melted into one."""
    before = {"items": [{"name": "53", "value": "UDP"}, {"name": "53", "value": "TCP"}]}
    after = {"items": [{"name": "53", "value": "UDP"}, {"name": "53", "value": "SCTP"}]}
    patch = create(before, after, SCHEMA)
    assert patch == {"items": [*after["items"], {"$patch": "replace"}]}
    assert apply(before, patch, SCHEMA) == after


@pytest.mark.parametrize(
    ("document", "patch", "message"),
    [
        ({"obj": {}}, {"obj": {"$patch": "merge"}}, "replace or delete, not 'merge'"),
        ({"items": [{"name": "a"}]}, {"items": [{"name": "a", "$patch": "merge"}]}, "replace or delete, not 'merge'"),
        ({"items": [{"name": "a"}]}, {"items": [{"value": "a"}]}, "an item has no 'name'"),
        ({"items": [{"name": "a"}]}, {"items": ["a"]}, "must be of one type"),
        ({"strs": ["a"]}, {"strs": [["a"]]}, "must be of one type"),
        ({"strs": [["a"]]}, {"strs": [["a"]]}, "cannot have lists"),
        ({"strs": ["a"]}, {"$deleteFromPrimitiveList": ["a"]}, r"write \$deleteFromPrimitiveList/<list>"),
        ({"strs": ["a"]}, {"$setElementOrder/strs": "a"}, "must be a list, not a string"),
        ({"strs": ["a"]}, {"$setElementOrder/strs": ["a"], "strs": ["b"]}, "not in the order"),
        ({"ret": {}}, {"ret": {"$retainKeys": "a"}}, "is a list, not a string"),
        ({"ret": {}}, {"ret": {"$retainKeys": ["a"], "b": "1"}}, "'b' is set and not among"),
        ({}, [], "are objects, not a list"),
    ],
)
def test_bad_patches_are_refused(document: Any, patch: Any, message: str) -> None:
    """The message names the directive or the field, never a value."""
    with pytest.raises(ValueError, match=r"^strategic merge patch: ") as error:
        apply(document, patch, SCHEMA)
    assert error.match(message)


def test_a_schema_without_a_merge_key_is_refused() -> None:
    """A list of objects cannot be merged without one."""
    schema = {"items": PatchField(("merge",))}
    with pytest.raises(ValueError, match="names no merge key"):
        apply({"items": [{"a": 1}]}, {"items": [{"a": 2}]}, schema)
    with pytest.raises(ValueError, match="names no merge key"):
        create({"items": [{"a": 1}]}, {"items": [{"a": 2}]}, schema)


def test_unknown_fields_merge_as_a_merge_patch_does() -> None:
    """Objects merge, lists are replaced, null removes."""
    document = {"x": {"a": 1, "b": {"c": 1}}, "y": [1, 2]}
    assert apply(document, {"x": {"a": None, "b": {"d": 2}}, "y": [3]}, {}) == {"x": {"b": {"c": 1, "d": 2}}, "y": [3]}
