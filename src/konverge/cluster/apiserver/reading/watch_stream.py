"""WatchStream: the bytes of one watch, as they happen.

It ends when its time is up, when the server closes or stops serving the resource, and when its reader is so slow that
what it missed is no longer kept (an ERROR event says so). Bookmarks come about each minute, and once shortly before
the time is up, so that the next watch begins close to where this one ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self

from konverge.cluster.apiserver.conversion_needed import ConversionNeeded
from konverge.cluster.apiserver.failure import Failure, expired
from konverge.cluster.apiserver.reading.event import Lines
from konverge.cluster.apiserver.storage import Change, Closed, Compacted, Stored, Subscription

_BOOKMARK_EVERY: Final = 60.0
_BEFORE_THE_END: Final = 2.0
_AT_ONCE: Final = 256  # events in one piece, so that others get their turn in between
_LARGEST_PIECE: Final = 1 << 18  # bytes, beyond which no event is added: a slow reader holds one piece, not its backlog


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """When a watch ends, and whether it has bookmarks."""

    until: float  # the loop's time
    sends_bookmarks: bool = False


class WatchStream:
    """An async iterator of pieces, each of whole lines, for one reader. Close it (`aclose`), read or not."""

    def __init__(
        self,
        subscription: Subscription | None,
        lines: Lines | None,
        *,
        timing: Timing,
        initial: Sequence[Stored] = (),
        since: int = 0,
        ends_initial_events: bool = False,
    ) -> None:
        self._subscription = subscription
        self._lines = lines
        self._timing = timing
        self._since = since  # bookmarks say only what the client does not know yet
        self._ready = self._beginning(initial, ends_initial_events=ends_initial_events)
        self._next_bookmark = self._bookmark_after(asyncio.get_running_loop().time())
        self._wait: asyncio.Timeout | None = None
        self._is_ending = False

    @classmethod
    def failed(cls, line: bytes) -> Self:
        """Return a stream that is over after one line."""
        stream = cls(None, None, timing=Timing(until=0.0))
        stream._ready = iter((line,))
        return stream

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        while True:
            for piece in self._ready:
                if piece:
                    return piece
            if self._subscription is None:
                raise StopAsyncIteration
            self._ready = await self._following(self._subscription)

    async def aclose(self) -> None:
        """End it at once and let go of what it holds."""
        self._ready = iter(())
        self._let_go()

    def end(self) -> None:
        """End it in order: what has happened is still handed out, and a reader that waits stops waiting."""
        self._is_ending = True
        if self._wait is not None and not self._wait.expired():
            self._wait.reschedule(asyncio.get_running_loop().time())

    def _let_go(self) -> None:
        if self._subscription is not None:
            self._subscription.close()
            self._subscription = None

    def _beginning(self, initial: Sequence[Stored], *, ends_initial_events: bool) -> Iterator[bytes]:
        lines = self._lines
        if lines is None:
            return
        yield from _pieces(map(lines.added, initial))
        if ends_initial_events:
            yield lines.bookmark(self._since, is_end_of_initial_events=True)

    async def _following(self, subscription: Subscription) -> Iterator[bytes]:
        """Wait for what comes next, and return it in pieces; they are empty where it is not for this watch."""
        try:
            async with asyncio.timeout_at(self._wakes_at()) as self._wait:
                batch = await subscription.next_batch()
        except TimeoutError:
            return iter((self._time_is_up(subscription),))
        except Closed:
            self._let_go()
            return iter(())
        except Compacted as error:
            self._let_go()
            failure = expired(f"too old resource version: {error.revision} ({error.compacted})")
            return iter(()) if self._lines is None else iter((self._lines.error(failure),))
        finally:
            self._wait = None
        if self._lines is None or not self._lines.asks_webhook:
            return self._written(batch)
        return await self._converted(self._lines, batch)

    async def _converted(self, lines: Lines, batch: Sequence[Change]) -> Iterator[bytes]:
        """Write changes that a webhook has to convert; the watch ends where it does not."""
        try:
            await lines.prepare(batch)
            while True:
                try:
                    return iter(list(self._written(batch)))
                except ConversionNeeded as needed:
                    await needed.resolve()
        except Failure as failure:
            self._let_go()
            return iter((lines.error(failure),))

    def _wakes_at(self) -> float:
        return 0.0 if self._is_ending else min(self._timing.until, self._next_bookmark)

    def _written(self, batch: Sequence[Change]) -> Iterator[bytes]:
        return iter(()) if self._lines is None else _pieces(map(self._lines.changed, batch))

    def _time_is_up(self, subscription: Subscription) -> bytes:
        now = asyncio.get_running_loop().time()
        if self._is_ending or now >= self._timing.until:
            self._let_go()
            return b""
        self._next_bookmark = self._bookmark_after(now)
        if self._lines is None or subscription.revision <= self._since:
            return b""
        return self._lines.bookmark(subscription.revision)

    def _bookmark_after(self, now: float) -> float:
        """Say when to send the next bookmark."""
        last = self._timing.until - _BEFORE_THE_END
        if not self._timing.sends_bookmarks or last <= now:
            return self._timing.until
        return min(now + _BOOKMARK_EVERY, last)


def _pieces(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Join lines up to a size; each piece is made when it is asked for."""
    some: list[bytes] = []
    size = 0
    for line in lines:
        some.append(line)
        size += len(line)
        if size >= _LARGEST_PIECE or len(some) >= _AT_ONCE:
            yield b"".join(some)
            some, size = [], 0
    yield b"".join(some)
