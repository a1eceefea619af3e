"""Dying: a transport whose owner is killed after some writes. The last one happens, and its answer is never heard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport
from konverge.errors import ConnectionFailed


class Dying:
    """Passes everything on until its time has come; then nothing more."""

    def __init__(self, transport: Transport, *, after: int) -> None:
        self._transport = transport
        self._left = after

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Pass on, as long as it lives."""
        if self._left < 0:
            raise ConnectionFailed("killed")
        answer = await self._transport.call(request)
        if request.method != "GET":
            self._left -= 1
            if self._left < 0:
                raise ConnectionFailed("killed, and the answer is lost")
        return answer

    def stream(self, request: ApiRequest) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Pass on: what is heard does no harm to the dead."""
        return self._transport.stream(request)

    async def close(self) -> None:
        """Pass on."""
        await self._transport.close()
