"""LogStream: a log on its way to a client; one that is followed ends with the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Self


class LogStream:
    """Iterates over a log; `begin` it first, and `aclose` it."""

    def __init__(self, pieces: AsyncIterator[bytes], *, on_close: Callable[[LogStream], object]) -> None:
        self._pieces = pieces
        self._on_close = on_close
        self._next: asyncio.Task[bytes | None] | None = None
        self._is_ended = False

    async def begin(self) -> None:
        """Look whether there is a log at all, without waiting for its first line; raise what the node says no with."""
        self._next = asyncio.create_task(self._read())
        await asyncio.sleep(0)
        if self._next.done() and self._next.exception() is not None:
            await self.aclose()
            self._next.result()

    async def _read(self) -> bytes | None:
        return await anext(self._pieces, None)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        if self._is_ended:
            raise StopAsyncIteration
        if self._next is None:
            self._next = asyncio.create_task(self._read())
        await asyncio.wait((self._next,))
        if self._next.cancelled():
            raise StopAsyncIteration
        piece, self._next = self._next.result(), None
        if piece is None:
            raise StopAsyncIteration
        return piece

    def end(self) -> None:
        """Send no more than what is there."""
        self._is_ended = True
        if self._next is not None:
            self._next.cancel()

    async def aclose(self) -> None:
        """Stop reading the log."""
        self.end()
        if self._next is not None:
            await asyncio.gather(self._next, return_exceptions=True)
        close = getattr(self._pieces, "aclose", None)
        if close is not None:
            await close()
        self._on_close(self)
