"""A core that answers by a script: what the edges are tested with, apart from any resource."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from konverge.cluster.apiserver.exchange import Answer, Request, Response, Stream


class ScriptedServer:
    """Answers by a function and keeps what was asked."""

    def __init__(self, answer: Callable[[Request], Answer] | None = None) -> None:
        self._answer = answer or (lambda _: Response(status=200, body=b"{}"))
        self.requests: list[Request] = []
        self.gate: asyncio.Event | None = None  # where set, answers wait for it
        self.answered = 0
        self.cancelled = asyncio.Event()

    async def handle(self, request: Request) -> Answer:
        """Answer."""
        self.requests.append(request)
        try:
            if self.gate is not None:
                await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        self.answered += 1
        return self._answer(request)


class Chunks:
    """A stream that is fed by the test."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.ended = asyncio.Event()

    async def _read(self) -> AsyncIterator[bytes]:
        try:
            while (chunk := await self.queue.get()) is not None:
                yield chunk
        finally:
            self.ended.set()

    def answer(self, _: Request) -> Stream:
        """Answer with it."""
        return Stream(status=200, chunks=self._read())
