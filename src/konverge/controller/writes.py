"""Writes: what one reconcile changed on the server, noted as it passes the transport.

The notes of a run travel with its context (a context variable), so they follow it through every way a write can take:
clients and their views, `create_or_update`, child tasks, and the thread of a plain `def`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

import msgspec

from konverge.api.kind import ObjectKey
from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport
from konverge.errors import Operation

_KEPT_BODIES: Final = 16  # answers kept per run for the diagnosis of loops; more writes are noted without them


class _Meta(msgspec.Struct, rename="camel"):
    name: str = ""
    namespace: str = ""
    resource_version: str = ""


class _Answer(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    metadata: _Meta = msgspec.field(default_factory=_Meta)


_ANSWER = msgspec.json.Decoder(_Answer)
_NO_ANSWER = _Answer()


@dataclass(frozen=True, slots=True)
class Write:
    """One write that the server accepted."""

    operation: Operation
    body: bytes = field(default=b"", repr=False)

    def answer(self) -> _Answer:
        """Return what the server answered, as far as it says which object it is about."""
        try:
            return _ANSWER.decode(self.body) if self.body else _NO_ANSWER
        except (msgspec.MsgspecError, RecursionError):
            return _NO_ANSWER

    @property
    def key(self) -> ObjectKey:
        """The object; of one whose name the server made up, that name."""
        name = self.operation.name or self.answer().metadata.name
        return ObjectKey(self.operation.namespace, name)

    def __str__(self) -> str:
        return f"{self.operation.verb} {self.operation.resource} {self.key}"


class Writes(msgspec.Struct):
    """The writes of one run, in order."""

    made: list[Write] = msgspec.field(default_factory=list)

    def note(self, request: ApiRequest, response: ApiResponse) -> None:
        """Note a write that succeeded."""
        keep = len(self.made) < _KEPT_BODIES
        self.made.append(Write(request.operation, response.body if keep else b""))


_CURRENT: ContextVar[Writes | None] = ContextVar("konverge.writes", default=None)


class noting:  # noqa: N801 - read as a verb: `with noting(writes)`; a class, since every run pays for it
    """Note what is written inside."""

    __slots__ = ("_token", "_writes")

    def __init__(self, writes: Writes) -> None:
        self._writes = writes

    def __enter__(self) -> None:
        self._token = _CURRENT.set(self._writes)

    def __exit__(self, *_error: object) -> None:
        _CURRENT.reset(self._token)


class NotingTransport:
    """Passes everything on, and notes the writes of the run that makes them."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Pass a call on."""
        response = await self._transport.call(request)
        if not request.is_read:
            writes = _CURRENT.get()
            if writes is not None and not request.is_dry_run:
                writes.note(request, response)
        return response

    def stream(self, request: ApiRequest) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Pass a stream on."""
        return self._transport.stream(request)

    async def close(self) -> None:
        """Close the transport below."""
        await self._transport.close()
