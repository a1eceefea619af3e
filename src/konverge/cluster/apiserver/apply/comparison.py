"""Comparison: which fields an object gained, lost and changed.

Equal parts are passed over without a look inside, so that an update costs what it changes and not what the object has.
A part that is only on one side counts whole: all that is in it, and itself.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.apply.field_set import LEAF, FieldSet, Path, insert, recursive_difference
from konverge.cluster.apiserver.apply.path_element import MEMBER
from konverge.cluster.apiserver.apply.typed_error import TypedError
from konverge.cluster.apiserver.apply.types import Form, ListType, MapType, Type

_CONTAINERS: Final = (dict, list)
_NUMBERS: Final = (int, float)


class Comparison:
    """The fields that differ between two objects; none is in two of the sets."""

    __slots__ = ("added", "modified", "removed")

    def __init__(self) -> None:
        self.removed: FieldSet = {}
        self.modified: FieldSet = {}
        self.added: FieldSet = {}

    def without(self, ignored: FieldSet | None) -> Comparison:
        """Return what is left when some fields, and all in them, do not count."""
        if not ignored:
            return self
        rest = Comparison()
        rest.removed = recursive_difference(self.removed, ignored)
        rest.modified = recursive_difference(self.modified, ignored)
        rest.added = recursive_difference(self.added, ignored)
        return rest

    def compare(self, kind: Type, path: Path, old: Any, new: Any) -> None:
        """Note what differs between two values that are both there (None is a value: null) and are not equal."""
        before, after = kind.form(old), kind.form(new)
        if before is not after:
            self._compare_as(before, kind, path, (old, new))
        self._compare_as(after, kind, path, (old, new))

    def _compare_as(self, form: Form, kind: Type, path: Path, pair: tuple[Any, Any]) -> None:
        if form is Form.MAP and kind.map is not None and not kind.map.is_atomic:
            old, new = (side if isinstance(side, dict) else {} for side in pair)
            if old or new:
                self._compare_maps(kind.map, path, old, new)
                return
        elif form is Form.LIST and kind.list is not None and not kind.list.is_atomic:
            before, after = (side if isinstance(side, list) else [] for side in pair)
            if before or after:
                self._compare_lists(kind.list, path, before, after)
                return
        insert(self.modified, path)

    def _compare_maps(self, kind: MapType, path: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
        for name, value in new.items():
            if name not in old:
                insert(self.added, (*path, f"f:{name}"), whole(kind.type_of(name), value))
            elif not is_same(old[name], value):
                self.compare(kind.type_of(name), (*path, f"f:{name}"), old[name], value)
        for name, value in old.items():
            if name not in new:
                insert(self.removed, (*path, f"f:{name}"), whole(kind.type_of(name), value))

    def _compare_lists(self, kind: ListType, path: Path, old: list[Any], new: list[Any]) -> None:
        names = kind.names(old)
        if names is not None and names == kind.names(new):  # the same items in the same order: the most common case
            for before, after in zip(old, new, strict=True):
                if not is_same(before, after):
                    self.compare(kind.element, (*path, kind.path_element(after)), before, after)
            return
        self._compare_by_element(kind, path, old, new)

    def _compare_by_element(self, kind: ListType, path: Path, old: list[Any], new: list[Any]) -> None:
        before, after = by_element(kind, old), by_element(kind, new)
        for element in before | after:
            self._compare_items(kind.element, (*path, element), before.get(element, []), after.get(element, []))

    def _compare_items(self, kind: Type, path: Path, old: list[Any], new: list[Any]) -> None:
        """Note what differs between the items of one key; there may be several, and those are then one thing."""
        if len(old) == len(new) == 1:
            if not is_same(old[0], new[0]):
                self.compare(kind, path, old[0], new[0])
        elif len(old) > 1 and len(new) > 1:
            if not is_same(old, new):
                insert(self.modified, path)
        else:
            if old:
                insert(self.removed, path, whole(kind, old[0]) if len(old) == 1 else LEAF)
            if new:
                insert(self.added, path, whole(kind, new[0]) if len(new) == 1 else LEAF)


def compare(kind: Type, old: Any, new: Any) -> Comparison:
    """Compare two objects of one type."""
    made = Comparison()
    if not is_same(old, new):
        made.compare(kind, (), old, new)
    return made


def by_element(kind: ListType, items: list[Any]) -> dict[str, list[Any]]:
    """Return the items of an associative list by what tells them apart."""
    found: dict[str, list[Any]] = {}
    for index, item in enumerate(items):
        try:
            found.setdefault(kind.path_element(item), []).append(item)
        except TypedError as error:
            raise TypedError(f"element {index}: {error}") from None
    return found


def whole(kind: Type, value: Any) -> FieldSet:
    """Return the node of a part that is there on one side only: everything in it, and itself."""
    if type(value) in kind.accepted or value is None:
        return LEAF
    if type(value) is dict and kind.map is not None:
        return LEAF if kind.map.is_atomic or not value else _whole_map(kind.map, value)
    if type(value) is list and kind.list is not None:
        return LEAF if kind.list.is_atomic or not value else _whole_list(kind.list, value)
    raise TypedError(f"expected {kind.form(value)}, got something else")


def _whole_map(kind: MapType, value: dict[str, Any]) -> FieldSet:
    node: FieldSet = {MEMBER: LEAF}
    named, element = kind.fields, kind.element
    for name, part in value.items():
        found = named.get(name) or element
        if found is None:
            raise TypedError(f".{name}: field not declared in schema")
        node["f:" + name] = LEAF if type(part) in found.accepted else whole(found, part)
    return node


def _whole_list(kind: ListType, items: list[Any]) -> FieldSet:
    node: FieldSet = {MEMBER: LEAF}
    for index, item in enumerate(items):
        try:
            element = kind.path_element(item)
        except TypedError as error:
            raise TypedError(f"element {index}: {error}") from None
        node[element] = LEAF if element in node else whole(kind.element, item)
    return node


def is_same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal, where 1 is 1.0 and is not true."""
    if left != right:
        return False
    if not isinstance(left, _CONTAINERS):
        return type(left) is type(right) or (type(left) in _NUMBERS and type(right) in _NUMBERS)
    # Python takes true for 1. The texts of equal values are nearly always equal; where not, look closely.
    return msgspec.json.encode(left) == msgspec.json.encode(right) or _is_same_within(left, right)


def _is_same_within(left: Any, right: Any) -> bool:
    if isinstance(left, dict):
        return all(is_same(value, right[name]) for name, value in left.items())
    return all(map(is_same, left, right))
