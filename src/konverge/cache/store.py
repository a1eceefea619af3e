"""Store: the objects of one list and watch, by namespace and name, as bytes.

Only the watch writes to it. It never holds half of a relist: a new store is filled aside and takes the place of the
old one in one step.
"""

from __future__ import annotations

from collections.abc import Iterator

from konverge.api.kind import ObjectKey
from konverge.cache.stored import Entry


class Store:
    """Entries by namespace, then by name: objects of one namespace are listed without looking at the others."""

    __slots__ = ("_by_namespace", "bytes", "count")

    def __init__(self) -> None:
        self._by_namespace: dict[str, dict[str, Entry]] = {}
        self.count = 0
        self.bytes = 0  # of the objects' JSON together, for the metrics

    def get(self, key: ObjectKey) -> Entry | None:
        """Return an entry, or None."""
        return self._by_namespace.get(key.namespace, _NOTHING).get(key.name)

    def put(self, key: ObjectKey, entry: Entry) -> Entry | None:
        """Put an entry in, and return the one it takes the place of."""
        names = self._by_namespace.setdefault(key.namespace, {})
        old = names.get(key.name)
        names[key.name] = entry
        self.bytes += len(entry.data) - (len(old.data) if old else 0)
        self.count += old is None
        return old

    def remove(self, key: ObjectKey) -> Entry | None:
        """Take an entry out, and return it."""
        names = self._by_namespace.get(key.namespace, _NOTHING)
        old = names.pop(key.name, None)
        if old is not None:
            self.bytes -= len(old.data)
            self.count -= 1
            if not names:
                del self._by_namespace[key.namespace]
        return old

    def items(self, namespace: str = "") -> Iterator[tuple[ObjectKey, Entry]]:
        """Yield the entries of a namespace, or of all; the store must not change meanwhile."""
        chosen = (namespace,) if namespace else tuple(self._by_namespace)
        for place in chosen:
            for name, entry in self._by_namespace.get(place, _NOTHING).items():
                yield ObjectKey(place, name), entry

    def __len__(self) -> int:
        return self.count


_NOTHING: dict[str, Entry] = {}
