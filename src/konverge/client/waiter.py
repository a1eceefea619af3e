"""Waiter: how a blocking client waits, and for how long, for each shape that the async client's methods have."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterator
from typing import Any, TypeVar

import msgspec

from konverge.api.form import T
from konverge.client.blocking_iterator import BlockingIterator
from konverge.client.listing import Listing, ObjectList
from konverge.client.loop_thread import LoopThread

R = TypeVar("R")


class Waiter(msgspec.Struct, frozen=True):
    """A loop thread and the time that each call on it may take."""

    thread: LoopThread
    timeout: float | None = None  # seconds; None leaves it to the transport's own limits

    def call(self, call: Coroutine[Any, Any, R]) -> R:
        """Wait for the result of a call."""
        return self.thread.run(call, timeout=self.timeout)

    def all(self, listing: Listing[T]) -> ObjectList[T]:
        """Wait for a whole list."""
        return self.call(_all(listing))

    def each(self, listing: Listing[T]) -> Iterator[T]:
        """Yield the objects of a list, waiting once a page."""
        pages = listing.pages()
        while (page := self.call(_next(pages))) is not None:
            yield from page

    def stream(self, source: AsyncGenerator[R]) -> BlockingIterator[R]:
        """Yield what arrives, however long it takes."""
        return BlockingIterator(self.thread, source)


async def _all(listing: Listing[T]) -> ObjectList[T]:
    return await listing


async def _next(pages: AsyncIterator[ObjectList[T]]) -> ObjectList[T] | None:
    return await anext(pages, None)
