"""LogStream: a log on its way to a client, which ends with the server as well."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Self


class LogStream:
    """Iterates over a log; `end` ends it in order, between two pieces."""

    def __init__(self, first: bytes, rest: AsyncIterator[bytes]) -> None:
        self._first = first
        self._rest = rest
        self._next: asyncio.Future[bytes | None] | None = None
        self._is_ended = asyncio.Event()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        if self._first:
            first, self._first = self._first, b""
            return first
        self._next = asyncio.ensure_future(anext(self._rest, None))
        ended = asyncio.ensure_future(self._is_ended.wait())
        await asyncio.wait((self._next, ended), return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        piece = self._next.result() if self._next.done() else None
        if piece is None:
            raise StopAsyncIteration
        return piece

    def end(self) -> None:
        """Send no more."""
        self._is_ended.set()

    async def aclose(self) -> None:
        """Stop reading the log."""
        if self._next is not None and not self._next.done():
            self._next.cancel()
            await asyncio.gather(self._next, return_exceptions=True)
        close = getattr(self._rest, "aclose", None)
        if close is not None:
            await close()
