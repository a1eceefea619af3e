"""How the author's functions are called: `async def` on the loop, plain `def` in a thread."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import Any, Protocol, TypeAlias, TypeVar

R = TypeVar("R")
Result: TypeAlias = R | Awaitable[R]
"""What a function may return that is `async def` or not."""


class Call(Protocol):
    """Calls a function of the author's, of either sort, and returns what it returns."""

    async def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call it."""
        ...


async def call(function: Callable[..., Any], *args: Any) -> Any:
    """Call on the loop, or in a thread of the loop's own."""
    return await call_by(None, function, *args)


async def call_by(executor: Executor | None, function: Callable[..., Any], *args: Any) -> Any:
    """Call on the loop, or in a thread of this executor; what a thread returns may be awaitable still."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004 - an object may be a coroutine function by its class
        return await function(*args)
    context = contextvars.copy_context()
    result = await asyncio.get_running_loop().run_in_executor(executor, lambda: context.run(function, *args))
    return await result if inspect.isawaitable(result) else result
