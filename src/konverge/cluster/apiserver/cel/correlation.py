"""Which part of the old object belongs to a part of the new one, and whether the two are the same.

A rule's complaint about a value that did not change is a warning, not an error: an object that was valid when it was
written can still be updated after its rules were made stricter. Elements of a list belong together only by the keys of
a list of type map; elements of other lists have no old value of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from konverge.cluster.apiserver.cel.json_view import same_json

_SCALARS: Final = frozenset({bool, int, float, str})


class MapList:
    """The elements of a list of type map, by their keys; empty for any other list."""

    __slots__ = ("_by_key", "_keys")

    def __init__(self, schema: Mapping[str, Any], elements: Any) -> None:
        is_map = schema.get("type") == "array" and schema.get("x-kubernetes-list-type") == "map"
        self._keys: tuple[str, ...] = tuple(schema.get("x-kubernetes-list-map-keys") or ()) if is_map else ()
        self._by_key: dict[Any, Any] = {}
        for element in elements if self._keys and elements.__class__ is list else ():
            key = self._key(element)
            if key is not None:
                self._by_key.setdefault(key, element)

    def get(self, element: Any) -> Any:
        """Return the element with the same keys."""
        if not self._by_key:
            return None
        return self._by_key.get(self._key(element))

    def _key(self, element: Any) -> Any:
        if element.__class__ is not dict:
            return None
        values = [element.get(key) for key in self._keys]
        if any(value.__class__ not in _SCALARS for value in values):
            return None
        return tuple((value.__class__, value) for value in values)


@dataclass(slots=True, eq=False)
class Correlation:
    """A part of the new object with the part of the old one that it comes from."""

    schema: Mapping[str, Any]
    new: Any
    old: Any
    _children: dict[Any, Correlation | None] = field(default_factory=dict)
    _old_elements: MapList | None = None
    _is_same: bool | None = None

    def key(self, name: str) -> Correlation | None:
        """Return the correlation of a field; None where it is new, or no schema describes it."""
        if name not in self._children:
            self._children[name] = self._of_key(name)
        return self._children[name]

    def _of_key(self, name: str) -> Correlation | None:
        new, old = self.new, self.old
        if new.__class__ is not dict or old.__class__ is not dict or name not in new or name not in old:
            return None
        schema = (self.schema.get("properties") or {}).get(name) or self.schema.get("additionalProperties")
        return Correlation(schema, new[name], old[name]) if isinstance(schema, Mapping) else None

    def index(self, index: int) -> Correlation | None:
        """Return the correlation of an element."""
        if index not in self._children:
            self._children[index] = self._of_index(index)
        return self._children[index]

    def _of_index(self, index: int) -> Correlation | None:
        items = self.schema.get("items")
        if self.new.__class__ is not list or self.old.__class__ is not list or not isinstance(items, Mapping):
            return None
        if self._old_elements is None:
            self._old_elements = MapList(self.schema, self.old)
        old = self._old_elements.get(self.new[index])
        return None if old is None else Correlation(items, self.new[index], old)

    def is_same(self) -> bool:
        """Whether nothing changed; a list of type map may have another order."""
        if self._is_same is None:
            self._is_same = self._compare()
        return self._is_same

    def _compare(self) -> bool:
        new, old = self.new, self.old
        if new.__class__ is list and old.__class__ is list:
            return len(new) == len(old) and self._same_elements()
        if new.__class__ is dict and old.__class__ is dict:
            return len(new) == len(old) and all(self._is_same_child(self.key(name)) for name in new)
        return same_json(new, old)

    def _same_elements(self) -> bool:
        if self.schema.get("x-kubernetes-list-type") != "map":
            return same_json(self.new, self.old)
        return all(self._is_same_child(self.index(index)) for index in range(len(self.new)))

    @staticmethod
    def _is_same_child(child: Correlation | None) -> bool:
        return child is not None and child.is_same()


@dataclass(frozen=True, slots=True)
class Ratchet:
    """Where a walk is: the correlation of the part, or the nearest one above it that has one."""

    current: Correlation | None = None
    above: Correlation | None = None

    def holds(self) -> bool:
        """Whether the part, or what it is in, did not change."""
        nearest = self.current or self.above
        return nearest is not None and nearest.is_same()

    def key(self, name: str) -> Ratchet:
        """Go to a field. The version and kind of a whole object are those of the request: they always changed."""
        if self.current is None:
            return self
        if self.above is None and name in {"apiVersion", "kind"}:
            return FREE
        return Ratchet(self.current.key(name), self.current)

    def index(self, index: int) -> Ratchet:
        """Go to an element."""
        return self if self.current is None else Ratchet(self.current.index(index), self.current)

    def within_all_of(self) -> Ratchet:
        """Go to what `allOf` says of the same part: only an unchanged part above it counts."""
        return Ratchet(None, self.above)


FREE: Final = Ratchet()
