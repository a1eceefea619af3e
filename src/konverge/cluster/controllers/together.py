"""Together: make several calls at once, and fail only when all of them have ended."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable


async def together(calls: Iterable[Awaitable[object]]) -> None:
    """Await all calls; raise the first error, if there is one, so that none goes on behind its caller's back."""
    for result in await asyncio.gather(*calls, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result
