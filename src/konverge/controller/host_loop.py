"""HostLoop: how the thread of a plain `def reconcile` uses clients that live on the manager's own event loop."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from typing import Any

from konverge.client.loop_thread import Call, LoopThread, R
from konverge.errors import ConnectionFailed, RequestError


class HostLoop(LoopThread):
    """Stands where a blocking client's own loop thread would: it starts no thread, and closing it closes no client.

    Made for one run. When that run's time is up, calls under way are cancelled and later ones refused, so that a
    thread, which nobody can end from outside, does no more harm.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(_nothing)
        self._host = loop
        self._thread = threading.get_ident()
        self._refusal = ""
        self._under_way: dict[Future[Any], None] = {}

    def submit(self, call: Call[R]) -> Future[R]:
        """Start a coroutine on the host's loop and return at once."""
        with self._lock:
            if self._refusal or threading.get_ident() == self._thread:
                call.close()  # it never ran; a warning about that would only hide the error
                self._refuse()
            future = asyncio.run_coroutine_threadsafe(call, self._host)
            self._under_way[future] = None
        future.add_done_callback(self._ended)
        return future

    def _refuse(self) -> None:
        if self._refusal:
            raise ConnectionFailed(self._refusal)
        raise RequestError(
            "a blocking call on the event loop's own thread would wait for itself: await a Client instead"
        )

    def _ended(self, future: Future[R]) -> None:
        with self._lock:
            self._under_way.pop(future, None)

    def end(self, reason: str) -> None:
        """Cancel what is under way and refuse the rest, for this reason."""
        with self._lock:
            self._refusal = self._refusal or reason
            self._closed = True
            under_way = list(self._under_way)
        for future in under_way:
            future.cancel()

    def close(self) -> None:
        """Do nothing: the clients belong to the manager."""


async def _nothing() -> None:
    """Close nothing."""
