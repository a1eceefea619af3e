"""Feeder: the way of one event through predicates and handler into the queue, the same for every source.

What is no news (the initial list, a resync) gets low priority, so that real changes pass it. A handler that waits
is awaited in the background, one event after the other; one that raises is asked again after a pause that doubles, so
that no event is lost by a fault that passes.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Awaitable, Sequence
from typing import Any

from konverge import log
from konverge.controller.event import CreateEvent, Event, UpdateEvent, verb_of
from konverge.controller.handler import Answer, Handler, Scheduled
from konverge.controller.predicate import PredicateLike, passes
from konverge.controller.reconcile import Request
from konverge.queue import LOW_PRIORITY, Cause, Queue

_LOG = log.get("controller")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 300.0  # seconds before a handler that raised is asked again


class Feeder:
    """Belongs to one source."""

    def __init__(
        self,
        queue: Queue[Request],
        group: asyncio.TaskGroup,
        handler: Handler,
        *,
        predicates: Sequence[PredicateLike] = (),
        kind: str = "",
    ) -> None:
        self.count = 0  # events so far
        self._queue = queue
        self._group = group
        self._handler = handler
        self._predicates = predicates
        self._kind = kind
        self._waiting: asyncio.Queue[tuple[Event[Any], Awaitable[Answer], int]] | None = None

    def feed(self, event: Event[Any]) -> None:
        """Let an event take its way."""
        self.count += 1
        if not self._predicates or passes(self._predicates, event):
            self._ask(event)

    def add(self, request: Request) -> None:
        """Add a request that no event stands behind."""
        self.count += 1
        self._queue.add(request, cause=Cause("generic", self._kind, request.namespace, request.name))

    def _ask(self, event: Event[Any], attempt: int = 0) -> None:
        try:
            answer = self._handler.requests(event)
            if isinstance(answer, (tuple, list)) or not inspect.isawaitable(answer):
                self._enqueue(event, answer)
                return
        except Exception as error:  # noqa: BLE001 - the author's code
            self._ask_later(event, attempt, error)
            return
        self._await_later(event, answer, attempt)

    def _enqueue(self, event: Event[Any], answer: Any) -> None:
        priority = priority_of(event)
        cause = None
        for request in answer:
            if cause is None:
                key = event.key
                cause = Cause(verb_of(event), self._kind, key.namespace, key.name)
            if isinstance(request, Scheduled):
                own = priority if request.priority is None else request.priority
                self._queue.add(request.request, after=request.after, priority=own, cause=cause)
            else:
                self._queue.add(request, priority=priority, cause=cause)

    def _await_later(self, event: Event[Any], answer: Awaitable[Answer], attempt: int) -> None:
        if self._waiting is None:
            self._waiting = asyncio.Queue()
            # In a context of its own: a reconcile may be what asks for it (by a push into a channel); it outlives that.
            name, context = f"handler {self._handler!r}", contextvars.Context()
            self._group.create_task(self._await_all(self._waiting), name=name, context=context)
        self._waiting.put_nowait((event, answer, attempt))

    async def _await_all(self, waiting: asyncio.Queue[tuple[Event[Any], Awaitable[Answer], int]]) -> None:
        try:
            while True:
                event, answer, attempt = await waiting.get()
                try:
                    self._enqueue(event, await answer)
                except Exception as error:  # noqa: BLE001 - the author's code
                    self._ask_later(event, attempt, error)
        finally:
            _close_all(waiting)

    def _ask_later(self, event: Event[Any], attempt: int, error: Exception) -> None:
        pause = min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE)
        _LOG.error("a handler failed and is asked again", error, handler=repr(self._handler), event=repr(event))
        asyncio.get_running_loop().call_later(pause, self._ask_again, event, attempt + 1)

    def _ask_again(self, event: Event[Any], attempt: int) -> None:
        if not self._queue.shutting_down:
            self._ask(event, attempt)


def _close_all(waiting: asyncio.Queue[tuple[Event[Any], Awaitable[Answer], int]]) -> None:
    """Close the coroutines that were never awaited; a warning about them would mean nothing."""
    while not waiting.empty():
        answer = waiting.get_nowait()[1]
        if inspect.iscoroutine(answer):
            answer.close()


def priority_of(event: Event[Any]) -> int:
    """Return the priority of what follows from an event: low, where it is no news."""
    if isinstance(event, CreateEvent):
        return LOW_PRIORITY if event.is_in_initial_list else 0
    return LOW_PRIORITY if isinstance(event, UpdateEvent) and event.is_resync else 0
