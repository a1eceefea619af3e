"""Index: from the value of any field to the objects that have it, kept up to date by the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from konverge import log
from konverge.api.form import Form, T
from konverge.api.kind import ObjectKey
from konverge.cache.field_path import field_value
from konverge.cache.stored import Entry, read_entry
from konverge.errors import RequestError

_LOG = log.get("cache")

IndexFunction = Callable[[T], Iterable[str]]
"""Returns the values an object is to be found by; none, and it is not in the index."""

Values = Callable[[Entry], tuple[str, ...]]


def values_at(path: str) -> Values:
    """Return what finds objects by the value of one field; where it is not set, the object is not in the index."""

    def values(entry: Entry) -> tuple[str, ...]:
        value = field_value(entry.data, path)
        return (value,) if value else ()

    return values


def values_by(name: str, function: IndexFunction[T], form: Form[T]) -> Values:
    """Return what finds objects by a function of the author's."""

    def values(entry: Entry) -> tuple[str, ...]:
        found = function(read_entry(entry, form))
        if isinstance(found, str):
            raise RequestError(f'index "{name}": its function returned a string; return a list of strings')
        return tuple(dict.fromkeys(found))  # each once

    return values


class Index:
    """One index: what an object is found by, and who is found by what."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self._keys: dict[str, dict[ObjectKey, None]] = {}
        self._values: dict[ObjectKey, tuple[str, ...]] = {}

    def put(self, key: ObjectKey, entry: Entry) -> None:
        """Take an object in, in place of what was there of its key."""
        values = self.values_of(key, entry)
        self.discard(key)
        if values:
            self._values[key] = values
        for value in values:
            self._keys.setdefault(value, {})[key] = None

    def values_of(self, key: ObjectKey, entry: Entry) -> tuple[str, ...]:
        """Ask the author's function; where it fails, the object is not found by this index, and the log says so."""
        try:
            return self.values(entry)
        except Exception as error:  # noqa: BLE001 - the author's code; the cache must go on
            _LOG.error("an index function failed", error, object=str(key))
            return ()

    def discard(self, key: ObjectKey) -> None:
        """Take a key out."""
        for value in self._values.pop(key, ()):
            keys = self._keys[value]
            del keys[key]
            if not keys:
                del self._keys[value]

    def keys(self, value: str) -> list[ObjectKey]:
        """Return the keys of the objects that have this value."""
        return list(self._keys.get(value, ()))

    def rebuild(self, entries: Iterable[tuple[ObjectKey, Entry]]) -> None:
        """Start over with other objects."""
        self._keys.clear()
        self._values.clear()
        for key, entry in entries:
            self.put(key, entry)
