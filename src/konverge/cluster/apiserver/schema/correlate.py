"""Correlation: which part of the old object a part of the new one was, for ratcheting.

What did not change since it was accepted is not refused. Items of a list correlate only where they have keys
(`x-kubernetes-list-type: map`); all other lists are compared as a whole.
"""

from __future__ import annotations

from typing import Any

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver.schema.structural import Structural

_ABSENT = object()
_SCALARS = (bool, int, float, str)


class Correlated:
    """A part of the new object, beside what it was in the old one."""

    __slots__ = ("_by_key", "_is_same", "_node", "new", "old")

    def __init__(self, new: Any, old: Any, node: Structural) -> None:
        self.new = new
        self.old = old
        self._node = node
        self._is_same: bool | None = None
        self._by_key: dict[Any, Any] | None = None

    def is_same(self) -> bool:
        """Whether nothing changed; keyed items may have changed places."""
        if self._is_same is None:
            self._is_same = self._compare()
        return self._is_same

    def field(self, name: str) -> Correlated | None:
        """Return a property that both have and the schema knows."""
        if not isinstance(self.new, dict) or not isinstance(self.old, dict):
            return None
        node = self._node.child(name)
        if node is None or name not in self.new or name not in self.old:
            return None
        return Correlated(self.new[name], self.old[name], node)

    def item(self, index: int) -> Correlated | None:
        """Return an item of a keyed list whose keys the old list has too."""
        if not isinstance(self.new, list) or not isinstance(self.old, list) or self._node.items is None:
            return None
        if self._node.list_type != "map" or self._node.type != "array" or not self._node.list_map_keys:
            return None
        if self._by_key is None:
            self._by_key = self._keyed(self.old)
        old = self._by_key.get(self._key(self.new[index]))
        return None if old is None else Correlated(self.new[index], old, self._node.items)

    def _keyed(self, items: list[Any]) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for item in items:
            key = self._key(item)
            if key is not None:
                found.setdefault(key, item)
        return found

    def _key(self, item: Any) -> Any:
        if not isinstance(item, dict):
            return None
        values = [item.get(name, _ABSENT) for name in self._node.list_map_keys]
        if not all(isinstance(value, _SCALARS) for value in values):
            return None
        return tuple((type(value), value) for value in values)

    def _compare(self) -> bool:
        if isinstance(self.new, dict) and isinstance(self.old, dict):
            parts = [self.field(name) for name in self.new]
            return len(self.new) == len(self.old) and all(part is not None and part.is_same() for part in parts)
        if isinstance(self.new, list) and isinstance(self.old, list) and len(self.new) == len(self.old):
            parts = [self.item(index) for index in range(len(self.new))]
            if self._by_key is None:
                return json_equal(self.new, self.old)
            return all(part is not None and part.is_same() for part in parts)
        return json_equal(self.new, self.old)
