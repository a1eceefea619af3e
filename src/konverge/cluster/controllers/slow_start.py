"""Slow start: do the same thing many times, first once, then twice as often each time, until one fails.

So a thousand pods that a quota forbids cost one refusal and not a thousand, and a thousand that are allowed cost ten
rounds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def slow_start(count: int, do: Callable[[int], Awaitable[T]]) -> tuple[list[T], Exception | None]:
    """Call `do` with 0 up to `count` - 1; return what succeeded, and the first error of the round that was the last."""
    done: list[T] = []
    begun, size = 0, 1
    while begun < count:
        size = min(size, count - begun)
        results = await asyncio.gather(*(do(begun + each) for each in range(size)), return_exceptions=True)
        failed = [each for each in results if isinstance(each, BaseException)]
        done += [each for each in results if not isinstance(each, BaseException)]
        for error in failed:
            if not isinstance(error, Exception):
                raise error
            return done, error
        begun, size = begun + size, 2 * size
    return done, None
