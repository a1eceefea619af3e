"""Retrying: only what is safe to repeat, and only within the caller's limit.

- A read whose connection broke is repeated: reading twice does no harm.
- Anything answered 429 or 503 with a Retry-After is repeated after that time: the server says it did nothing.
- Nothing else is. A write whose connection broke may have happened; only the caller can tell, by reading.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import msgspec

from konverge import log
from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport
from konverge.errors import ApiError, ConnectionFailed, KonvergeError, RequestError

_NOT_DONE = (429, 503)  # a 502 or 504 comes from between: the server may have acted all the same

_LOG = log.get("client")


class RetryPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How long to go on; the first limit that is reached ends it."""

    attempts: int = 5  # tries in all; 1 never repeats anything
    max_wait: float = 30.0  # seconds since the first try was begun, after which no other is; timeouts count too
    first_delay: float = 0.1  # before a read is repeated; doubled each time


NEVER = RetryPolicy(attempts=1)


def delay_before_retry(request: ApiRequest, error: KonvergeError, attempt: int, policy: RetryPolicy) -> float | None:
    """Return how long to wait before this request may be repeated, or None if it must not be."""
    if attempt >= policy.attempts:
        return None
    if isinstance(error, ConnectionFailed):
        return policy.first_delay * 2 ** (attempt - 1) if request.is_read else None
    if isinstance(error, ApiError) and error.code in _NOT_DONE:
        return error.retry_after
    return None


class RetryingTransport:
    """A transport that repeats what its policy allows on the transport below it."""

    def __init__(self, transport: Transport, policy: RetryPolicy) -> None:
        self.transport = transport
        self.policy = policy
        self._home: weakref.ref[asyncio.AbstractEventLoop] | None = None

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Return the first answer that is one."""
        self._stay_home()
        state = _Attempts(request, self.policy)
        while True:
            try:
                return await self.transport.call(request)
            except (ApiError, ConnectionFailed) as error:
                await state.wait_or_raise(error)

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Repeat the opening; what breaks later is the reader's, who knows how far it had come."""
        async with AsyncExitStack() as stack:
            yield await self._open(request, stack)

    async def _open(self, request: ApiRequest, stack: AsyncExitStack) -> AsyncIterator[bytes]:
        self._stay_home()
        state = _Attempts(request, self.policy)
        while True:
            try:
                return await stack.enter_async_context(self.transport.stream(request))
            except (ApiError, ConnectionFailed) as error:
                await state.wait_or_raise(error)

    def _stay_home(self) -> None:
        """Refuse another event loop than the first: the connections below belong to that one, and it may be gone."""
        loop = asyncio.get_running_loop()
        self._home = self._home or weakref.ref(loop)
        if self._home() is not loop:
            raise RequestError(
                "this client was used in another event loop, and its connections belong to that one: "
                "make a client inside each asyncio.run, or use konverge.client.blocking"
            )

    async def close(self) -> None:
        """Close the transport below."""
        await self.transport.close()


class _Attempts:
    """Counts the tries of one call and waits between them."""

    def __init__(self, request: ApiRequest, policy: RetryPolicy) -> None:
        self._request = request
        self._policy = policy
        self._made = 0
        self._began = asyncio.get_running_loop().time()

    async def wait_or_raise(self, error: KonvergeError) -> None:
        """Wait for the next try, or raise the error if there is to be none."""
        self._made += 1
        delay = delay_before_retry(self._request, error, self._made, self._policy)
        spent = asyncio.get_running_loop().time() - self._began
        if delay is None or spent + delay > self._policy.max_wait:
            raise error
        _LOG.debug("trying again", operation=str(self._request.operation), after=delay, cause=str(error))
        await asyncio.sleep(delay)
