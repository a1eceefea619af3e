"""Subscriptions: every change behind a prefix after a revision, in order, without a gap or a repeat.

One that is up to date is told of each change as it becomes durable. One that is behind, because it started at an old
revision or reads too slowly for its buffer, reads the journal until it has caught up. So a slow reader costs no
memory; when the journal no longer has what it missed it is cut off (`Compacted`), as the real server cuts it off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self

from konverge.cluster.apiserver.storage.error import Closed
from konverge.cluster.apiserver.storage.journal import Journal
from konverge.cluster.apiserver.storage.objects import resource_of
from konverge.cluster.apiserver.storage.stored import Change

_BUFFER = 4096  # changes; all subscriptions share the objects in them


class Feeds:
    """Tells subscriptions of changes that have just become durable."""

    def __init__(self, *, revision: int) -> None:
        self.revision = revision  # the last durable one
        self._live: dict[str, list[Subscription]] = {}  # by resource; those of several resources under ""

    def publish(self, changes: Sequence[Change]) -> None:
        """Hand changes to every subscription that is up to date."""
        for change in changes:
            resource = resource_of(change.key)
            for name in (resource, "") if resource else ("",):
                for subscription in tuple(self._live.get(name, ())):
                    subscription.offer(change)
        self.revision = changes[-1].revision

    def add(self, subscription: Subscription) -> None:
        """Hand each change from now on to a subscription."""
        self._live.setdefault(resource_of(subscription.prefix), []).append(subscription)

    def remove(self, subscription: Subscription) -> None:
        """Hand it no more."""
        name = resource_of(subscription.prefix)
        self._live[name].remove(subscription)
        if not self._live[name]:
            del self._live[name]

    def live(self) -> Iterable[Subscription]:
        """Return those that are up to date."""
        return [each for found in self._live.values() for each in found]


class Subscription:
    """Changes for one reader; take it from `Storage.watch`, and close it."""

    def __init__(self, prefix: str, *, since: int, journal: Journal, feeds: Feeds) -> None:
        self.prefix = prefix
        self._position = since  # everything up to it was handed out, or is none of ours
        self._journal = journal
        self._feeds = feeds
        self._buffer: list[Change] = []  # everything after `_position`, while live
        self._is_live = False
        self._is_closed = False
        self._waiter: asyncio.Future[None] | None = None
        if since >= feeds.revision:
            self._go_live()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    @property
    def revision(self) -> int:
        """Every change up to it was handed out: what a bookmark may say."""
        if self._is_live and not self._buffer:
            return max(self._position, self._feeds.revision)
        return self._position

    async def next_batch(self) -> list[Change]:
        """Wait for changes and return all that there are, at least one. Raises `Compacted` and `Closed`."""
        while True:
            if self._is_closed:
                raise Closed
            if self._buffer:
                return self._take()
            if self._is_live:
                await self._arrival()
            elif self._position >= self._feeds.revision:
                self._go_live()
            elif found := await self._catch_up():
                return found

    def _take(self) -> list[Change]:
        found, self._buffer = self._buffer, []
        self._position = found[-1].revision
        return found

    async def _arrival(self) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    async def _catch_up(self) -> list[Change]:
        found, until = await self._journal.changes(self.prefix, since=self._position, until=self._feeds.revision)
        if self._is_closed:
            raise Closed
        self._position = until
        return found

    def _go_live(self) -> None:
        self._is_live = True
        self._feeds.add(self)

    def offer(self, change: Change) -> None:
        """Take a change that has just become durable."""
        if not change.key.startswith(self.prefix) or change.revision <= self._position:
            return
        if not self._buffer:
            self._position = change.revision - 1
        elif len(self._buffer) >= _BUFFER:
            self._fall_behind()
            return
        self._buffer.append(change)
        self._wake()

    def _fall_behind(self) -> None:
        self._feeds.remove(self)
        self._is_live = False
        self._buffer.clear()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def close(self) -> None:
        """Hand out no more; a reader that waits gets `Closed`."""
        if self._is_live:
            self._fall_behind()
        self._is_closed = True
        self._wake()
