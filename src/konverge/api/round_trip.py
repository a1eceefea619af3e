"""The round trip: what an object was read from plus what its author changed, and nothing lost between.

`remember` keeps the bytes an object was decoded from. `merge` later decodes them once more, compares that with the
object as it is now, and rewrites only the values that differ; every other byte is the server's own. So fields that
the type does not know survive at any depth, and untouched quantities, times and numbers keep their spelling.

Items of a list are told apart by their map keys; where the list has none, by being the same Python item that was
decoded (copies of the object keep this); an item that equals exactly one other unchanged item counts as that one.
Never by position: that would hand one item's unknown fields to another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
from msgspec import Raw

from konverge.api.markers import ListMap
from konverge.api.model import NULL, Model, attribute_of, decode, encode, model_fields

_NULL = Raw(b"null")
_RAW_FIELDS: msgspec.json.Decoder[dict[str, Raw]] = msgspec.json.Decoder(dict[str, Raw])
_RAW_ITEMS: msgspec.json.Decoder[list[Raw]] = msgspec.json.Decoder(list[Raw])


class Origin:
    """The bytes an object was decoded from, and the items of its keyless lists in the order they had there."""

    __slots__ = ("data", "extracted", "items")

    def __init__(self, data: bytes, items: tuple[tuple[Any, ...], ...], *, extracted: bool = False) -> None:
        self.data = data
        self.items = items
        self.extracted = extracted  # what one manager owns, not the whole object: fit to be applied again

    def __deepcopy__(self, memo: dict[int, Any]) -> Origin:
        # The items are copied with the memo of the object's own copy, so that they stay the same Python items.
        items = tuple(tuple(memo.get(id(item), item) for item in items) for items in self.items)
        return Origin(self.data, items, extracted=self.extracted)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.data, self.items, self.extracted)

    def __repr__(self) -> str:
        return f"Origin({len(self.data)} bytes)"


def _rebuild(data: bytes, items: tuple[tuple[Any, ...], ...], extracted: bool) -> Origin:  # noqa: FBT001 - pickle
    return Origin(data, items, extracted=extracted)


def remember(value: Model, data: bytes | Raw) -> Origin:
    """Keep what a value was decoded from; call it before anyone can change the value."""
    found = tuple(map(tuple, _keyless_lists(value)))
    return Origin(bytes(data), found)


def merge(origin: Origin, now: Model) -> bytes:
    """Return the origin with the changes that the author made to the object read from it."""
    before = decode(type(now), origin.data)
    return Merger.of(origin, before).model(Raw(origin.data), before, now)


class Merger:
    """Walks three versions of a value side by side: the bytes, what they decoded to, and what the author made of it."""

    def __init__(self, items_of: dict[int, tuple[Any, ...]]) -> None:
        # Keyed by the id of a list in `before`: the items the author was given in its place.
        self._items_of = items_of

    @classmethod
    def of(cls, origin: Origin, before: Model) -> Merger:
        """Line up the remembered items with a second decoding of the same bytes, which has them in the same order."""
        return cls({id(found): items for found, items in zip(_keyless_lists(before), origin.items, strict=True)})

    def model(self, raw: Raw, before: Model, now: Model) -> bytes:
        """Merge two models of one type: attribute by attribute, keeping what the type does not know."""
        wire = _RAW_FIELDS.decode(raw)
        for info in model_fields(type(now)):
            old, new = getattr(before, info.name), getattr(now, info.name)
            if _same(old, new):
                continue
            if new is None:
                wire.pop(info.encode_name, None)
            else:
                wire[info.encode_name] = self.value(wire.get(info.encode_name), old, new, kind=info.type)
        return encode(wire)

    def value(self, raw: Raw | None, old: Any, new: Any, *, kind: Any) -> Raw:
        """Merge any value that the author changed, by the shape it has before and now."""
        if new is NULL:
            return _NULL
        if raw is None or old is None:
            return Raw(encode(new))
        if isinstance(new, Model) and type(new) is type(old):
            return Raw(self.model(raw, old, new))
        if isinstance(new, dict) and isinstance(old, dict):
            return Raw(self.mapping(raw, old, new, kind=kind))
        if isinstance(new, list) and isinstance(old, list):
            return Raw(self.items(raw, old, new, kind=kind))
        return Raw(encode(new))

    def mapping(self, raw: Raw, old: dict[str, Any], new: dict[str, Any], *, kind: Any) -> bytes:
        """Merge two dicts by key. A None in a dict is data, and sent as null."""
        wire = _RAW_FIELDS.decode(raw)
        return encode(
            {
                key: wire[key]
                if key in old and key in wire and _same(old[key], value)
                else self.value(wire.get(key), old.get(key), value, kind=_element(kind))
                for key, value in new.items()
            }
        )

    def items(self, raw: Raw, old: list[Any], new: list[Any], *, kind: Any) -> bytes:
        """Merge two lists: each item of the new one goes out on top of the old one that it is, if it is one."""
        wire = _RAW_ITEMS.decode(raw)
        places = self._places(old, new, _keys(kind))
        return encode(
            [
                Raw(encode(item))
                if place is None
                else wire[place]
                if _same(old[place], item)
                else self.value(wire[place], old[place], item, kind=_element(kind))
                for item, place in zip(new, places, strict=True)
            ]
        )

    def _places(self, old: list[Any], new: list[Any], keys: ListMap | None) -> list[int | None]:
        """For each item of the new list, the index of the old item that it is."""
        if keys is not None and all(isinstance(item, Model) for item in (*old, *new)):
            found = _by_key(old, new, keys)
            if found is not None:
                return found
        return _by_identity(old, new, self._items_of.get(id(old), ()))


def _same(old: Any, new: Any) -> bool:
    """Whether two values would go on the wire alike; Python's own == holds True and 1, and 1 and 1.0, for equal."""
    if new is old:
        return True
    if type(old) is not type(new) or old is None:
        return False
    return encode(old) == encode(new)


