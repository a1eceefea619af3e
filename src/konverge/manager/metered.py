"""The metered transport: counts requests by code, method and host, as client-go does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport
from konverge.errors import ApiError, ConnectionFailed
from konverge.metrics import Metrics

_NO_ANSWER = "<error>"  # client-go's label for a request that nothing was answered to


class MeteredTransport:
    """Passes requests on and counts what came of them. Put it below what retries, so that each try counts."""

    def __init__(self, transport: Transport, metrics: Metrics, *, host: str) -> None:
        self._transport = transport
        self._metrics = metrics
        self._host = host

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Pass a call on."""
        with self._counting(request):
            response = await self._transport.call(request)
        self._count(request, str(response.status))
        return response

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Pass a stream on; its opening is what counts."""
        stream = self._transport.stream(request)
        with self._counting(request):
            chunks = await stream.__aenter__()
        self._count(request, "200")
        # By hand, so that an error of the reader's own block is not taken for one of the opening.
        try:
            yield chunks
        except BaseException as error:
            if not await stream.__aexit__(type(error), error, error.__traceback__):
                raise
        else:
            await stream.__aexit__(None, None, None)

    async def close(self) -> None:
        """Close the transport below."""
        await self._transport.close()

    @contextmanager
    def _counting(self, request: ApiRequest) -> Iterator[None]:
        try:
            yield
        except ApiError as error:
            self._count(request, str(error.code))
            raise
        except ConnectionFailed:
            self._count(request, _NO_ANSWER)
            raise

    def _count(self, request: ApiRequest, code: str) -> None:
        self._metrics.requested(code=code, method=request.method, host=self._host)
