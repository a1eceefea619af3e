"""Informer: one kind, watched once, for any number of handlers and readers.

Each handler hears of every object that is there (`initial`), then of each change in the order of the watch. One that
raises is logged and counted, and hears of the next change all the same: it cannot stop the cache for the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from random import Random
from typing import Generic

import msgspec

from konverge import log
from konverge.api.form import Form, T
from konverge.api.kind import ObjectKey, Resource
from konverge.cache.feed import Feed, Listener, Selection
from konverge.cache.index import Index, Values
from konverge.cache.machine import Problem, Waiting
from konverge.cache.stored import Entry, Stored
from konverge.cache.watcher import Limits, Query, Watcher
from konverge.client.transport import Transport
from konverge.errors import ApiError, Forbidden, NotFound, RequestError, Unauthorized

_LOG = log.get("cache")
_MENDED_BY_A_PERSON: dict[str, type[ApiError]] = {
    "not_served": NotFound,
    "forbidden": Forbidden,
    "unauthorized": Unauthorized,
}
_BATCH = 500  # objects of a resync between two chances for everything else to run


class InformerOptions(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """How a kind is watched."""

    selection: Selection[T]
    resync: float = 36_000.0  # seconds between resyncs, with a tenth of jitter; 0 for none
    limits: Limits = msgspec.field(default_factory=Limits)


class Registration(Generic[T]):
    """A handler's place at an informer; `remove` ends it."""

    def __init__(self, informer: Informer[T], handler: Listener[T]) -> None:
        self._informer = informer
        self.handler = handler

    @property
    def informer(self) -> Informer[T]:
        """What the handler listens to."""
        return self._informer

    def remove(self) -> None:
        """Let the handler hear no more."""
        self._informer._remove(self)  # noqa: SLF001 - two halves of one thing


