"""Storage: the state of an API server, on one event loop. See the package for what it promises."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, Self

from konverge.cluster.apiserver.storage.durable import DurableJournal
from konverge.cluster.apiserver.storage.error import Closed, Compacted, Stale, WriteFailed
from konverge.cluster.apiserver.storage.journal import Journal
from konverge.cluster.apiserver.storage.memory import MemoryJournal
from konverge.cluster.apiserver.storage.objects import Objects
from konverge.cluster.apiserver.storage.retention import Retention
from konverge.cluster.apiserver.storage.stored import Change, Page, Stored
from konverge.cluster.apiserver.storage.subscription import Feeds, Subscription

KEEP: Final = 300.0  # seconds of history, as the real server keeps of etcd's
_FIRST: Final = 1  # an empty etcd is at revision 1; 0 means "any" in the API

Encode = Callable[[int], bytes]


class _Write(NamedTuple):
    """A write that is not durable yet."""

    change: Change
    done: asyncio.Future[Stored]


class Storage:
    """Keys to JSON bytes with revisions; take it from `open` or `in_memory`, and close it."""

    def __init__(
        self, journal: Journal, *, objects: Mapping[str, Stored], revision: int, next_: int, keep: float
    ) -> None:
        self._journal = journal
        self._objects = Objects(objects.values(), revision=revision)
        self._feeds = Feeds(revision=revision)
        self._next = next_  # the revision of the next write
        self._under_way: deque[_Write] = deque()  # in the order of revisions
        self._newest: dict[str, Change] = {}  # the last write under way to each key
        self._retention = Retention(keep)
        self._is_closed = False
        journal.bind(self._committed, self._failed)

    @classmethod
    def in_memory(cls, *, keep: float = KEEP) -> Self:
        """Return an empty storage that keeps nothing beyond its own life, with no thread and no file."""
        journal = MemoryJournal(compacted=_FIRST)
        return cls(journal, objects={}, revision=_FIRST, next_=_FIRST + 1, keep=keep)

    @classmethod
    async def open(cls, folder: Path | str, *, keep: float = KEEP) -> Self:
        """Open a data folder, or make one: every object, revision and the history is back. Raises `ConfigError`."""
        journal, objects, revision, given_out = await DurableJournal.open(Path(folder))
        return cls(journal, objects=objects, revision=revision, next_=given_out + 1, keep=keep)

    @property
    def revision(self) -> int:
        """The last durable revision: what reads show."""
        return self._feeds.revision

    @property
    def compacted(self) -> int:
        """The oldest revision that watches and exact lists may start from."""
        return self._journal.compacted

    def __len__(self) -> int:
        return len(self._objects)

    # --- reading ---

    def get(self, key: str) -> Stored | None:
        """Return an object as it durably stands."""
        return self._objects.get(key)

    def newest(self, key: str) -> Stored | None:
        """Return an object with the writes that are under way: what a write must build upon."""
        change = self._newest.get(key)
        if change is None:
            return self._objects.get(key)
        return None if change.is_deleted else change.stored()

    def range(self, prefix: str, *, after: str = "", limit: int = 0) -> Page:
        """Return the durable objects behind a prefix and after a key, in key order; a limit of 0 is none."""
        return self._objects.range(prefix, after=after, limit=limit, revision=self.revision)

    async def range_at(self, prefix: str, revision: int, *, after: str = "", limit: int = 0) -> Page:
        """Return a range as it stood at a revision. Raises `Compacted`."""
        self._refuse_if_closed()
        if revision < self.compacted:
            raise Compacted(revision, compacted=self.compacted)
        if self._objects.changed(prefix) <= revision:
            return self._objects.range(prefix, after=after, limit=limit, revision=revision)
        now = self._objects.all(prefix)  # at the revision up to which the journal is asked
        then = await self._journal.before(prefix, revision=revision, until=self.revision)
        found = sorted(each for each in {**now, **then}.values() if each is not None and each.key > after)
        shown = found[:limit] if limit else found
        return Page(shown, revision, len(found) - len(shown))

    def watch(self, prefix: str, *, since: int) -> Subscription:
        """Return every change behind a prefix after a revision, those to come included. Raises `Compacted`."""
        self._refuse_if_closed()
        if since < self.compacted:
            raise Compacted(since, compacted=self.compacted)
        return Subscription(prefix, since=since, journal=self._journal, feeds=self._feeds)

    # --- writing ---

    def put(self, key: str, encode: Encode, *, based_on: int) -> Awaitable[Stored]:
        """Write an object on top of its newest revision, 0 where it is absent; `encode` gets the new revision.

        Raises `Stale` at once. What it returns ends when the write is durable, or raises `WriteFailed`; to cancel
        that takes nothing back.
        """
        return self._write(key, encode, based_on=based_on, is_deleted=False)

    def delete(self, key: str, encode: Encode, *, based_on: int) -> Awaitable[Stored]:
        """Delete an object, as `put` writes it; what it returns is the last state with the deletion's revision."""
        return self._write(key, encode, based_on=based_on, is_deleted=True)

    async def settled(self, revision: int) -> None:
        """Wait until a write that was given this revision is durable; at once where it is. Raises `WriteFailed`."""
        done = next((write.done for write in self._under_way if write.change.revision == revision), None)
        if done is not None:
            await asyncio.shield(done)  # its writer waits for it too

    def _write(self, key: str, encode: Encode, *, based_on: int, is_deleted: bool) -> Awaitable[Stored]:
        self._refuse_if_closed()
        previous = self.newest(key)
        newest = previous.revision if previous else 0
        if newest != based_on or (is_deleted and previous is None):
            raise Stale(key, based_on=based_on, newest=newest)
        revision = self._take_revision()
        change = Change(revision, key, encode(revision), is_deleted, previous)
        done: asyncio.Future[Stored] = asyncio.get_running_loop().create_future()
        self._under_way.append(_Write(change, done))
        self._newest[key] = change
        self._journal.append(change)
        return done

    def _take_revision(self) -> int:
        revision = self._next
        if revision > self._journal.reserved:
            self._journal.reserve()
            raise WriteFailed("too many writes are under way, or the disk takes none: try again")
        self._next = revision + 1
        return revision

    def _committed(self, changes: Sequence[Change]) -> None:
        writes = [self._under_way.popleft() for _ in changes]
        stored = [self._objects.apply(change) for change in changes]
        for change in changes:
            if self._newest.get(change.key) is change:
                del self._newest[change.key]
        self._feeds.publish(changes)
        for write, result in zip(writes, stored, strict=True):
            if not write.done.done():
                write.done.set_result(result)
        old = self._retention.note(asyncio.get_running_loop().time(), self.revision)
        if old > self.compacted:
            self._journal.compact(old)

    def _failed(self, error: WriteFailed) -> None:
        failed, self._under_way = self._under_way, deque()
        self._newest.clear()
        for write in failed:
            if not write.done.done():
                write.done.set_exception(error)
                write.done.exception()  # whoever does not wait for it need not hear of it

    # --- the end ---

    def _refuse_if_closed(self) -> None:
        if self._is_closed:
            raise Closed

    async def close(self) -> None:
        """Finish the writes under way, end every subscription and let the folder go; a second time does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        await self._journal.close(last=self._next - 1)
        for subscription in self._feeds.live():
            subscription.close()
