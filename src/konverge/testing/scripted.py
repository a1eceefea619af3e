"""A transport that plays a script: each request gets the next step, and what was asked is kept.

For tests of what a program does when the server does something in particular. Steps are played in order, whatever is
asked; a script that has ended leaves the next request waiting, as a server that never answers would.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec

from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse
from konverge.errors import KonvergeError


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer: JSON of any value."""

    body: Any


@dataclass(frozen=True, slots=True)
class Fail:
    """An error, in place of an answer or in the middle of a stream."""

    error: KonvergeError


@dataclass(frozen=True, slots=True)
class Pause:
    """Silence in a stream, for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Event:
    """A line of a watch."""

    type: str
    object: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stream:
    """A streaming answer that ends after its parts; `open_ended` ones stay silent instead."""

    parts: tuple[Event | Pause | Fail | bytes, ...] = ()
    open_ended: bool = False


Step = Answer | Fail | Stream


@dataclass(slots=True)
class ScriptedTransport:
    """Plays steps; `requests` has what was asked, in order."""

    steps: list[Step] = field(default_factory=list)
    requests: list[ApiRequest] = field(default_factory=list)
    closed: bool = False

    def then(self, *steps: Step) -> ScriptedTransport:
        """Add steps to the script."""
        self.steps.extend(steps)
        return self

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Play the next step, which must be an answer or a failure."""
        step = await self._next(request)
        if isinstance(step, Fail):
            raise step.error
        if isinstance(step, Stream):
            raise TypeError(f"the script has a stream where {request.operation} asks for an answer")
        return ApiResponse(status=200, body=msgspec.json.encode(step.body))

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Play the next step, which must be a stream or a failure."""
        step = await self._next(request)
        if isinstance(step, Fail):
            raise step.error
        if isinstance(step, Answer):
            raise TypeError(f"the script has an answer where {request.operation} asks for a stream")
        yield self._play(step)

    async def close(self) -> None:
        """Note that it was closed."""
        self.closed = True

    async def _next(self, request: ApiRequest) -> Step:
        self.requests.append(request)
        await asyncio.sleep(0)
        if not self.steps:
            await asyncio.get_running_loop().create_future()  # a server that never answers
        return self.steps.pop(0)

    async def _play(self, stream: Stream) -> AsyncIterator[bytes]:
        for part in stream.parts:
            match part:
                case Event(kind, obj):
                    yield msgspec.json.encode({"type": kind, "object": obj}) + b"\n"
                case Pause(seconds):
                    await asyncio.sleep(seconds)
                case Fail(error):
                    raise error
                case bytes():
                    yield part
        if stream.open_ended:
            await asyncio.get_running_loop().create_future()


def page(objects: Iterable[dict[str, Any]], version: int | str, token: str = "") -> Answer:
    """Return one page of a list."""
    metadata = {"resourceVersion": str(version)} | ({"continue": token} if token else {})
    return Answer({"kind": "List", "apiVersion": "v1", "metadata": metadata, "items": list(objects)})


def bookmark(version: int | str, *, initial_events_end: bool = False) -> Event:
    """Return a bookmark."""
    metadata: dict[str, Any] = {"resourceVersion": str(version)}
    if initial_events_end:
        metadata["annotations"] = {"k8s.io/initial-events-end": "true"}
    return Event("BOOKMARK", {"metadata": metadata})
