from __future__ import annotations

from konverge.cluster.apiserver.cel.correlation import FREE, Correlation, MapList, Ratchet

KEYED = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}},
}


def test_elements_belong_together_by_their_keys() -> None:
    """Wherever they stand in the list."""
    old = [{"k": "a", "v": 1}, {"k": "b", "v": 2}]
    assert MapList(KEYED, old).get({"k": "b", "v": 9}) == {"k": "b", "v": 2}
    assert MapList(KEYED, old).get({"k": "c"}) is None
    assert MapList({"type": "array", "items": {}}, old).get({"k": "b"}) is None


def test_an_order_that_changed_is_no_change() -> None:
    """A list of type map is the same in any order; another list is not."""
    new, old = [{"k": "a"}, {"k": "b"}], [{"k": "b"}, {"k": "a"}]
    assert Correlation(KEYED, new, old).is_same()
    assert not Correlation({"type": "array", "items": {"type": "object"}}, new, old).is_same()


def test_one_is_not_true() -> None:
    """Values that Python takes for equal are not the same JSON."""
    assert not Correlation({}, 1, True).is_same()
    assert not Correlation({}, 1, 1.0).is_same()


def test_what_has_no_old_value_follows_what_it_is_in() -> None:
    """An element of a plain list is unchanged where the whole list is."""
    schema = {"type": "object", "properties": {"l": {"type": "array", "items": {"type": "integer"}}}}
    unchanged = Ratchet(Correlation(schema, {"l": [1, 2], "x": 1}, {"l": [1, 2]})).key("l").index(0)
    changed = Ratchet(Correlation(schema, {"l": [1, 2]}, {"l": [1, 3]})).key("l").index(0)
    assert unchanged.holds()
    assert not changed.holds()


def test_version_and_kind_are_never_unchanged() -> None:
    """They come from the request, not from the stored object."""
    schema = {"type": "object", "properties": {"kind": {"type": "string"}}}
    assert Ratchet(Correlation(schema, {"kind": "X"}, {"kind": "X"})).key("kind") is FREE
