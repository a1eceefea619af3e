"""Counting: a transport that notes what is written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport


class Counting:
    """Passes everything on; whatever is no GET is noted."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.calls = 0
        self.writes: list[str] = []

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Note, and pass on."""
        self.calls += 1
        if request.method != "GET":
            self.writes.append(f"{request.method} {request.path}")
        return await self._transport.call(request)

    def stream(self, request: ApiRequest) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Pass on."""
        return self._transport.stream(request)

    async def close(self) -> None:
        """Pass on."""
        await self._transport.close()
