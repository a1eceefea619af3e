"""Sources: where events come from: the cache, a channel, or anything that can be iterated over.

A source is started once with the controller's queue and a task group for what it does in the background. What it
brings passes the predicates, then the handler, and becomes keys in the queue. `wait_for_sync` holds the workers back
until all that was there at the start is known.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from typing import Any, Generic, Protocol

from konverge import log
from konverge.api.form import Form, Kind, T, form_of
from konverge.api.kind import Resource
from konverge.api.object import Object
from konverge.cache.informer import Informer, Registration
from konverge.cache.stored import Stored
from konverge.controller.event import CreateEvent, DeleteEvent, Event, GenericEvent, UpdateEvent
from konverge.controller.feeder import Feeder
from konverge.controller.handler import EnqueueRequestForObject, HandlerLike, handler_of
from konverge.controller.predicate import Predicates, predicates_of
from konverge.controller.reconcile import Request
from konverge.queue import Queue

_LOG = log.get("controller")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 30.0  # seconds before an iterator that failed is made anew


class Source(Protocol):
    """Anything that puts requests into a controller's queue."""

    async def start(self, queue: Queue[Request], group: asyncio.TaskGroup) -> None:
        """Begin, and return; what goes on is a task of the group, which ends with the controller."""
        ...

    async def wait_for_sync(self) -> None:
        """Return when everything that was there at the start has been put into the queue."""
        ...

    def stop(self) -> None:
        """Put nothing more into the queue."""
        ...

    @property
    def problems(self) -> Iterable[object]:
        """Why it is not in sync, one sentence each."""
        ...


class Informers(Protocol):
    """Gives the one informer of a kind, and starts it if nobody has yet."""

    async def informer(self, kind: Kind[T]) -> Informer[T]:
        """Return the informer."""
        ...

    async def resource_of(self, kind: Kind[T]) -> Resource:
        """Return how a kind is addressed; nothing is watched for that."""
        ...


class KindSource(Generic[T]):
    """The events of a kind, from the cache. For metadata alone give `metadata_only(Kind)`."""

    def __init__(
        self, cache: Informers, kind: Kind[T], handler: HandlerLike | None = None, *, predicates: Predicates = ()
    ) -> None:
        self.form = form_of(kind)
        self._cache = cache
        self._handler = handler_of(handler or EnqueueRequestForObject())
        self._predicates = predicates_of(predicates)
        self._informer: Informer[T] | None = None
        self._registration: Registration[T] | None = None

    async def start(self, queue: Queue[Request], group: asyncio.TaskGroup) -> None:
        """Listen to the informer of the kind."""
        prepare = getattr(self._handler, "prepare", None)
        if prepare is not None:
            await prepare(self)
        feeder = Feeder(queue, group, self._handler, predicates=self._predicates, kind=self.form.gvk.kind)
        self._informer = await self._cache.informer(self.form)
        self._registration = self._informer.add_handler(_Listener(feeder))

    async def resource_of(self, form: Form[Any]) -> Resource:
        """Return how a kind is addressed."""
        return await self._cache.resource_of(form)

    async def wait_for_sync(self) -> None:
        """Wait for the informer's first list."""
        if self._informer is not None:
            await self._informer.wait_for_sync()

    def stop(self) -> None:
        """Listen no more."""
        if self._registration is not None:
            self._registration.remove()
            self._registration = None

    @property
    def problems(self) -> Iterable[object]:
        """Why the informer is not following."""
        return self._informer.problems if self._informer is not None else ()

    def __repr__(self) -> str:
        metadata = ", metadata only" if self.form.metadata_only else ""
        return f"KindSource({self.form.gvk}{metadata})"


class _Listener(Generic[T]):
    """Makes events of what an informer tells."""

    def __init__(self, feeder: Feeder) -> None:
        self._feed = feeder.feed

    def on_add(self, obj: Stored[T], *, initial: bool) -> None:
        """An object is there."""
        self._feed(CreateEvent(obj, initial))

    def on_update(self, old: Stored[T], new: Stored[T]) -> None:
        """An object changed."""
        self._feed(UpdateEvent(old, new))

    def on_delete(self, obj: Stored[T], *, known: bool) -> None:
        """An object is gone."""
        self._feed(DeleteEvent(obj, not known))


Occurrence = Object | Event[Any] | Request
"""What comes from outside: an object something happened to, a whole event, or directly a request."""


