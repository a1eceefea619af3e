from __future__ import annotations

from konverge.api.item_match import match_items
from konverge.api.markers import ListMap
from konverge.api.model import Model


class Item(Model):
    """An item with a key and a value."""

    name: str | None = None
    value: int | None = None


def places(old: list[Item], new: list[Item], *, keys: ListMap | None = None) -> list[int | None]:
    """Match two lists of which the new one may hold items of the old."""
    known = {id(item): place for place, item in enumerate(old)}
    return match_items(old, new, keys=keys, place_of=lambda item: known.get(id(item)), plain=False)


def test_keys_then_items_then_looks() -> None:
    """Each way places what the one before it has left, and no old item is placed by two of them."""
    old = [Item(name="a", value=1), Item(name="b", value=2), Item(value=3), Item(value=4)]
    new = [Item(value=4), Item(name="b", value=9), old[0], Item(value=5)]
    assert places(old, new, keys=ListMap("name")) == [3, 1, 0, None]


def test_an_item_whose_place_is_taken_by_key_is_new() -> None:
    """The key says that another item is the old one."""
    old = [Item(name="a")]
    first = old[0]
    renamed = [Item(name="a"), first]
    first.value = 1
    assert places(old, renamed, keys=ListMap("value", "name")) == [None, 0]
    first.name = "b"
    assert places([Item(name="a")], [Item(name="a"), first], keys=ListMap("name")) == [0, None]


def test_a_key_that_the_class_does_not_have() -> None:
    """The marker helps nothing then, and harms nothing."""
    old = [Item(name="a"), Item(name="b")]
    assert places(old, [Item(name="b")], keys=ListMap("uid")) == [1]


def test_looks_must_be_unique_on_both_sides() -> None:
    """Two that look alike, old or new, are not guessed."""
    assert places([Item(value=1), Item(value=1)], [Item(value=1)]) == [None]
    assert places([Item(value=1)], [Item(value=1), Item(value=1)]) == [None, None]


def test_plain_values_are_paired() -> None:
    """Equal ones first, the rest in order: they have no unknown fields that could end up with the wrong one."""
    found = match_items(
        [1.0, {"a": 1}, "x"], ["x", {"a": 2}, 1.0, 5], keys=None, place_of=lambda _item: None, plain=True
    )
    assert found == [2, 1, 0, None]
