"""The watchdog: a thread that notices when a call blocks the event loop, and says which one.

One blocking call in an `async` reconcile (requests, time.sleep, a long computation) stops every other one. The log
names the object and the line, once per block; metrics count; and past a limit the liveness probe fails, so that the
kubelet restarts a process that hangs for good. Calls that hold Python's global lock for seconds without a break
cannot be seen while they do.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import traceback
from collections.abc import Callable

import msgspec

from konverge import log
from konverge.errors import KonvergeError
from konverge.manager.activity import Activity

_LOG = log.get("watchdog")
_FRAMES = 25  # of the stack, the innermost


class LoopBlocked(KonvergeError):
    """The event loop has not turned for longer than allowed."""


class Block(msgspec.Struct, frozen=True):
    """One time that the loop did not turn."""

    activity: str  # the object being reconciled, or the name of the task
    stack: str


class Watchdog:
    """Watches the loop it is started on. Its times are real ones: a thread cannot wait by the loop that it watches."""

    def __init__(
        self,
        activity: Activity,
        *,
        threshold: float = 1.0,
        limit: float = 30.0,
        blocked: Callable[[], object] = lambda: None,
        turned_again: Callable[[float], object] = lambda _seconds: None,
    ) -> None:
        self._activity = activity
        self._threshold = threshold
        self._limit = limit
        self._blocked = blocked
        self._turned_again = turned_again
        self._since: float | None = None  # when the block began that goes on now
        self.last: Block | None = None
        self._stop = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        self._loop_thread = 0
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Watch the running loop from now on."""
        self._loop = asyncio.get_running_loop()
        self._loop_thread = threading.get_ident()
        self._thread = threading.Thread(target=self._watch, name="konverge-watchdog", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Watch no more. The thread is not waited for: that would block the very loop that it watches."""
        self._stop.set()

    def check(self) -> None:
        """Raise if the loop has been blocked for longer than the limit; a health check."""
        since = self._since
        seconds = 0.0 if since is None else time.monotonic() - since
        if seconds > self._limit:
            name = self.last.activity if self.last else ""
            raise LoopBlocked(f"the event loop has been blocked for {seconds:.0f} s by {name}; the log has its stack")

    def _watch(self) -> None:
        while not self._stop.wait(self._threshold / 4):
            turned, since = threading.Event(), time.monotonic()
            try:
                self._loop.call_soon_threadsafe(turned.set)
            except RuntimeError:
                return  # the loop is closed
            # Twice: a process that was stopped and woken finds its time over before the loop had a chance to turn.
            blocked = not turned.wait(self._threshold) and not turned.wait(self._threshold / 4)
            if blocked and not self._stop.is_set():
                self._report(turned, since)

    def _report(self, turned: threading.Event, since: float) -> None:
        self._since = since
        self.last = self._look()
        self._blocked()
        _LOG.warning(
            "a call blocks the event loop, and with it every reconcile: make it async, or use a plain `def reconcile`",
            reconciling=self.last.activity,
            seconds=round(time.monotonic() - since, 3),
            stacktrace=self.last.stack,
        )
        while not turned.wait(self._threshold / 4):
            if self._stop.is_set():
                return
        self._since = None
        seconds = time.monotonic() - since
        self._turned_again(seconds)
        _LOG.info("the event loop turns again", reconciling=self.last.activity, blocked_seconds=round(seconds, 3))

    def _look(self) -> Block:
        task = asyncio.current_task(self._loop)
        frame = sys._current_frames().get(self._loop_thread)  # noqa: SLF001 - the one way to see another thread's stack
        stack = "".join(traceback.format_stack(frame)[-_FRAMES:]) if frame is not None else ""
        return Block(self._activity.of(task), stack)
