"""`eventually`: wait until something is so. A test asserts what will be true, not when."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from konverge.errors import NotFound

WITHIN: Final = 30.0  # seconds; what is not so by then will not be
_T = TypeVar("_T")
_LOOK_EVERY: Final = 0.01  # seconds; under virtual time they are free


async def eventually(check: Callable[[], Awaitable[_T]], *, within: float = WITHIN) -> _T:
    """Call `check` again and again until it returns something true, and return that.

    `NotFound` and a failed `assert` count as not yet; what the last one said is the cause of the `AssertionError` that
    is raised when the time is up.
    """
    found, reason = await looked(check, within=within)
    if not found:
        raise AssertionError(f"not so within {within:g} s: {reason or 'the check returned nothing'}") from reason
    return found


async def looked(check: Callable[[], Awaitable[_T]], *, within: float) -> tuple[_T | None, Exception | None]:
    """Call `check` as `eventually` does; return what it returned, or why not, if that was told."""
    loop = asyncio.get_running_loop()
    end = loop.time() + within
    while True:
        reason: Exception | None = None
        try:
            if found := await check():
                return found, None
        except (AssertionError, NotFound) as error:
            reason = error
        if loop.time() >= end:
            return None, reason
        await asyncio.sleep(_LOOK_EVERY)
