"""Objects: what stands at the newest durable revision, in memory and in key order.

Keys are `/group/plural/…`. Each resource has a sorted list of its own keys, so a page of one resource costs two
bisections and its items, however many objects others have. Python compares text by code point, which is the byte
order of UTF-8, and so the order of etcd.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable

from konverge.cluster.apiserver.storage.stored import Change, Page, Stored, is_after


def resource_of(key: str) -> str:
    """Return the `/group/plural/` that a key or a prefix lies in; empty where it names no resource."""
    second = key.find("/", 1)
    third = key.find("/", second + 1) if second > 0 else -1
    return key[: third + 1] if third > 0 else ""


class _Resource:
    """The keys of one resource."""

    __slots__ = ("keys", "revision")

    def __init__(self) -> None:
        self.keys: list[str] = []  # sorted
        self.revision = 0  # of the last change to any of them


class Objects:
    """Keys to objects."""

    def __init__(self, found: Iterable[Stored] = (), *, revision: int = 0) -> None:
        self._loaded = revision  # what was deleted up to then is not known here
        self._found: dict[str, Stored] = {}
        self._resources: dict[str, _Resource] = {}
        for stored in found:
            self._put(stored)

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: str) -> Stored | None:
        """Return an object, or None where there is none."""
        return self._found.get(key)

    def apply(self, change: Change) -> Stored:
        """Let a durable change happen; return what it leaves behind."""
        stored = change.stored()
        if change.is_deleted:
            self._remove(change)
        else:
            self._put(stored)
        return stored

    def _put(self, stored: Stored) -> None:
        resource = self._resource(stored.key)
        if stored.key not in self._found:
            insort(resource.keys, stored.key)
        self._found[stored.key] = stored
        resource.revision = max(resource.revision, stored.revision)

    def _remove(self, change: Change) -> None:
        resource = self._resource(change.key)
        if self._found.pop(change.key, None) is not None:
            del resource.keys[bisect_left(resource.keys, change.key)]
        resource.revision = change.revision

    def _resource(self, key: str) -> _Resource:
        name = resource_of(key)
        resource = self._resources.get(name)
        if resource is None:
            resource = self._resources[name] = _Resource()
        return resource

    def range(self, prefix: str, *, after: str, limit: int, revision: int) -> Page:
        """Return the objects behind a prefix and after a key; a limit of 0 is none."""
        keys = self._keys(prefix, after)
        shown = keys[:limit] if limit else keys
        return Page([self._found[key] for key in shown], revision, len(keys) - len(shown))

    def all(self, prefix: str) -> dict[str, Stored]:
        """Return every object behind a prefix."""
        return {key: self._found[key] for key in self._keys(prefix, "")}

    def _keys(self, prefix: str, after: str) -> list[str]:
        resource = self._resources.get(resource_of(prefix))
        if resource_of(prefix):
            return _between(resource.keys, prefix, after) if resource else []
        # A prefix above a single resource: rare, so its keys are put in order when they are asked for.
        return sorted(key for each in self._resources.values() for key in _between(each.keys, prefix, after))

    def changed(self, prefix: str) -> int:
        """Return a revision since which nothing behind this prefix changed."""
        name = resource_of(prefix)
        if name:
            found = self._resources.get(name)
            return max(self._loaded, found.revision if found else 0)
        return max(self._loaded, *(each.revision for each in self._resources.values()), 0)


def _between(keys: list[str], prefix: str, after: str) -> list[str]:
    start = bisect_right(keys, after) if after >= prefix else bisect_left(keys, prefix)
    return keys[start : bisect_left(keys, is_after(prefix), start)]
