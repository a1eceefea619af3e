"""What can be done with a value by its type: validate it, take its field set, merge another into it, remove parts.

Nothing here changes a value that is given; results may share parts with them.
"""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.apply.field_set import LEAF, FieldSet, as_member, is_member
from konverge.cluster.apiserver.apply.path_element import MEMBER
from konverge.cluster.apiserver.apply.types import Form, ListType, MapType, Type


def field_set(kind: Type, value: Any) -> FieldSet:
    """Return the fields that an applied object claims: leaves and items, and no structs around them."""
    node = _claimed(kind, value) or {}
    return {element: below for element, below in node.items() if element != MEMBER}


def _claimed(kind: Type, value: Any) -> FieldSet | None:
    form = kind.form(value)
    if form is Form.MAP and kind.map is not None and not kind.map.is_atomic:
        return _claimed_fields(kind.map, value) if isinstance(value, dict) else None
    if form is Form.LIST and kind.list is not None and not kind.list.is_atomic:
        return _claimed_items(kind.list, value) if isinstance(value, list) else None
    return LEAF


def _claimed_fields(kind: MapType, value: dict[str, Any]) -> FieldSet | None:
    node: FieldSet = {}
    for name, part in value.items():
        found = kind.type_of(name)
        below: FieldSet | None = LEAF
        if type(part) not in found.accepted:
            below = _claimed(found, part)
            if part is None or part == {} or name not in kind.fields:
                below = as_member(below or LEAF)
        if below is not None:
            node["f:" + name] = below
    return node or None


def _claimed_items(kind: ListType, items: list[Any]) -> FieldSet | None:
    node: FieldSet = {}
    for item in items:
        element = kind.path_element(item)
        node[element] = LEAF if element in node else as_member(_claimed(kind.element, item) or LEAF)
    return node or None


def merge(kind: Type, live: Any, applied: Any) -> Any:
    """Return the live value with what was applied: nothing is removed; where both say something the applied wins."""
    form = kind.form(applied)
    if form is Form.MAP and kind.map is not None and not kind.map.is_atomic:
        return _merge_maps(kind.map, live, applied)
    if form is Form.LIST and kind.list is not None and not kind.list.is_atomic:
        return _merge_lists(kind.list, live, applied)
    return applied


def _merge_maps(kind: MapType, live: Any, applied: Any) -> Any:
    old = live if isinstance(live, dict) else {}
    new = applied if isinstance(applied, dict) else {}
    if not old or not new:
        return old or new or applied
    made = dict(old)
    for name, value in new.items():
        found = kind.type_of(name)
        is_new = name not in old or type(value) in found.accepted
        made[name] = value if is_new else merge(found, old[name], value)
    return made


def _merge_lists(kind: ListType, live: Any, applied: Any) -> Any:
    old = live if isinstance(live, list) else []
    new = applied if isinstance(applied, list) else []
    if not old or not new:
        return old or new or applied
    return _ListMerge(kind, old, new).result()


class _ListMerge:
    """Items that both have come in the applied order, and those of the live list stay near what they stood by."""

    def __init__(self, kind: ListType, old: list[Any], new: list[Any]) -> None:
        self._element = kind.element
        self._old = old
        self._old_keys = [kind.path_element(item) for item in old]
        self._new_keys = [kind.path_element(item) for item in new]
        self._new_items = dict(zip(self._new_keys, new, strict=True))
        self._old_items: dict[str, Any] = {}
        for key, item in zip(self._old_keys, old, strict=True):
            self._old_items[key] = None if key in self._old_items else item  # of duplicates, none is merged into
        self._shared = iter([key for key in self._new_keys if key in self._old_items])
        self._next_shared = next(self._shared, None)
        self._merged: set[str] = set()

    def result(self) -> list[Any]:
        """Walk both lists side by side."""
        made: list[Any] = []
        left, right = 0, 0
        while left < len(self._old_keys) or right < len(self._new_keys):
            if left < len(self._old_keys):
                key = self._old_keys[left]
                both = right < len(self._new_keys)
                if both and key == self._new_keys[right]:
                    made.append(self._take(key))
                    self._next_shared = next(self._shared, None)
                    left, right = left + 1, right + 1
                    continue
                if key not in self._new_items:
                    made.append(self._old[left])
                    left += 1
                    continue
                if both and self._next_shared not in {None, key}:
                    left += 1  # it comes later: in the applied order others are first
                    continue
                left += key in self._merged
            if right < len(self._new_keys):
                key = self._new_keys[right]
                made.append(self._take(key))
                right += 1
                if self._next_shared == key:
                    self._next_shared = next(self._shared, None)
        return made

    def _take(self, key: str) -> Any:
        self._merged.add(key)
        if key not in self._old_items:
            return self._new_items[key]
        return merge(self._element, self._old_items[key], self._new_items[key])


def remove(kind: Type, value: Any, fields: FieldSet) -> Any:
    """Return a value without these fields and items; None where nothing is left."""
    form = kind.form(value)
    if form is Form.MAP and kind.map is not None:
        return None if kind.map.is_atomic or not isinstance(value, dict) else _remove_fields(kind.map, value, fields)
    if form is Form.LIST and kind.list is not None:
        return None if kind.list.is_atomic or not isinstance(value, list) else _remove_items(kind.list, value, fields)
    return value


def _remove_fields(kind: MapType, value: dict[str, Any], fields: FieldSet) -> Any:
    made = {}
    for name, part in value.items():
        node = fields.get(f"f:{name}")
        if node is None:
            made[name] = part
        elif not is_member(node):
            made[name] = remove(kind.type_of(name), part, node)
    return made or None


def _remove_items(kind: ListType, items: list[Any], fields: FieldSet) -> Any:
    made = []
    for item in items:
        node = fields.get(kind.path_element(item))
        if node is None:
            made.append(item)
        elif not is_member(node):
            made.append(remove(kind.element, item, node))
    return made or None


def with_named_fields(kind: Type | None, fields: FieldSet) -> FieldSet:
    """Return a set that also has the structs around its members, where those are named in the schema."""
    made: FieldSet = {}
    for element, node in fields.items():
        if element == MEMBER or not node:
            made[element] = node
            continue
        below, is_named = _part(kind, element)
        parts = with_named_fields(below, node)
        made[element] = as_member(parts) if is_named else parts
    return made


def _part(kind: Type | None, element: str) -> tuple[Type | None, bool]:
    if kind is not None and kind.map is not None and element[0] == "f":
        name = element[2:]
        return kind.map.fields.get(name) or kind.map.element, name in kind.map.fields
    if kind is not None and kind.list is not None and element[0] == "k":
        return kind.list.element, False
    return None, False
