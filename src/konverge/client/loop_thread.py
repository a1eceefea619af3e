"""LoopThread: one event loop on one thread, for code that blocks.

Calls go in from any number of threads at once; results and errors come out with their own types and tracebacks. A
call that would wait for itself (from the loop's own thread), stop somebody's event loop, or use a thread that a fork
left behind is refused with a sentence instead of a deadlock. A thread that nobody closes ends with its last user, or
with the interpreter, and holds up neither.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import weakref
from collections.abc import AsyncGenerator, Callable, Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

from konverge.client.under_way import UnderWay, watched
from konverge.errors import ConnectionFailed, RequestError

_END_WITHIN = 10.0  # seconds to wait for the thread; closing connections takes milliseconds, so more means it is stuck

R = TypeVar("R")
Call = Coroutine[Any, Any, R]


class LoopThread:
    """Runs coroutines for threads that wait; `on_close` is awaited on the loop as the last thing it does.

    The thread starts with the first call, so that a process which forks before it has nothing to lose.
    """

    def __init__(self, on_close: Callable[[], Call[None]]) -> None:
        self._on_close = on_close
        self._loop: _Loop | None = None
        self._closed = False
        # Reentrant: a signal handler may close the client in the middle of a call of the same thread.
        self._lock = threading.RLock()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def run(self, call: Call[R], *, timeout: float | None = None) -> R:
        """Wait for a coroutine and return its result; giving up, by Ctrl-C or after the timeout, cancels it."""
        name = getattr(call, "__qualname__", "the call")
        with watched() as under_way:
            future = self.submit(call)
        try:
            return future.result(timeout)
        except CancelledError:
            problem = "the client was closed before the answer came"
            raise ConnectionFailed(_unanswered(under_way, name, problem)) from None
        except TimeoutError as error:
            if future.done():
                raise  # the call's own
            future.cancel()
            raise ConnectionFailed(_unanswered(under_way, name, f"no answer within {timeout} s")) from error
        except BaseException:
            future.cancel()
            raise
        finally:
            del future  # it holds the error, whose traceback holds this frame

    def submit(self, call: Call[R]) -> Future[R]:
        """Start a coroutine on the loop and return at once."""
        try:
            self._check_caller()
            with self._lock:
                return self._started().submit(call)
        except RequestError:
            call.close()  # it never ran; a warning about that would only hide the error
            raise

    def own(self, source: AsyncGenerator[Any]) -> None:
        """Close a generator, if it is still open, before the loop ends; called on the loop."""
        if self._loop is not None:
            self._loop.sources.add(source)

    def close(self) -> None:
        """Cancel what is under way, close, and end the thread; may be called twice, and from any thread."""
        with self._lock:
            self._closed = True
            loop = self._loop
        if loop is not None:
            loop.end()

    def _check_caller(self) -> None:
        loop = self._loop
        if loop is not None and loop.is_forked:
            raise RequestError(
                "this client was used before the process forked, and its connections belong to the parent: "
                "make a new client in the child"
            )
        if loop is not None and loop.is_current_thread:
            raise RequestError(
                "a blocking call from the client's own loop thread would wait for itself: call it from another thread"
            )
        if _inside_event_loop():
            raise RequestError(
                "a blocking call inside a running event loop would stop that loop: use konverge.Client and await it, "
                "or call this in a thread (asyncio.to_thread)"
            )

    def _started(self) -> _Loop:
        if self._closed:
            raise RequestError("this client is closed: make a new one")
        if self._loop is None:
            self._loop = _Loop(self._on_close)
            # The loop does not know its LoopThread, so that the last user's going is noticed.
            weakref.finalize(self, self._loop.signal).atexit = False
        return self._loop


def _unanswered(under_way: UnderWay, name: str, problem: str) -> str:
    """Say what was asked for and is not answered, by its operation if anything was sent."""
    if under_way.request is None:
        return f"{name}: {problem}"
    remedy = "" if under_way.request.is_read else "; the write may have happened: read before you repeat it"
    return f"{under_way.request.operation}: {problem}{remedy}"


def _inside_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class _Loop:
    """The loop and its thread, as long as they run."""

    def __init__(self, on_close: Callable[[], Call[None]]) -> None:
        self._on_close = on_close
        self._process = os.getpid()
        self._stop = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        # Closed one by one from outside in; asyncio would close the generators inside them at the same time, and fail.
        self.sources: weakref.WeakSet[AsyncGenerator[Any]] = weakref.WeakSet()
        # A daemon: a program that forgets to close must still be able to end.
        self._thread = threading.Thread(target=self._serve, name="konverge-client", daemon=True)
        self._thread.start()
        atexit.register(self.end)

    @property
    def is_forked(self) -> bool:
        """Whether the thread is in another process, the one this was forked from."""
        return self._process != os.getpid()

    @property
    def is_current_thread(self) -> bool:
        """Whether the caller is the loop's own thread."""
        return self._thread is threading.current_thread()

    def submit(self, call: Call[R]) -> Future[R]:
        """Start a coroutine, in the context of the calling thread."""
        try:
            return asyncio.run_coroutine_threadsafe(call, self._loop)
        except RuntimeError as error:  # the loop is closed: by a signal handler, or something in it raised SystemExit
            raise RequestError("this client's loop has ended: make a new client") from error

    def signal(self) -> None:
        """Ask the thread to end. Nothing is waited for: a garbage collector may call this, in any thread."""
        if self.is_forked:
            return  # the loop's file descriptors are the parent's
        atexit.unregister(self.end)
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)

    def end(self) -> None:
        """Ask the thread to end, and wait for it; not for ever, since at exit it may be stuck."""
        self.signal()
        if not self.is_forked and not self.is_current_thread:
            self._thread.join(_END_WITHIN)

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._until_stopped())

    async def _until_stopped(self) -> None:
        await self._stop.wait()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        for source in list(self.sources):
            await source.aclose()
        await self._on_close()
