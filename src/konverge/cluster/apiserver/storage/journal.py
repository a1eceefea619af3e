"""Journal: every change since the compacted revision, in the order of revisions; the port behind the storage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from konverge.cluster.apiserver.storage.error import WriteFailed
from konverge.cluster.apiserver.storage.stored import Change, Stored

Committed = Callable[[Sequence[Change]], None]
Failed = Callable[[WriteFailed], None]


class Journal(Protocol):
    """Keeps changes. Everything is called on the loop, and calls back on it."""

    compacted: int  # the oldest revision at which the state is still known
    reserved: int  # revisions up to this one may be given to writes

    def bind(self, committed: Committed, failed: Failed) -> None:
        """Say whom to tell of changes that are durable, in order, and of a failure of all that are not."""
        ...

    def append(self, change: Change) -> None:
        """Make a change durable, at once or soon."""
        ...

    def reserve(self) -> None:
        """Reserve more revisions soon: there are none left."""
        ...

    async def changes(self, prefix: str, *, since: int, until: int) -> tuple[list[Change], int]:
        """Return some changes after `since`, and up to which revision they are all that there are.

        Raises `Compacted`.
        """
        ...

    async def before(self, prefix: str, *, revision: int, until: int) -> Mapping[str, Stored | None]:
        """Return how each object that changed in (revision, until] stood at the revision. Raises `Compacted`."""
        ...

    def compact(self, revision: int) -> None:
        """Forget, at once or step by step, what only watches and lists from below this revision need."""
        ...

    async def close(self, *, last: int) -> None:
        """Finish what is under way and close; `last` is the last revision that was given out."""
        ...
