"""ThreadTransport: from any event loop to a transport that lives on the loop of another thread.

For the embedded server in tests: it runs on a loop of its own, as a real one would, so a test that blocks its loop, or
has none, does not stop it. The caller's loop waits meanwhile as it would for a socket.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport
from konverge.errors import ConnectionFailed

_T = TypeVar("_T")
_END: Final = b""  # a stream has no empty chunks


class ThreadTransport:
    """Carries requests to `there`, a transport whose loop runs in another thread."""

    def __init__(self, there: Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._there = there
        self._loop = loop

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Return the whole answer."""
        return await self._on_loop(self._there.call(request), str(request.operation))

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Open a streaming answer; each chunk is fetched when it is asked for."""
        what = str(request.operation)
        turn = asyncio.Lock()  # a step that was given up ends, over there, before the next one begins
        opened = self._there.stream(request)
        chunks = await self._on_loop(_step(turn, opened.__aenter__()), what)
        try:
            yield self._chunks(chunks, turn, what)
        finally:
            await self._on_loop(_step(turn, opened.__aexit__(None, None, None)), what)

    async def _chunks(self, chunks: AsyncIterator[bytes], turn: asyncio.Lock, what: str) -> AsyncIterator[bytes]:
        while chunk := await self._on_loop(_step(turn, anext(chunks, _END)), what):
            yield chunk

    async def close(self) -> None:
        """End what is under way; a server that is gone has ended it already."""
        if not self._loop.is_closed():
            await self._on_loop(self._there.close(), "close")

    async def _on_loop(self, work: Coroutine[Any, Any, _T], what: str) -> _T:
        try:
            answer = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError as error:  # its loop is closed
            work.close()
            raise ConnectionFailed(f"{what}: the embedded API server has stopped") from error
        return await asyncio.wrap_future(answer)


async def _step(turn: asyncio.Lock, work: Awaitable[_T]) -> _T:
    async with turn:
        return await work
