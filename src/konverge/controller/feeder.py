"""Feeder: the way of one event through predicates and handler into the queue, the same for every source.

What is no news (the initial list, a resync) gets low priority, so that real changes pass it. A handler that waits
is awaited in the background, one event after the other; one that raises is asked again after a pause that doubles, so
that no event is lost by a fault that passes. Of each object one event at most waits for that, the latest, so that a
fault that does not pass costs little. What waits ends with the source.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any

from konverge import log
from konverge.controller.attempt import Cancelled
from konverge.controller.event import CreateEvent, Event, UpdateEvent, verb_of
from konverge.controller.handler import Answer, Handler, Scheduled
from konverge.controller.predicate import PredicateLike, passes
from konverge.controller.reconcile import Request
from konverge.queue import LOW_PRIORITY, Cause, Queue

_LOG = log.get("controller")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 300.0  # seconds before a handler that raised is asked again


_Waiting = asyncio.Queue[tuple[Event[Any], Awaitable[Answer], int]]


@dataclass(slots=True)
class _Retry:
    """An event that waits for its handler to be asked again."""

    event: Event[Any]
    timer: asyncio.TimerHandle


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
        self._waiting: _Waiting | None = None  # None: nothing had to wait yet
        self._retries: dict[Request, _Retry] = {}  # by the object of the event
        self._ended = False

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

    # --- what waits: for an answer, or to be asked again ---

    def _await_later(self, event: Event[Any], answer: Awaitable[Answer], attempt: int) -> None:
        waiting = self._in_background()
        if waiting is None:
            _close(answer)
        else:
            waiting.put_nowait((event, answer, attempt))

    def _in_background(self) -> _Waiting | None:
        """Return what the background task takes from, or None after the end of the source, which is that task's."""
        if self._waiting is None and not self._ended:
            self._waiting = asyncio.Queue()
            # In a context of its own: a reconcile may be what asks for it (by a push into a channel); it outlives that.
            name, context = f"handler {self._handler!r}", contextvars.Context()
            waits = self._await_all(self._waiting)
            try:
                self._group.create_task(waits, name=name, context=context)
            except RuntimeError:  # the group has ended: a last event, which was on its way
                waits.close()
                self._ended = True
        return None if self._ended else self._waiting

    async def _await_all(self, waiting: _Waiting) -> None:
        try:
            while True:
                event, answer, attempt = await waiting.get()
                try:
                    self._enqueue(event, await _answered(answer))
                except Exception as error:  # noqa: BLE001 - the author's code
                    self._ask_later(event, attempt, error)
        finally:
            self._end(waiting)

    def _end(self, waiting: _Waiting) -> None:
        self._ended = True
        for retry in self._retries.values():
            retry.timer.cancel()
        self._retries.clear()
        while not waiting.empty():
            _close(waiting.get_nowait()[1])

    def _ask_later(self, event: Event[Any], attempt: int, error: Exception) -> None:
        key = Request.of(event.metadata)
        there = self._retries.get(key)
        if there is not None:
            there.event = _merged(there.event, event)
        elif self._in_background() is not None:
            pause = min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE)
            _LOG.error("a handler failed and is asked again", error, handler=repr(self._handler), event=repr(event))
            timer = asyncio.get_running_loop().call_later(pause, self._ask_again, key, attempt + 1)
            self._retries[key] = _Retry(event, timer)

    def _ask_again(self, key: Request, attempt: int) -> None:
        retry = self._retries.pop(key)
        if not self._queue.shutting_down:
            self._ask(retry.event, attempt)


async def _answered(answer: Awaitable[Answer]) -> Answer:
    """Await a handler in a task of its own, so that a cancellation inside it is a failure of its own."""
    try:
        return await asyncio.ensure_future(answer)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise Cancelled("the handler ended in a cancelled task") from error


def _merged(older: Event[Any], newer: Event[Any]) -> Event[Any]:
    """Return the newer event; of two updates, with the state before both: a handler may look at what was."""
    if isinstance(older, UpdateEvent) and isinstance(newer, UpdateEvent):
        return UpdateEvent(older.subject_old, newer.subject)
    return newer


def _close(answer: Awaitable[Answer]) -> None:
    """Close a coroutine that was never awaited; a warning about it would mean nothing."""
    if inspect.iscoroutine(answer):
        answer.close()


def priority_of(event: Event[Any]) -> int:
    """Return the priority of what follows from an event: low, where it is no news."""
    if isinstance(event, CreateEvent):
        return LOW_PRIORITY if event.is_in_initial_list else 0
    return LOW_PRIORITY if isinstance(event, UpdateEvent) and event.is_resync else 0
