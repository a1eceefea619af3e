"""Runs konverge's own async functions (`create_or_update` …) in a thread that blocks, over a blocking client.

The function runs in the calling thread, and so does the author's callback, which may therefore block or use the
client itself. Nothing in it is ever suspended: each `await` of a client's verb is a blocking call that has returned.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from konverge.errors import RequestError

A = TypeVar("A")
R = TypeVar("R")


def awaitable(blocking: Any) -> Any:
    """Return a blocking client as the async functions want one: with verbs that can be awaited."""
    return _Awaitable(blocking)


class _Awaitable:
    """A blocking client, or one of its subresources."""

    def __init__(self, blocking: Any) -> None:
        self._blocking = blocking

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._blocking, name)
        if not callable(found):  # a property: `client.status`
            return _Awaitable(found)

        async def verb(*args: Any, **options: Any) -> Any:
            return found(*args, **options)

        return verb


async def deferred(call: Callable[[], R]) -> R:
    """Return a coroutine that makes a call."""
    return call()


def plain(function: Callable[[A], object]) -> Callable[[A], None]:
    """Return the author's function, guarded: an async one would never run, and nobody would notice."""

    def called(argument: A) -> None:
        pending = function(argument)
        if inspect.iscoroutine(pending):
            pending.close()
            raise RequestError(f"{function!r} is async, and a blocking client calls plain functions: make it one")

    return called


def finish(call: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine that never has to wait to its end, and return its result."""
    try:
        call.send(None)
    except StopIteration as end:
        result: R = end.value
        return result
    call.close()
    raise RequestError("a blocking client cannot wait for something async in here")
