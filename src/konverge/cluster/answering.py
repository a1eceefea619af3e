"""Answering: how both edges ask the core, so that a caller who leaves cannot leave a write half done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Protocol

from konverge.cluster.apiserver.exchange import Answer, Request, Stream

READS: Final = ("GET", "HEAD")


class Handler(Protocol):
    """What an edge needs of the core: `ApiServer`."""

    async def handle(self, request: Request) -> Answer:
        """Answer a request; nothing but a cancellation is raised."""
        ...


class Answering:
    """Asks the core. A read ends with its caller; a write goes on to its end, whoever waits for it."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._writes: set[asyncio.Task[Answer]] = set()  # the loop itself does not keep tasks alive

    async def answer(self, request: Request) -> Answer:
        """Return the core's answer."""
        if request.method in READS:
            return await self._handler.handle(request)
        write = asyncio.ensure_future(self._handler.handle(request))
        self._writes.add(write)
        write.add_done_callback(self._writes.discard)
        return await asyncio.shield(write)

    async def finish(self) -> None:
        """Wait for the writes that are under way."""
        if self._writes:
            await asyncio.wait(tuple(self._writes))


@asynccontextmanager
async def reading(stream: Stream) -> AsyncIterator[AsyncIterator[bytes]]:
    """Read a stream's chunks in a block; however that ends, the watch behind them ends with it."""
    try:
        yield stream.chunks
    finally:
        close = getattr(stream.chunks, "aclose", None)  # a generator has it, and so has a watch
        if close is not None:
            await close()
