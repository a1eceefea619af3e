"""Reads state of the loop from another thread: on the loop if it turns, else what was read last.

So a scrape or a dump never races with the loop, and never waits long for one that is blocked.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class LoopReader(Generic[T]):
    """Calls a function on a loop for other threads; remembers its last answer."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, patience: float = 0.5) -> None:
        self._loop = loop
        self._patience = patience  # seconds to wait for the loop to turn
        self._last: T | None = None

    def __call__(self, function: Callable[[], T]) -> T:
        """Return the function's answer, or its last one if the loop does not turn; in place if nothing was read yet."""
        if _running_here() is self._loop:
            return function()
        answer = _Answer(function)
        try:
            self._loop.call_soon_threadsafe(answer.give)
        except RuntimeError:  # the loop is closed: nothing changes any more
            return function()
        if not answer.given.wait(self._patience):
            return self._last if self._last is not None else function()
        if answer.error is not None:
            raise answer.error
        last: T = answer.value
        self._last = last
        return last


def _running_here() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class _Answer:
    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self.given = threading.Event()
        self.value: Any = None
        self.error: Exception | None = None

    def give(self) -> None:
        try:
            self.value = self._function()
        except Exception as error:  # noqa: BLE001 - raised again in the thread that asked
            self.error = error
        self.given.set()
