"""Delays: what managers ask for, and what their watches bring, comes late at random.

A test may pass because an operator was faster than it, or one watch faster than another. On a busy machine it fails,
once in a hundred runs, and nobody knows why. `pytest --cluster-delays=SEED` makes each run such a day.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from random import Random
from typing import Final

from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport

# Half of all goes through at once, so that one thing overtakes another; one in ten is late enough to be missed.
_SHARES: Final = (0.5, 0.4, 0.1)
_SECONDS: Final = ((0.0, 0.0), (0.0, 0.03), (0.03, 0.2))


class Delays:
    """Stands before the API server. A seed draws the same delays each time, though not always for the same requests."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._random = Random(seed)  # noqa: S311 - to be repeated

    def __repr__(self) -> str:
        return f"<Delays of seed {self.seed}>"

    def before(self, transport: Transport) -> Transport:
        """Return a transport on which calls, their answers and each piece of a watch may be late."""
        return _Delayed(self, transport)

    async def wait(self) -> None:
        """Take a while, or none."""
        [(least, most)] = self._random.choices(_SECONDS, _SHARES)
        await asyncio.sleep(self._random.uniform(least, most))


class _Delayed:
    """Passes everything on, late."""

    def __init__(self, delays: Delays, transport: Transport) -> None:
        self._delays = delays
        self._transport = transport

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Pass a call on: before it arrives others may write, and after it was done they may, too."""
        await self._delays.wait()
        answer = await self._transport.call(request)
        await self._delays.wait()
        return answer

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Pass a stream on, each piece after the one before it."""
        async with self._transport.stream(request) as pieces, aclosing(self._late(pieces)) as late:
            yield late

    async def _late(self, pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
        async for piece in pieces:
            await self._delays.wait()
            yield piece

    async def close(self) -> None:
        """Close the transport behind."""
        await self._transport.close()
