"""Which item of a changed list is which item of the list as it was read.

In this order, and each old item once: by the list's map keys; by being the very Python item that was decoded; by
looking like exactly one old item that is left; and by keys again among what is left, where a key stood twice before.
Never by position: that would hand one item's unknown fields to another. Plain JSON has no unknown fields, so what is
left of it is paired in order, which only saves the spelling of numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from konverge.api.markers import ListMap
from konverge.api.model import Model, attribute_of, encode

Places = list[int | None]
"""For each item of the new list, the index of the old item that it is."""
Text = Callable[[Any], bytes | None]
"""What an item is compared by; None for nothing."""


def match_items(
    old: list[Any], new: list[Any], *, keys: ListMap | None, place_of: Callable[[Any], int | None], plain: bool
) -> Places:
    """Match two lists; `place_of` knows the decoded Python items, and `plain` says that they hold no models."""
    places: Places = [None] * len(new)
    if plain:
        _claim(places, old, new, text=encode, many=True)
        return _in_order(places, len(old))
    by_key = None if keys is None else _key_reader(keys)
    if by_key is not None:
        _claim(places, old, new, text=by_key)
    _by_identity(places, new, place_of)
    _claim(places, old, new, text=encode)
    if by_key is not None:
        _claim(places, old, new, text=by_key)
    return places


def _key_reader(keys: ListMap) -> Text:
    defaults = dict(keys.defaults)

    def read(item: Any) -> bytes | None:
        if not isinstance(item, Model):
            return None
        try:
            values = [getattr(item, attribute_of(type(item), key)) for key in keys.keys]
        except KeyError:
            return None  # the marker names a key that the class does not have
        if all(value is None for value in values):
            return None  # an item without any key is told apart by nothing
        return encode(
            [defaults.get(key) if value is None else value for key, value in zip(keys.keys, values, strict=True)]
        )

    return read


def _by_identity(places: Places, new: list[Any], place_of: Callable[[Any], int | None]) -> None:
    """Place items that are the decoded ones; the same one put in twice is itself both times."""
    keyed = {place for place in places if place is not None}
    for index, item in enumerate(new):
        if places[index] is None:
            place = place_of(item)
            places[index] = None if place in keyed else place


def _claim(places: Places, old: list[Any], new: list[Any], *, text: Text, many: bool = False) -> None:
    """Place each new item whose text is that of one old item, if both are alone with it, or `many` says never mind."""
    taken = {place for place in places if place is not None}
    free = _grouped(old, [place for place in range(len(old)) if place not in taken], text)
    if not free:
        return
    asking = _grouped(new, [index for index, place in enumerate(places) if place is None], text)
    for shared, indexes in asking.items():
        candidates = free.get(shared, [])
        if many or len(indexes) == len(candidates) == 1:
            for index, place in zip(indexes, candidates, strict=False):
                places[index] = place


def _grouped(items: list[Any], indexes: list[int], text: Text) -> dict[bytes, list[int]]:
    groups: dict[bytes, list[int]] = {}
    for index in indexes:
        shared = text(items[index])
        if shared is not None:
            groups.setdefault(shared, []).append(index)
    return groups


def _in_order(places: Places, count: int) -> Places:
    taken = {place for place in places if place is not None}
    free = iter([place for place in range(count) if place not in taken])
    return [next(free, None) if place is None else place for place in places]
