"""The round trip: what an object was read from plus what its author changed, and nothing lost between.

`remember` keeps the bytes an object was decoded from. `merge` later decodes them once more, compares that with the
object as it is now, and rewrites only the values that differ; every other byte is the server's own. So fields that
the type does not know survive at any depth, and untouched quantities, times and numbers keep their spelling.

A struct is the one at the same attribute, and a dict's value the one at the same key, also where the author put a new
one there: what the type does not know stays. Items of lists are told apart by `item_match`. A decoded item that the
author moved, to another list, to another key or into a struct of his own, takes its unknown fields along.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from operator import is_
from typing import Any

import msgspec
from msgspec import Raw

from konverge.api.item_match import match_items
from konverge.api.model import NULL, Model, decode, encode, implied_of, model_fields
from konverge.api.type_shape import element_of, has_models, items_below, keys_of

_SCALARS = frozenset({str, int, bool, bytes})
_NULL = Raw(b"null")
_RAW_FIELDS: msgspec.json.Decoder[dict[str, Raw]] = msgspec.json.Decoder(dict[str, Raw])
_RAW_ITEMS: msgspec.json.Decoder[list[Raw]] = msgspec.json.Decoder(list[Raw])
_JOIN = msgspec.json.Encoder()  # keeps the order of the fields, unlike `encode`


class Origin(msgspec.Struct, eq=False):
    """The bytes an object was decoded from, and the items that were decoded from them, in the order of the bytes."""

    data: bytes
    items: list[Any]  # kept alive here, so that an id never comes to mean another item
    extracted: bool = False  # not a whole object of the server's: fit to be applied again
    partial: bool = False  # what one manager owns of an object, and so not fit to replace it

    def __deepcopy__(self, memo: dict[int, Any]) -> Origin:
        # The items are copied with the memo of the object's own copy, so that they stay the same Python items.
        return Origin(self.data, [memo.get(id(item), item) for item in self.items], self.extracted, self.partial)

    def __repr__(self) -> str:
        return f"Origin({len(self.data)} bytes)"


def remember(value: Model, data: bytes | Raw) -> Origin:
    """Keep what a value was decoded from; call it before anyone can change the value."""
    return Origin(bytes(data), items_below(value))


def merge(origin: Origin, now: Model) -> bytes:
    """Return the origin with the changes that the author made to the object read from it."""
    before = decode(type(now), origin.data)
    return bytes(Merger.of(origin, before, now).model(Raw(origin.data), before, now))


class Merger:
    """Walks three versions of a value side by side: the bytes, what they decoded to, and what the author made of it.

    Each step returns the very `Raw` it was given where nothing changed below it.
    """

    def __init__(
        self, before_of: dict[int, Any], find_raws: Callable[[], dict[int, Raw]], *, moved: bool = True
    ) -> None:
        self._before_of = before_of  # by the id of an item the author was given: its like in the second decoding
        self._find_raws = find_raws
        # False: every decoded item is where it was, so that what looks alike is the same. Two items may look alike
        # and differ in what their type does not know, so after a move only a walk down to them can tell.
        self._moved = moved
        self._raws: dict[int, Raw] | None = None  # by the id of an item of the second decoding; for moved items only

    @classmethod
    def of(cls, origin: Origin, before: Model, now: Model) -> Merger:
        """Line up the items the author was given with a second decoding of the same bytes, which has the same ones."""
        again = items_below(before)
        # A pickle may come from a program whose class had other attributes: its items cannot be lined up.
        given = origin.items if len(origin.items) == len(again) else []
        pairs = {id(item): like for item, like in zip(given, again, strict=False)}
        return cls(pairs, lambda: _raws_of(Raw(origin.data), before), moved=_has_moved(again, now, pairs))

    def model(self, raw: Raw, before: Model, now: Model) -> Raw:
        """Merge two models of one type: attribute by attribute, keeping what the type does not know."""
        wire = _RAW_FIELDS.decode(raw)
        changed = False
        for info in model_fields(type(now)):
            old, new = getattr(before, info.name, None), getattr(now, info.name)
            if new is old:
                continue
            there = wire.pop(info.encode_name, None) if new is None else wire.get(info.encode_name)
            merged = None if new is None else self._attribute(there, old, new, kind=info.type)
            if merged is not there:
                changed = True
                if merged is not None:
                    wire[info.encode_name] = merged
        return Raw(_JOIN.encode(wire)) if changed else raw

    def _attribute(self, raw: Raw | None, old: Any, new: Any, *, kind: Any) -> Raw | None:
        """Merge an attribute; what was filled in on reading (a default, an empty status) and left alone is not sent."""
        if (raw is None or _is_null(raw)) and old is not None and encode(old) == encode(new):
            return raw
        return self.value(raw, old, new, kind=kind)

    def value(self, raw: Raw | None, old: Any, new: Any, *, kind: Any) -> Raw:
        """Merge any value, by the shape it has before and now."""
        if raw is None or _is_null(raw):
            return raw if raw is not None and (new is None or new is NULL) else self.fresh(new)
        if new is None or new is NULL:
            return _NULL
        # What looks alike is the same, unless it is made of models and items have moved.
        if self._has_stayed(old, new, kind=kind) and _alike(old, new):
            return raw
        return self._changed(raw, old, new, kind=kind)

    def _has_stayed(self, old: Any, new: Any, *, kind: Any) -> bool:
        """Whether every decoded item below a value is where it was; a status made anew leaves the spec as it was."""
        if not self._moved:
            return True
        if not isinstance(old, Model):
            return not has_models(kind)
        return type(new) is type(old) and not _has_moved(items_below(old), new, self._before_of)

    def _changed(self, raw: Raw, old: Any, new: Any, *, kind: Any) -> Raw:
        """Merge a value that has something on both sides, which may differ."""
        if isinstance(new, Model) and (isinstance(old, type(new)) or isinstance(new, type(old))):
            return self.model(raw, old, new)
        if isinstance(new, dict) and isinstance(old, dict):
            return self.mapping(raw, old, new, kind=kind)
        if isinstance(new, (list, tuple)) and isinstance(old, list):
            return self.items(raw, old, list(new), kind=kind)
        return raw if _alike(old, new) else self.fresh(new)

    def mapping(self, raw: Raw, old: dict[str, Any], new: dict[str, Any], *, kind: Any) -> Raw:
        """Merge two dicts by key. A None in a dict is data, and sent as null."""
        wire = _RAW_FIELDS.decode(raw)
        order = [key for key in wire if key in new] + [key for key in new if key not in wire]
        element = element_of(kind)
        merged = {key: self.value(wire.get(key), old.get(key), new[key], kind=element) for key in order}
        same = len(merged) == len(wire) and all(merged.get(key) is value for key, value in wire.items())
        return raw if same else Raw(_JOIN.encode(merged))

    def items(self, raw: Raw, old: list[Any], new: list[Any], *, kind: Any) -> Raw:
        """Merge two lists: each item of the new one goes out on top of the old one that it is, if it is one."""
        wire = _RAW_ITEMS.decode(raw)
        element = element_of(kind)
        own = {id(item): place for place, item in enumerate(old)}
        places = match_items(
            old, new, keys=keys_of(kind), place_of=lambda item: self._place(item, own), plain=not has_models(kind)
        )
        merged = [
            self.value(wire[place], old[place], item, kind=element)
            if place is not None
            else self._stranger(item)
            if self._place(item, own) is not None
            else self.fresh(item)
            for item, place in zip(new, places, strict=True)
        ]
        same = len(merged) == len(wire) and all(new is old for new, old in zip(merged, wire, strict=True))
        return raw if same else Raw(_JOIN.encode(merged))

    def _place(self, item: Any, own: dict[int, int]) -> int | None:
        """The index in the old list of a decoded item."""
        like = self._before_of.get(id(item))
        return None if like is None else own.get(id(like))

    def fresh(self, value: Any) -> Raw:
        """Encode a value that was not there before; a decoded item that was moved here brings its own bytes."""
        like = self._before_of.get(id(value))
        if like is None:
            return self._stranger(value)
        if self._raws is None:
            self._raws = self._find_raws()
        kind = list[Model] if isinstance(value, list) else Any  # its type is not at hand: at least no plain list
        return self.value(self._raws[id(like)], like, value, kind=kind)

    def _stranger(self, value: Any) -> Raw:
        """Encode a value that is no decoded item, though there may be some in it."""
        if isinstance(value, Model):
            return Raw(_JOIN.encode({name: self.fresh(below) for name, below in sent(value)}))
        if isinstance(value, dict):
            return Raw(_JOIN.encode({key: self.fresh(below) for key, below in value.items()}))
        if isinstance(value, (list, tuple)):
            return Raw(_JOIN.encode([self.fresh(below) for below in value]))
        return Raw(encode(value))


def sent(model: Model) -> list[tuple[str, Any]]:
    """Return what of a new model goes on the wire, by wire name: an implied struct not while it is empty."""
    implied = implied_of(type(model))
    values = ((info, getattr(model, info.name)) for info in model_fields(type(model)))
    return [
        (info.encode_name, value)
        for info, value in values
        if value is not None and not (info.name in implied and encode(value) == b"{}")
    ]


def _has_moved(again: list[Any], now: Model, before_of: dict[int, Any]) -> bool:
    """Whether any decoded item is not where it was: `again` are those of the second decoding, in their order."""
    try:
        found = items_below(now)
    except (AttributeError, TypeError):
        return True  # the author put in something that is not of the declared type
    return len(found) != len(again) or not all(map(is_, map(before_of.get, map(id, found)), again))


def _alike(old: Any, new: Any) -> bool:
    """Whether two values would go on the wire alike; Python's own == holds True and 1, and 1 and 1.0, for equal."""
    if type(old) is type(new) and type(old) in _SCALARS:
        return bool(old == new)
    if isinstance(old, datetime) and isinstance(new, datetime):
        return old == new  # one moment, whatever its offset
    return encode(old) == encode(new)


def _is_null(raw: Raw) -> bool:
    return bytes(raw) == b"null"


def _raws_of(raw: Raw, value: Model) -> dict[int, Raw]:
    """Return the bytes of every item below a decoded value, by the item's id."""
    found: dict[int, Raw] = {}
    _collect(raw, value, found)
    return found


def _collect(raw: Raw, value: Any, found: dict[int, Raw]) -> None:
    if isinstance(value, Model):
        wire = _RAW_FIELDS.decode(raw)
        for info in model_fields(type(value)):
            below = wire.get(info.encode_name)
            if below is not None and not _is_null(below):
                _collect(below, getattr(value, info.name), found)
    elif isinstance(value, list):
        for below, item in zip(_RAW_ITEMS.decode(raw), value, strict=True):
            found[id(item)] = below
            _collect(below, item, found)
    elif isinstance(value, dict):
        wire = _RAW_FIELDS.decode(raw)
        for key, item in value.items():
            found[id(item)] = wire[str(key)]
            _collect(wire[str(key)], item, found)
