"""Overlay: the answers to our own writes, which reads see on top of the store until the watch has caught up.

An entry is there for one reason: the server told us of a version that the watch has not shown yet. So it enters only
if it is newer than what the store has, and it leaves when

- the watch passes its version, by an event or by a bookmark, or
- a consistent list that was sent after the write takes the place of the store.

The answer to a deletion has no version: its tombstone is of one uid, and leaves when the watch shows that uid deleted,
or by such a list, or by any list that is newer than the object was and does not have it. Until then it hides the name:
the watch is in order, so whatever it shows before is older than our delete. Events never come from here: handlers hear
of a change once, from the watch.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import msgspec

from konverge.api.kind import ObjectKey
from konverge.cache.store import Store
from konverge.cache.stored import Entry

_REMEMBERED = 4096  # deletions that the watch may show before the answer to our own delete is read


class Overlaid(msgspec.Struct, frozen=True, gc=False):
    """What reads see of a key: an entry, or that an object is gone (`entry` is None)."""

    entry: Entry | None
    uid: str
    version: int  # the watch must have come this far; 0: it must have shown the deletion itself
    seen: int  # the version at which we saw the object that such a deletion removed
    written: int  # the write's place in the order of our own writes and relists


class Overlay:
    """The writes that the watch has not caught up with."""

    def __init__(self) -> None:
        self._entries: dict[ObjectKey, Overlaid] = {}
        self._by_version: list[tuple[int, ObjectKey]] = []  # a heap; may name entries that have left already
        self._deleted: dict[str, None] = {}  # uids that the watch has shown deleted, the latest last
        self._writes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def items(self) -> Iterator[tuple[ObjectKey, Overlaid]]:
        """Yield everything on top."""
        return iter(self._entries.items())

    def visible(self, key: ObjectKey, stored: Entry | None) -> Entry | None:
        """Return what a read sees of a key, given what the store has of it."""
        there = self._entries.get(key)
        return stored if there is None else there.entry

    def put(self, key: ObjectKey, entry: Entry) -> None:
        """Lay a written object on top; the caller has checked that it is newer than what the watch has shown."""
        there = self._entries.get(key)
        if there is not None and there.uid == entry.uid and not there.version:
            return  # deleted meanwhile: the answers to two writes may arrive in the wrong order
        self._put(key, entry, entry.uid, version=entry.version)

    def hide(self, key: ObjectKey, uid: str, *, version: int) -> None:
        """Lay a tombstone on top: a write at this version took an object out of the selection."""
        self._put(key, None, uid, version=version)

    def bury(self, key: ObjectKey, uid: str, *, seen: int) -> None:
        """Lay a tombstone on top: an object that readers saw at this version was deleted."""
        if uid not in self._deleted:
            self._put(key, None, uid, seen=seen)

    def _put(self, key: ObjectKey, entry: Entry | None, uid: str, *, version: int = 0, seen: int = 0) -> None:
        there = self._entries.get(key)
        if there is not None and there.version > version > 0:
            return
        self._writes += 1
        self._entries[key] = Overlaid(entry, uid, version, seen, self._writes)
        if version:
            heapq.heappush(self._by_version, (version, key))

    def passed(self, version: int) -> None:
        """Drop what the watch has caught up with."""
        while self._by_version and self._by_version[0][0] <= version:
            reached, key = heapq.heappop(self._by_version)
            there = self._entries.get(key)
            if there is not None and there.version == reached:
                del self._entries[key]

    def shown(self, uid: str) -> None:
        """Note that the watch shows an object: one that left a selector may come back, and be deleted then."""
        if self._deleted:
            self._deleted.pop(uid, None)

    def shown_deleted(self, key: ObjectKey, uid: str) -> None:
        """Drop the tombstone of a deletion that the watch has shown."""
        self._deleted[uid] = None
        if len(self._deleted) > _REMEMBERED:
            del self._deleted[next(iter(self._deleted))]
        there = self._entries.get(key)
        if there is not None and there.entry is None and there.uid == uid:
            del self._entries[key]

    def mark(self) -> int:
        """Return the point in the order of our writes that a list sent now will have seen."""
        return self._writes

    def listed(self, mark: int, store: Store, version: int) -> None:
        """Drop what was written before a consistent list was sent, now that the list is the store.

        A list may also show the end of an object whose deletion was sent after it: the watch goes on from there, and
        will not show it again.
        """

        def shown(key: ObjectKey, there: Overlaid) -> bool:
            if there.written <= mark:
                return True
            listed = store.get(key)
            gone = listed is None or listed.uid != there.uid
            return gone and not there.version and there.seen <= version

        for key in [key for key, there in self._entries.items() if shown(key, there)]:
            del self._entries[key]
        self._by_version = [pair for pair in self._by_version if pair[1] in self._entries]
        heapq.heapify(self._by_version)