class Informer(Generic[T]):
    """Watches a kind and keeps it in memory; made by a `Cache`, which shares it."""

    def __init__(
        self,
        transport: Transport,
        form: Form[T],
        resource: Resource,
        options: InformerOptions[T],
        *,
        random: Random,
    ) -> None:
        self.form = form
        self.resource = resource
        self.options = options
        self.handler_errors = 0
        self._random = random
        self._registrations: list[Registration[T]] = []
        self._synced = self._ended = False
        self._news = asyncio.Event()  # set, and replaced by a new one, whenever those who wait have to look again
        selection = options.selection
        places = (selection.namespaces or ("",)) if resource.namespaced else ("",)
        self.feeds = [Feed(form, selection, self, namespace=place) for place in places]
        self._watchers = [
            Watcher(transport, self._query(feed), feed, random=random, limits=options.limits) for feed in self.feeds
        ]

    def _query(self, feed: Feed[T]) -> Query:
        selection = self.options.selection
        return Query(
            resource=self.resource,
            namespace=feed.namespace,
            labels=str(selection.labels) or None,
            fields=str(selection.fields) or None,
            metadata_only=self.form.metadata_only,
        )

    def __repr__(self) -> str:
        state = "synced" if self.synced else "not synced"
        return f"Informer({self.resource}, {sum(len(feed.store) for feed in self.feeds)} objects, {state})"

    # --- its life ---

    async def run(self) -> None:
        """Watch until cancelled."""
        async with asyncio.TaskGroup() as group:
            for watcher in self._watchers:
                group.create_task(watcher.run(), name=f"watch {self.resource.plural}")
            if self.options.resync:
                group.create_task(self._resync(), name=f"resync {self.resource.plural}")

    @property
    def synced(self) -> bool:
        """Whether everything that was there at the start has been read."""
        return self._synced

    async def wait_for_sync(self) -> None:
        """Wait until everything that was there at the start has been read, however long that takes."""
        while not self._synced:
            if self._ended:
                raise RequestError(
                    f"{self.resource.kind} is no longer watched: it was removed from the cache meanwhile"
                )
            await self._news.wait()

    async def wait_until_readable(self) -> None:
        """Wait as `wait_for_sync` does, but fail at once where waiting does not help: a missing CRD or RBAC rule."""
        while not self._synced and not self._ended:
            for problem in self.problems:
                if problem.needs_a_person:
                    raise _MENDED_BY_A_PERSON[problem.reason](problem.message)
            await self._news.wait()
        await self.wait_for_sync()

    def end(self) -> None:
        """Let those who wait know that nothing will come any more; the cache calls it when it has stopped `run`."""
        self._ended = True
        self._look_again()

    def _look_again(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    @property
    def problems(self) -> list[Problem]:
        """Why this informer is not following at the moment; empty when all is well."""
        return [feed.state.problem for feed in self.feeds if isinstance(feed.state, Waiting)]

    def feed_synced(self) -> None:
        """Note that one of the feeds has its first list."""
        if all(feed.synced for feed in self.feeds):
            self._synced = True
            self._look_again()

    def feed_waits(self) -> None:
        """Note that one of the feeds has met a problem."""
        self._look_again()

    async def _resync(self) -> None:
        """Now and then tell every handler of every object again, from memory: what was missed by a bug is mended."""
        while True:
            await asyncio.sleep(self.options.resync * self._random.uniform(0.9, 1.1))
            for feed in self.feeds:
                for count, (key, entry) in enumerate(list(feed.store.items())):
                    if count % _BATCH == 0:
                        await asyncio.sleep(0)
                    stored = Stored(entry, self.form, key=key)
                    self.on_update(stored, stored)

    # --- handlers ---

    def add_handler(self, handler: Listener[T]) -> Registration[T]:
        """Let a handler hear of everything there is and of every change from now on."""
        registration = Registration(self, handler)
        self._registrations.append(registration)
        for feed in self.feeds:
            for key, entry in list(feed.store.items()) if feed.synced else ():
                obj = Stored(entry, self.form, key=key)
                try:
                    handler.on_add(obj, initial=True)
                except Exception as error:  # noqa: BLE001 - the author's code; the cache must go on
                    self._failed(error, obj)
        return registration

    def _remove(self, registration: Registration[T]) -> None:
        if registration in self._registrations:
            self._registrations.remove(registration)

    @property
    def handlers(self) -> int:
        """How many handlers listen."""
        return len(self._registrations)

    def on_add(self, obj: Stored[T], *, initial: bool) -> None:
        """Tell every handler."""
        for registration in tuple(self._registrations):  # a handler may take itself out
            try:
                registration.handler.on_add(obj, initial=initial)
            except Exception as error:  # noqa: BLE001 - the author's code; the cache must go on
                self._failed(error, obj)

    def on_update(self, old: Stored[T], new: Stored[T]) -> None:
        """Tell every handler."""
        for registration in tuple(self._registrations):
            try:
                registration.handler.on_update(old, new)
            except Exception as error:  # noqa: BLE001 - as above
                self._failed(error, new)

    def on_delete(self, obj: Stored[T], *, known: bool) -> None:
        """Tell every handler."""
        for registration in tuple(self._registrations):
            try:
                registration.handler.on_delete(obj, known=known)
            except Exception as error:  # noqa: BLE001 - as above
                self._failed(error, obj)

    def _failed(self, error: Exception, obj: Stored[T]) -> None:
        self.handler_errors += 1
        _LOG.error("a handler failed", error, resource=self.resource.plural, object=str(obj.key))

    # --- reads ---

    def get(self, key: ObjectKey) -> Entry | None:
        """Return one object as readers see it, our own writes included."""
        for feed in self.feeds:
            if not feed.namespace or feed.namespace == key.namespace:
                return feed.get(key)
        raise RequestError(
            f'{self.resource.kind} "{key}" is outside of what this cache holds: it watches '
            f"{', '.join(feed.namespace for feed in self.feeds)}; add the namespace, or read it live"
        )

    def items(self, namespace: str = "") -> Iterator[tuple[ObjectKey, Entry]]:
        """Yield the objects of a namespace, or of all that are held."""
        for feed in self.feeds:
            if not namespace or not feed.namespace or feed.namespace == namespace:
                yield from feed.items(namespace)

    # --- indexes ---

    def add_index(self, name: str, values: Values) -> None:
        """Keep an index from now on; a second one of the same name is an error."""
        for feed in self.feeds:
            if name in feed.indexes:
                raise RequestError(
                    f'{self.resource.kind} has an index "{name}" already: use it, or choose another name'
                )
            index = Index(values)
            index.rebuild(feed.store.items())
            feed.indexes[name] = index

    def has_index(self, name: str) -> bool:
        """Whether there is such an index."""
        return all(name in feed.indexes for feed in self.feeds)

    def found(self, name: str, value: str, namespace: str = "") -> Iterator[tuple[ObjectKey, Entry]]:
        """Yield the objects that an index finds by a value."""
        for feed in self.feeds:
            for key, entry in feed.found(name, value):
                if not namespace or key.namespace == namespace:
                    yield key, entry
