"""The journal of a storage that keeps nothing: a list, committed on the loop, with no thread and no timer.

So it runs under virtual time, and the same writes give the same history each time.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Mapping
from operator import attrgetter

from konverge.cluster.apiserver.storage.error import Closed, Compacted
from konverge.cluster.apiserver.storage.journal import Committed, Failed
from konverge.cluster.apiserver.storage.stored import Change, Stored

_REVISION = attrgetter("revision")


class MemoryJournal:
    """Keeps changes in a list."""

    def __init__(self, *, compacted: int) -> None:
        self.compacted = compacted
        self.reserved = sys.maxsize
        self._is_closed = False
        self._changes: list[Change] = []  # in the order of revisions, each above `compacted`

    def bind(self, committed: Committed, failed: Failed) -> None:  # noqa: ARG002 - nothing here can fail
        """Say whom to tell."""
        self._committed = committed

    def append(self, change: Change) -> None:
        """Commit at once."""
        self._changes.append(change)
        self._committed((change,))

    def reserve(self) -> None:
        """Do nothing: what is forgotten at the end can reserve all there is."""

    async def changes(self, prefix: str, *, since: int, until: int) -> tuple[list[Change], int]:
        """Return all changes in (since, until]."""
        return [change for change in self._between(since, until) if change.key.startswith(prefix)], until

    async def before(self, prefix: str, *, revision: int, until: int) -> Mapping[str, Stored | None]:
        """Return the `previous` of the first change of each object."""
        found: dict[str, Stored | None] = {}
        for change in self._between(revision, until):
            if change.key.startswith(prefix):
                found.setdefault(change.key, change.previous)
        return found

    def _between(self, since: int, until: int) -> list[Change]:
        if self._is_closed:
            raise Closed
        if since < self.compacted:
            raise Compacted(since, compacted=self.compacted)
        return self._changes[self._position(since) : self._position(until)]

    def _position(self, revision: int) -> int:
        return bisect_right(self._changes, revision, key=_REVISION)

    def compact(self, revision: int) -> None:
        """Forget the changes up to a revision; the later ones hold what they replaced themselves."""
        del self._changes[: self._position(revision)]
        self.compacted = max(self.compacted, revision)

    async def close(self, *, last: int) -> None:  # noqa: ARG002 - there is nothing to note it in
        """Forget everything."""
        self._is_closed = True
        self._changes.clear()
