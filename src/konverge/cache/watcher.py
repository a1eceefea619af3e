"""Watcher: keeps a sink equal to what the server has, by list and watch, through whatever happens on the way.

It runs the states of `machine`: this module does their I/O, that one decides. A list is streamed (WatchList) where the
server can, and the watch goes on over the same connection; else it is read in pages. The sink sees either a complete
list or nothing of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import cached_property
from random import Random
from typing import NoReturn, Protocol

import msgspec
from msgspec import Raw

from konverge import log
from konverge.api import request
from konverge.api.kind import Resource
from konverge.api.meta import ListMeta
from konverge.api.request import ApiRequest, ListOptions
from konverge.api.watch import RawEvent, WatchDecoder
from konverge.cache.machine import (
    Ended,
    Failed,
    Listing,
    Outcome,
    Problem,
    Stalled,
    State,
    Synced,
    Waiting,
    Watching,
    next_state,
)
from konverge.cache.stored import Header, version_of
from konverge.client.listing import PAGE_SIZE, split_page
from konverge.client.transport import Transport
from konverge.errors import ConnectionFailed, DecodeError, Expired, Forbidden, KonvergeError, Operation, from_status

_LOG = log.get("cache")
_SHORTEST_WATCH = 1.0  # seconds; a server that ends watches sooner, with nothing in them, is not well
_HEALTHY = 10.0  # seconds; a watch that lives so long is well, also if nothing happens


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What is listed and watched."""

    resource: Resource
    namespace: str = ""  # empty: all
    labels: str | None = None
    fields: str | None = None
    metadata_only: bool = False


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How long the server may be silent; a watch is always shorter than the 240 s at which load balancers cut."""

    watch_seconds: tuple[int, int] = (180, 235)  # a watch ends after some time between these
    watch_idle: float = 150.0  # a bookmark comes about each minute
    list_idle: float = 10.0
    bookmarks: bool = (
        True  # False where silence means nothing: lists come in pages, and a long watch may have to list anew
    )


class Sink(Protocol):
    """What a watcher fills."""

    def heard(self, moment: float) -> None:
        """Something came, at this time of the loop."""
        ...

    def list_started(self) -> None:
        """A list begins, sent after every write so far."""
        ...

    def listed(self, data: bytes | Raw) -> None:
        """Take one object of the list; it is not to be seen before the list is complete."""
        ...

    def unlisted(self, data: bytes) -> None:
        """Take one object back that was deleted while the list was being sent."""
        ...

    def list_finished(self, version: str) -> None:
        """The list is complete: it takes the place of what was there."""
        ...

    def changed(self, data: bytes) -> str:
        """An object was added or modified; return its version."""
        ...

    def deleted(self, data: bytes) -> str:
        """An object was deleted; return the version of that."""
        ...

    def reached(self, version: str) -> None:
        """Everything up to this version has been seen."""
        ...

    def state_changed(self, state: State) -> None:
        """The watcher is in this state now."""
        ...


class Watcher:
    """Follows one query for as long as it runs."""

    def __init__(
        self, transport: Transport, query: Query, sink: Sink, *, random: Random, limits: Limits | None = None
    ) -> None:
        self._transport = transport
        self._query = query
        self._sink = sink
        self._random = random
        self._limits = limits or Limits()
        self._failures = 0
        self._can_stream = self._limits.bookmarks  # a streamed list ends with one
        self._version = ""
        self._doubtful = False  # the connection was lost: it may be another server that answers next
        self._brought = False  # whether this stream has brought a list or a change
        self._health: asyncio.TimerHandle | None = None
        self._told: Problem | None = None
        self.state: State = Listing(stream=self._can_stream)
        self._log = _LOG.bind(resource=query.resource.plural, namespace=query.namespace)

    async def run(self) -> NoReturn:
        """Go from state to state until cancelled."""
        while True:
            self._sink.state_changed(self.state)
            if isinstance(self.state, Waiting):
                await asyncio.sleep(self._jittered(self.state.seconds))
                self.state = self.state.then
                continue
            outcome = await self._outcome(self.state)
            self._enter(outcome)

    def _enter(self, outcome: Outcome) -> None:
        """Go to the state that follows from an outcome."""
        state = self.state
        if isinstance(state, Waiting):
            raise TypeError("a watcher that waits has no outcome")
        self.state = next_state(state, outcome, failures=self._failures, can_stream=self._can_stream)
        if isinstance(self.state, Waiting):
            self._failures += 1
            self._doubtful = True
            self._tell(self.state)
        elif self._can_stream and isinstance(self.state, Listing) and not self.state.stream:
            self._can_stream = False
            self._log.info("the server does not stream lists; listing in pages")

    def _tell(self, waiting: Waiting) -> None:
        """Log a problem when it is new, not each time it is met again."""
        problem = waiting.problem
        known, self._told = self._told == problem, problem
        if known:
            write = self._log.debug
        else:
            write = self._log.warning if problem.needs_a_person or self._failures > 1 else self._log.info
        write("the watch is interrupted", reason=problem.reason, cause=problem.message, retry_in=waiting.seconds)

    def _succeeded(self) -> None:
        """Start over with counting failures: the watch brought a change, or has lived for a while.

        A finished list alone is no success: where each watch after it fails, lists would follow each other at once.
        """
        if self._told is not None and self._failures:
            self._log.info("the watch is back", reason=self._told.reason)
        self._failures = 0
        self._told = None
        self._doubtful = False

    def _watch_opened(self) -> None:
        self._watch_closed()
        self._health = asyncio.get_running_loop().call_later(_HEALTHY, self._succeeded)

    def _watch_closed(self) -> None:
        if self._health is not None:
            self._health.cancel()
            self._health = None

    def _jittered(self, seconds: float) -> float:
        return seconds * self._random.uniform(0.9, 1.1)

    async def _outcome(self, state: Listing | Watching) -> Outcome:
        """Do what a state says, and tell what came of it."""
        self._version = state.version if isinstance(state, Watching) else ""
        try:
            if isinstance(state, Listing) and not state.stream:
                return await self._list_pages()
            if isinstance(state, Watching) and self._doubtful:
                await self._check_server(state.version)
            return await self._follow(state)
        except KonvergeError as error:
            return Failed(error, self._version)
        except msgspec.MsgspecError as error:
            return Failed(DecodeError(f"watch {self._query.resource.plural}: {error}"), self._version)

    async def _check_server(self, version: str) -> None:
        """Refuse to go on from a version that the server has not reached: it was restored from older data.

        A watch from there would be opened, and show nothing until the server has made up for all that was lost.
        """
        try:
            _, metadata = await self._page(None, 1)
        except Forbidden:
            return  # who may not list cannot know
        there = version_of(metadata.resource_version)
        if 0 < there < version_of(version):
            raise Expired(f"the server is at version {there}, and was at {version}: its data is older than what it had")
        self._doubtful = False

    # --- paged lists ---

    async def _list_pages(self) -> Outcome:
        self._sink.list_started()
        token: str | None = None
        size: int | None = PAGE_SIZE
        version = ""
        while True:
            try:
                items, metadata = await self._page(token, size)
            except Expired:
                if token is None:
                    raise
                # The version of the first page is gone: everything in one answer cannot expire half-way.
                self._sink.list_started()
                token, size = None, None
                continue
            for item in items:
                self._sink.listed(item)
            version = metadata.resource_version or version
            token = metadata.continue_
            if not token:
                self._sink.list_finished(version)
                self._doubtful = False
                return Synced(version)

    async def _page(self, token: str | None, size: int | None) -> tuple[list[Raw], ListMeta]:
        query = self._query
        options = ListOptions(labels=query.labels, fields=query.fields, limit=size, continue_=token)
        accept = request.METADATA_LIST if query.metadata_only else request.JSON
        call = request.list_(query.resource, query.namespace, options, accept=accept)
        return split_page((await self._transport.call(call)).body, query.resource.kind)

    # --- streams ---

    async def _follow(self, state: Listing | Watching) -> Outcome:
        """Open a watch, and take in what it sends until it ends."""
        loop = asyncio.get_running_loop()
        opened = loop.time()
        self._brought = False
        try:
            async with asyncio.timeout(self._idle(state)) as deadline:
                # Closed here, not when it is collected: an error keeps its frames, and they the connection.
                async with aclosing(self._batches(state)) as batches:
                    async for batch in batches:
                        for event in batch:
                            self._take(event)
                        now = loop.time()
                        self._sink.heard(now)
                        deadline.reschedule(now + self._idle(self.state))
        except TimeoutError:
            return Stalled(self._version, self._idle(self.state))
        finally:
            self._watch_closed()
        if isinstance(self.state, Listing):
            raise ConnectionFailed(f"list {self._query.resource.plural}: the server ended the list half-way")
        if not self._brought and loop.time() - opened < _SHORTEST_WATCH:
            raise ConnectionFailed(f"watch {self._query.resource.plural}: the server ends watches at once")
        return Ended(self._version)

    def _idle(self, state: State) -> float:
        return self._limits.list_idle if isinstance(state, Listing) else self._limits.watch_idle

    async def _batches(self, state: Listing | Watching) -> AsyncGenerator[list[RawEvent]]:
        """Yield the events of a stream as they arrive together."""
        decoder = WatchDecoder()
        if isinstance(state, Listing):
            self._sink.list_started()
        async with self._transport.stream(self._watch_request(state)) as chunks:
            if isinstance(state, Watching):
                self._watch_opened()
            async for chunk in chunks:
                yield decoder.feed(chunk)
        if decoder.close():
            raise ConnectionFailed(f"watch {self._query.resource.plural}: the stream ended inside an event")

    def _watch_request(self, state: Listing | Watching) -> ApiRequest:
        query = self._query
        listing = isinstance(state, Listing)
        options = ListOptions(
            labels=query.labels,
            fields=query.fields,
            resource_version=None if isinstance(state, Listing) else state.version,
            resource_version_match="NotOlderThan" if listing else None,
            timeout_seconds=self._random.randint(*self._limits.watch_seconds),
        )
        return request.watch(
            query.resource,
            query.namespace,
            options,
            bookmarks=self._limits.bookmarks,
            send_initial_events=True if listing else None,
            accept=request.METADATA if query.metadata_only else request.JSON,
        )

    def _take(self, event: RawEvent) -> None:
        """Give one event to the sink, in the way of the state it comes in."""
        handlers = self._listing if isinstance(self.state, Listing) else self._watching
        handler = handlers.get(event.type)
        if handler is None:
            raise DecodeError(f"the watch sent an event of unknown type {event.type[:40]!r}")
        handler(event.object)

    @cached_property
    def _listing(self) -> dict[str, Callable[[bytes], None]]:
        listed = self._sink.listed
        return {
            "ADDED": listed,
            "MODIFIED": listed,
            "DELETED": self._sink.unlisted,
            "BOOKMARK": self._list_bookmark,
            "ERROR": self._raise,
        }

    @cached_property
    def _watching(self) -> dict[str, Callable[[bytes], None]]:
        return {
            "ADDED": self._changed,
            "MODIFIED": self._changed,
            "DELETED": self._deleted,
            "BOOKMARK": self._bookmark,
            "ERROR": self._raise,
        }

    def _changed(self, data: bytes) -> None:
        self._came_to(self._sink.changed(data))

    def _deleted(self, data: bytes) -> None:
        self._came_to(self._sink.deleted(data))

    def _came_to(self, version: str) -> None:
        """Note a change; one that is shown again, or that cannot be read, brings the watch no further."""
        self._brought = True
        if version and version != self._version:
            self._version = version
            self._succeeded()

    def _bookmark(self, data: bytes) -> None:
        self._version = _BOOKMARK.decode(data).metadata.resource_version or self._version
        self._sink.reached(self._version)

    def _list_bookmark(self, data: bytes) -> None:
        metadata = _BOOKMARK.decode(data).metadata
        if (metadata.annotations or {}).get("k8s.io/initial-events-end") == "true":
            self._version = metadata.resource_version or ""
            self._sink.list_finished(self._version)
            self._brought, self._doubtful = True, False
            self._watch_opened()
            self.state = Watching(self._version)  # over the same connection
            self._sink.state_changed(self.state)

    def _raise(self, data: bytes) -> None:
        operation = Operation(verb="watch", group=self._query.resource.group, resource=self._query.resource.plural)
        raise from_status(msgspec.json.decode(data), operation=operation)


class _Bookmark(msgspec.Struct):
    metadata: Header


_BOOKMARK = msgspec.json.Decoder(_Bookmark)
