"""Overlay: the answers to our own writes, which reads see on top of the store until the watch has caught up.

An entry is there for one reason: the server told us of a version that the watch has not shown yet. So it enters only
if it is newer than what the store has, and it leaves when

- the watch passes its version, by an event or by a bookmark, or
- a consistent list that was sent after the write takes the place of the store.

The answer to a deletion has no version: its tombstone is of one uid, and leaves when the watch shows that uid deleted,
or by such a list, or by any list that is newer than the object was and does not have it. Until then it hides the name:
the watch is in order, so whatever it shows before is older than our delete. Events never come from here: handlers hear
of a change once, from the watch.

Two kinds of tombstones are weaker. One of an object that the watch has not shown yet hides that uid alone, never the
name: no event of it may ever come. One that is not sure (the server named the object, and not whether something still
holds it) leaves as soon as the watch shows the object with a deletion timestamp.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import msgspec

from konverge.api.kind import ObjectKey
from konverge.cache.store import Store
from konverge.cache.stored import Entry

_REMEMBERED = 4096  # deletions that are shown before our own answer is read, or answered before they are shown


class Overlaid(msgspec.Struct, frozen=True, gc=False):
    """What reads see of a key: an entry, or that an object is gone (`entry` is None)."""

    entry: Entry | None
    uid: str
    version: int  # the watch must have come this far; 0: it must have shown the deletion itself
    seen: int  # the version at which we saw the object that such a deletion removed
    written: int  # the write's place in the order of our own writes and relists
    sure: bool = True  # False: the deletion may have to wait for something


class Overlay:
    """The writes that the watch has not caught up with."""

    def __init__(self) -> None:
        self._entries: dict[ObjectKey, Overlaid] = {}
        self._by_version: list[tuple[int, ObjectKey]] = []  # a heap; may name entries that have left already
        self._deleted: dict[str, None] = {}  # uids that the watch has shown deleted, the latest last
        self._unseen: dict[str, int] = {}  # uids that we deleted before the watch showed them: when, as for `written`
        self._writes = 0

    @property
    def idle(self) -> bool:
        """Whether reads see the store as it is."""
        return not self._entries and not self._unseen

    def __len__(self) -> int:
        return len(self._entries)

    def items(self) -> Iterator[tuple[ObjectKey, Overlaid]]:
        """Yield everything on top."""
        return iter(self._entries.items())

    def visible(self, key: ObjectKey, stored: Entry | None) -> Entry | None:
        """Return what a read sees of a key, given what the store has of it."""
        there = self._entries.get(key)
        if there is not None:
            return there.entry
        return None if stored is not None and stored.uid in self._unseen else stored

    def put(self, key: ObjectKey, entry: Entry) -> None:
        """Lay a written object on top; the caller has checked that it is newer than what the watch has shown."""
        there = self._entries.get(key)
        if there is not None and there.uid == entry.uid and not there.version and there.sure:
            return  # deleted meanwhile: the answers to two writes may arrive in the wrong order
        if entry.uid in self._unseen:
            return
        self._deleted.pop(entry.uid, None)  # it had left the selector, and comes back by this write
        self._put(key, entry, entry.uid, version=entry.version)

    def hide(self, key: ObjectKey, uid: str, *, version: int) -> None:
        """Lay a tombstone on top: a write at this version took an object out of the selection."""
        self._put(key, None, uid, version=version)

    def bury(self, key: ObjectKey, uid: str, *, seen: int, sure: bool = True) -> None:
        """Lay a tombstone on top: an object that readers saw at this version was deleted."""
        there = self._entries.get(key)
        back = there is not None and there.entry is not None and there.uid == uid  # into the selector, by our write
        if back or uid not in self._deleted:
            self._put(key, None, uid, seen=seen, sure=sure)

    def bury_unseen(self, uid: str) -> None:
        """Hide an object that was deleted before readers saw it."""
        if uid not in self._deleted:
            self._writes += 1
            self._unseen[uid] = self._writes
            if len(self._unseen) > _REMEMBERED:
                del self._unseen[next(iter(self._unseen))]

    def _put(
        self, key: ObjectKey, entry: Entry | None, uid: str, *, version: int = 0, seen: int = 0, sure: bool = True
    ) -> None:
        there = self._entries.get(key)
        if there is not None and there.version > version > 0:
            return
        self._writes += 1
        self._entries[key] = Overlaid(entry, uid, version, seen, self._writes, sure)
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

    def shown_ending(self, key: ObjectKey, uid: str, *, version: int) -> None:
        """Drop the tombstone of an object that is being deleted, and is still there at this version."""
        there = self._entries.get(key)
        if there is not None and there.uid == uid and not there.sure and version > there.seen:
            del self._entries[key]

    def shown_deleted(self, key: ObjectKey, uid: str) -> None:
        """Drop the tombstone of a deletion that the watch has shown."""
        self._unseen.pop(uid, None)
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
            if listed is not None and listed.uid == there.uid:
                return not there.sure and listed.version > there.seen
            return not there.version and there.seen <= version

        for key in [key for key, there in self._entries.items() if shown(key, there)]:
            del self._entries[key]
        self._deleted.clear()  # what the list has is there again, and what it lacks can only be hidden by its uid
        self._unseen = {uid: written for uid, written in self._unseen.items() if written > mark}
        self._by_version = [pair for pair in self._by_version if pair[1] in self._entries]
        heapq.heapify(self._by_version)
