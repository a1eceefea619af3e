"""A core that answers by a script: what the edges are tested with, apart from any resource."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, Self

import pytest

from konverge.cluster.apiserver.exchange import Answer, Request, Response, Stream


class ScriptedServer:
    """Answers by a function and keeps what was asked."""

    def __init__(self, answer: Callable[[Request], Answer] | None = None) -> None:
        self._answer = answer or (lambda _: Response(status=200, body=b"{}"))
        self.requests: list[Request] = []
        self.asked: asyncio.Queue[Request] = asyncio.Queue()  # the same, to be waited for
        self.gate: asyncio.Event | None = None  # where set, answers wait for it
        self.answered = 0
        self.cancelled = asyncio.Event()

    async def handle(self, request: Request) -> Answer:
        """Answer."""
        self.requests.append(request)
        self.asked.put_nowait(request)
        try:
            if self.gate is not None:
                await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        self.answered += 1
        return self._answer(request)


class Chunks(AsyncIterator[bytes]):
    """A stream that is fed by the test."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.ended = asyncio.Event()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        chunk = await self.queue.get()
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    async def aclose(self) -> None:
        """Be told that nobody reads on."""
        self.ended.set()

    def answer(self, _: Request) -> Stream:
        """Answer with it."""
        return Stream(status=200, chunks=self)


@pytest.fixture
def scripted() -> Any:
    """The class of a core that answers by a script."""
    return ScriptedServer


@pytest.fixture
def chunks() -> Any:
    """A stream that the test feeds."""
    return Chunks()