def _by_key(old: list[Model], new: list[Model], keys: ListMap) -> list[int | None] | None:
    """Match items by their map keys; None where a key stands twice, so that it does not tell items apart."""
    places = {_key(item, keys): place for place, item in enumerate(old)}
    wanted = [_key(item, keys) for item in new]
    if len(places) != len(old) or len(set(wanted)) != len(wanted):
        return None
    return [places.get(key) for key in wanted]


def _key(item: Model, keys: ListMap) -> bytes:
    defaults = dict(keys.defaults)
    values = (getattr(item, attribute_of(type(item), key)) for key in keys.keys)
    return encode([defaults.get(key) if value is None else value for key, value in zip(keys.keys, values, strict=True)])


def _by_identity(old: list[Any], new: list[Any], given: tuple[Any, ...]) -> list[int | None]:
    """Match items by being the Python items the author was given, then those that equal exactly one that is left."""
    place_of = {id(item): place for place, item in enumerate(given)}
    places: list[int | None] = []
    taken: set[int] = set()
    for item in new:
        place = place_of.get(id(item))
        place = None if place in taken else place  # an item put in twice is itself once, and new the second time
        places.append(place)
        if place is not None:
            taken.add(place)
    return _by_equality(old, new, places)


def _by_equality(old: list[Any], new: list[Any], places: list[int | None]) -> list[int | None]:
    """Place what is left: an item that looks like exactly one old item not placed yet, and is alone in that."""
    free = _grouped((encode(old[place]), place) for place in range(len(old)) if place not in set(places))
    asking = _grouped((encode(new[index]), index) for index, place in enumerate(places) if place is None)
    for text, indexes in asking.items():
        candidates = free.get(text, [])
        if len(candidates) >= len(indexes) and (len(candidates) == 1 or not isinstance(new[indexes[0]], Model)):
            for index, candidate in zip(indexes, candidates, strict=False):
                places[index] = candidate
    return places


def _grouped(pairs: Iterable[tuple[bytes, int]]) -> dict[bytes, list[int]]:
    groups: dict[bytes, list[int]] = {}
    for text, index in pairs:
        groups.setdefault(text, []).append(index)
    return groups


# --- which lists of a type have items that only their Python identity tells apart ---


def _keyless_lists(value: Model) -> list[list[Any]]:
    """Every list of models without keys below a value, in an order that depends on nothing but the value."""
    found: list[list[Any]] = []
    for step in _steps(type(value)):
        step(value, found)
    return found


Step = Callable[[Any, list[list[Any]]], None]


@cache
def _steps(cls: type[Model]) -> tuple[Step, ...]:
    """The attributes of a model that can lead to such a list, each as a function that visits it."""
    return tuple(
        _attribute_step(info.name, info.type) for info in model_fields(cls) if _leads_to_keyless(info.type, frozenset())
    )


def _attribute_step(name: str, kind: Any) -> Step:
    remembers = _is_keyless(kind)

    def step(value: Any, found: list[list[Any]]) -> None:
        child = getattr(value, name)
        if child:
            if remembers:
                found.append(child)
            for model in _models_in(child):
                for inner in _steps(type(model)):
                    inner(model, found)

    return step


def _models_in(child: Any) -> Iterator[Model]:
    """The models directly below an attribute's value, whatever it is made of."""
    if isinstance(child, Model):
        yield child
    elif isinstance(child, list):
        for item in child:
            yield from _models_in(item)
    elif isinstance(child, dict):
        for item in child.values():
            yield from _models_in(item)


def _leads_to_keyless(kind: Any, seen: frozenset[type]) -> bool:
    if _is_keyless(kind):
        return True
    return any(
        _leads_to_keyless(info.type, seen | {model})
        for model in _models_of(kind)
        if model not in seen
        for info in model_fields(model)
    )


def _is_keyless(kind: Any) -> bool:
    """Whether a type is a list of models whose items have no keys of their own."""
    bare = _bare(kind)
    return get_origin(bare) is list and bool(list(_models_of(bare))) and _keys(kind) is None


def _models_of(kind: Any) -> Iterator[type[Model]]:
    if isinstance(kind, type) and issubclass(kind, Model):
        yield kind
    for argument in get_args(kind):
        yield from _models_of(argument)


@cache
def _bare(kind: Any) -> Any:
    """A type without its markers and without `| None`."""
    while True:
        origin = get_origin(kind)
        if origin is Annotated:
            kind = get_args(kind)[0]
        elif origin in (Union, UnionType):
            options = [option for option in get_args(kind) if option is not NoneType]
            if len(options) != 1:
                return kind
            kind = options[0]
        else:
            return kind


@cache
def _element(kind: Any) -> Any:
    """The type of the items of a list, or of the values of a dict; Any where it is not known."""
    arguments = get_args(_bare(kind))
    return arguments[-1] if arguments and get_origin(_bare(kind)) in (list, dict) else Any


@cache
def _keys(kind: Any) -> ListMap | None:
    """The map keys that a list's type declares."""
    if get_origin(kind) is Annotated:
        marker = next((marker for marker in get_args(kind)[1:] if isinstance(marker, ListMap)), None)
        return marker or _keys(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return next(filter(None, map(_keys, get_args(kind))), None)
    return None
