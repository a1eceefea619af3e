"""NotingWrites: a transport that knows what was written through it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport

_NOT_COUNTED = ("/leases", "/events")  # a heartbeat; and what tells of writes is none of them


class NotingWrites:
    """Carries requests, and notes each write that succeeded."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.writes: list[str] = []

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Return the whole answer."""
        answer = await self._transport.call(request)
        if request.method != "GET" and not any(word in request.path for word in _NOT_COUNTED):
            self.writes.append(f"{request.method} {request.path}")
        return answer

    def stream(self, request: ApiRequest) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Open a streaming answer."""
        return self._transport.stream(request)

    async def close(self) -> None:
        """End what is under way."""
        await self._transport.close()