class Channel:
    """A way in for events from outside: a webhook of a git server, a message queue, a timer, another thread.

    `push` never waits and may be called from any thread. Each source that listens gets each event; what is pushed
    before the first one listens is kept for it. What is pushed after the last one has stopped is for nobody.
    """

    def __init__(self) -> None:
        self._early: list[Occurrence] | None = []  # None: there has been one who listens
        self._listeners: list[tuple[asyncio.AbstractEventLoop, Callable[[Occurrence], None]]] = []

    def push(self, occurrence: Occurrence) -> None:
        """Tell of something that happened."""
        early = self._early
        if early is not None:
            early.append(occurrence)
        for loop, listener in tuple(self._listeners):
            with suppress(RuntimeError):  # that loop is closed: nobody is left to hear it
                loop.call_soon_threadsafe(listener, occurrence)

    def listen(self, listener: Callable[[Occurrence], None]) -> Callable[[], None]:
        """Call back for each event, on the running loop; return what ends it."""
        entry = (asyncio.get_running_loop(), listener)
        self._listeners.append(entry)
        early, self._early = self._early, None
        for occurrence in early or ():
            listener(occurrence)
        return lambda: self._listeners.remove(entry)


class ChannelSource:
    """The events that are pushed into a `Channel`."""

    def __init__(
        self, channel: Channel, handler: HandlerLike | None = None, *, predicates: Predicates = (), name: str = ""
    ) -> None:
        self._channel = channel
        self._handler = handler_of(handler or EnqueueRequestForObject())
        self._predicates = predicates_of(predicates)
        self._name = name
        self._end: Callable[[], None] | None = None

    async def start(self, queue: Queue[Request], group: asyncio.TaskGroup) -> None:
        """Listen to the channel."""
        feeder = Feeder(queue, group, self._handler, predicates=self._predicates, kind=self._name)
        self._end = self._channel.listen(lambda occurrence: _feed(feeder, occurrence))

    async def wait_for_sync(self) -> None:
        """There is nothing to wait for."""

    def stop(self) -> None:
        """Listen no more."""
        if self._end is not None:
            self._end()
            self._end = None

    problems: tuple[object, ...] = ()

    def __repr__(self) -> str:
        return f"ChannelSource({self._name!r})"


Iterated = AsyncIterator[Occurrence] | Callable[[], AsyncIterator[Occurrence]] | asyncio.Queue[Occurrence]


class IteratorSource:
    """What an async iterator or an `asyncio.Queue` yields.

    A function that makes the iterator is better than the iterator: when one fails or ends, the next is made, after a
    pause that doubles. A bare iterator that fails ends its controller, since nothing would come any more.
    """

    def __init__(
        self, iterated: Iterated, handler: HandlerLike | None = None, *, predicates: Predicates = (), name: str = ""
    ) -> None:
        self._iterated = iterated
        self._handler = handler_of(handler or EnqueueRequestForObject())
        self._predicates = predicates_of(predicates)
        self._name = name
        self._task: asyncio.Task[None] | None = None

    async def start(self, queue: Queue[Request], group: asyncio.TaskGroup) -> None:
        """Iterate in the background."""
        feeder = Feeder(queue, group, self._handler, predicates=self._predicates, kind=self._name)
        self._task = group.create_task(self._run(feeder), name=f"source {self._name}")

    async def wait_for_sync(self) -> None:
        """There is nothing to wait for."""

    def stop(self) -> None:
        """Iterate no more."""
        if self._task is not None:
            self._task.cancel()

    problems: tuple[object, ...] = ()

    async def _run(self, feeder: Feeder) -> None:
        iterated = self._iterated
        if isinstance(iterated, asyncio.Queue):
            await _drain(iterated, feeder)
        elif isinstance(iterated, AsyncIterator):
            await _exhaust(iterated, feeder)
        else:
            await self._again_and_again(iterated, feeder)

    async def _again_and_again(self, make: Callable[[], AsyncIterator[Occurrence]], feeder: Feeder) -> None:
        pause = _FIRST_PAUSE
        while True:
            count = feeder.count
            try:
                await _exhaust(make(), feeder)
            except Exception as error:  # noqa: BLE001 - the author's code; it is called again
                _LOG.error("a source failed and is started again", error, source=repr(self), after=pause)
            pause = _FIRST_PAUSE if feeder.count > count else min(pause * 2, _LONGEST_PAUSE)
            await asyncio.sleep(pause)

    def __repr__(self) -> str:
        return f"IteratorSource({self._name or self._iterated!r})"


async def _drain(items: asyncio.Queue[Occurrence], feeder: Feeder) -> None:
    while True:
        _feed(feeder, await items.get())
        items.task_done()


async def _exhaust(items: AsyncIterator[Occurrence], feeder: Feeder) -> None:
    async for occurrence in items:
        _feed(feeder, occurrence)


def _feed(feeder: Feeder, occurrence: Occurrence) -> None:
    if isinstance(occurrence, Request):
        feeder.add(occurrence)
    elif isinstance(occurrence, Object):
        feeder.feed(GenericEvent(occurrence))
    else:
        feeder.feed(occurrence)
