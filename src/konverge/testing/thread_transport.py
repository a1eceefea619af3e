"""ThreadTransport: from any event loop to a transport that lives on the loop of another thread.

For the embedded server in tests: it runs on a loop of its own, as a real one would, so a test that blocks its loop, or
has none, does not stop it. The caller's loop waits meanwhile as it would for a socket.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeVar

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
        return await self._there_do(lambda: self._there.call(request), request)

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Open a streaming answer; each chunk is fetched when it is asked for."""
        turn = asyncio.Lock()  # a step that was given up ends, over there, before the next one begins
        opened = self._there.stream(request)
        chunks = await self._there_do(opened.__aenter__, request, turn)
        try:
            yield self._chunks(chunks, request, turn)
        finally:
            with suppress(ConnectionFailed):  # a server that is gone has ended it already
                await self._there_do(lambda: opened.__aexit__(None, None, None), request, turn)

    async def _chunks(
        self, chunks: AsyncIterator[bytes], request: ApiRequest, turn: asyncio.Lock
    ) -> AsyncIterator[bytes]:
        while chunk := await self._there_do(lambda: anext(chunks, _END), request, turn):
            yield chunk

    async def close(self) -> None:
        """End what is under way; a server that is gone has ended it already."""
        with suppress(ConnectionFailed):
            await self._there_do(self._there.close)

    async def _there_do(
        self,
        begin: Callable[[], Awaitable[_T]],
        request: ApiRequest | None = None,
        turn: asyncio.Lock | None = None,
    ) -> _T:
        """Await something over there; `begin` is called there too, so nothing is begun that cannot be awaited."""
        work = _in_turn(begin, turn or asyncio.Lock())
        try:
            answer = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError as error:  # its loop is closed
            work.close()
            what = f"{request.operation}: " if request else ""
            raise ConnectionFailed(f"{what}the embedded API server has stopped") from error
        return await asyncio.wrap_future(answer)


async def _in_turn(begin: Callable[[], Awaitable[_T]], turn: asyncio.Lock) -> _T:
    async with turn:
        return await begin()
