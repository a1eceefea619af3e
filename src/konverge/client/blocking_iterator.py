"""BlockingIterator: an async generator on a `LoopThread`, read by a plain `for`."""

from __future__ import annotations

import threading
from asyncio import Lock
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from enum import Enum
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

from konverge.client.loop_thread import LoopThread
from konverge.errors import ConnectionFailed

R = TypeVar("R")


class _End(Enum):
    END = "end"


_END: Final = _End.END


class BlockingIterator(Iterator[R], Generic[R]):
    """Yields what the async generator yields; waits in `next` and nowhere else.

    `close`, from any thread or a signal handler, ends a `for` loop that waits in another; so does closing the client.
    As a context manager it is closed on the way out; one that is dropped is closed by the garbage collector.
    """

    def __init__(self, thread: LoopThread, source: AsyncGenerator[R]) -> None:
        self._thread = thread
        self._source = source
        self._turn = Lock()  # one step at a time: an async generator cannot be entered twice
        self._closed = False
        self._waiting: list[Future[R | _End]] = []  # the steps that threads wait for now
        self._lock = threading.RLock()  # guards the two fields above; reentrant for signal handlers

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __next__(self) -> R:
        with self._lock:
            if self._closed or self._thread.closed:
                raise StopIteration
            future = self._thread.submit(self._step())
            self._waiting.append(future)
        try:
            item = future.result()
        except CancelledError:
            raise StopIteration from None
        except BaseException:
            future.cancel()
            raise
        finally:
            self._waiting.remove(future)
            del future  # it may hold the error, whose traceback holds this frame
        if item is _END:
            raise StopIteration
        return item

    def close(self) -> None:
        """End the iteration here and in every thread that waits for an item; may be called twice."""
        with self._lock:
            was_closed, self._closed = self._closed, True
            waiting = list(self._waiting)
        for future in waiting:
            future.cancel()
        if not was_closed and not self._thread.closed:
            with suppress(ConnectionFailed):  # the client was closed meanwhile, and this with it
                self._thread.run(self._finish())

    async def _step(self) -> R | _End:
        async with self._turn:
            self._thread.own(self._source)
            return await anext(self._source, _END)

    async def _finish(self) -> None:
        async with self._turn:
            await self._source.aclose()
