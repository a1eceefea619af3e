"""EveryKindSource: the events of all kinds a server serves, those that are installed later too.

For controllers of no kind in particular: a garbage collector, a backup, a policy. It holds metadata alone. Discovery is
asked at the start, when a CustomResourceDefinition or an APIService changes, and now and then; a kind that comes is
watched from then on, one that goes is not watched any more. A group whose server is away keeps the kinds it had.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Final

from konverge import log
from konverge.api.form import Form, metadata_only
from konverge.api.kind import GroupResource, GroupVersionResource, Resource
from konverge.api.unstructured import PartialObjectMetadata, Unstructured
from konverge.cache.cache import Cache
from konverge.client.client import Client
from konverge.client.served import ServedKind, ServedKinds
from konverge.controller.event import Event
from konverge.controller.handler import Answer, Handler
from konverge.controller.reconcile import Request
from konverge.controller.source import KindSource
from konverge.errors import ApiError, ConnectionFailed
from konverge.queue import Queue

_LOG = log.get("controller")
_REFRESH: Final = 300.0  # seconds between two looks when nothing says that kinds have changed
_AFTER_NEWS: Final = 1.0  # seconds until the second look after news: discovery may be a moment behind
_PATIENCE: Final = 30.0  # seconds to wait for a kind that cannot be listed before the others go on without it

# Where an object that changes means that other kinds are served.
_DEFINING: Final = frozenset(
    {
        GroupResource("apiextensions.k8s.io", "customresourcedefinitions"),
        GroupResource("apiregistration.k8s.io", "apiservices"),
    }
)

HandlerFor = Callable[[Resource], Handler]
"""Makes the handler of one kind's events."""


def is_watchable(kind: ServedKind) -> bool:
    """Whether objects of a kind can be listed and watched."""
    return kind.allows("list", "watch")


class EveryKindSource:
    """Watches the metadata of every kind that `kinds` says yes to, each in the version that the server prefers."""

    def __init__(
        self,
        cache: Cache,
        client: Client,
        handler_for: HandlerFor,
        *,
        kinds: Callable[[ServedKind], bool] = is_watchable,
    ) -> None:
        self._cache = cache
        self._client = client
        self._handler_for = handler_for
        self._wanted = kinds
        self._sources: dict[GroupVersionResource, KindSource[PartialObjectMetadata]] = {}
        self._news = asyncio.Event()
        self._queue: Queue[Request] | None = None
        self._group: asyncio.TaskGroup | None = None

    @property
    def resources(self) -> tuple[GroupVersionResource, ...]:
        """What is watched at the moment."""
        return tuple(self._sources)

    # --- a source ---

    async def start(self, queue: Queue[Request], group: asyncio.TaskGroup) -> None:
        """Watch what is served now, and follow what changes."""
        self._queue, self._group = queue, group
        await self._look()
        group.create_task(self._follow(), name=f"{self!r}")

    async def wait_for_sync(self) -> None:
        """Wait for the first list of each kind; one that cannot be listed is waited for no longer than the others."""
        waits = [asyncio.ensure_future(source.wait_for_sync()) for source in self._sources.values()]
        try:
            _, late = await asyncio.wait(waits, timeout=_PATIENCE)
        finally:
            for wait in waits:
                wait.cancel()
        if late:
            _LOG.warning("going on without kinds that cannot be listed", problems=[str(each) for each in self.problems])

    def stop(self) -> None:
        """Watch no more."""
        for source in self._sources.values():
            source.stop()

    @property
    def problems(self) -> Iterable[object]:
        """Why kinds are not followed."""
        return [problem for source in self._sources.values() for problem in source.problems]

    def __repr__(self) -> str:
        return f"EveryKindSource({len(self._sources)} kinds)"

    # --- which kinds ---

    async def _follow(self) -> None:
        wait = _REFRESH
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._news.wait()
            wait = _AFTER_NEWS if self._news.is_set() else _REFRESH
            self._news.clear()
            try:
                await self._look()
            except (ApiError, ConnectionFailed) as error:
                _LOG.warning("discovery failed; the kinds known so far are watched on", cause=str(error))

    async def _look(self) -> None:
        """Ask what is served, and let the sources follow."""
        served = await self._client.served_kinds()
        wanted = _wanted(served, self._wanted, known=self._sources)
        for gone in [resource for resource in self._sources if resource not in wanted]:
            await self._end(gone)
        for found, resource in wanted.items():
            if found not in self._sources and resource is not None:
                await self._begin(resource)

    async def _begin(self, resource: Resource) -> None:
        if self._queue is None or self._group is None:
            return
        handler = self._handler_for(resource)
        if resource.group_resource in _DEFINING:
            handler = _Telling(handler, self._news.set)
        source = KindSource(self._cache, _form(resource), handler)
        self._sources[resource.group_version_resource] = source
        await source.start(self._queue, self._group)

    async def _end(self, gone: GroupVersionResource) -> None:
        source = self._sources.pop(gone)
        source.stop()
        await self._cache.remove(source.form)


class _Telling:
    """A handler that also tells that it was asked."""

    def __init__(self, handler: Handler, tell: Callable[[], None]) -> None:
        self._handler = handler
        self._tell = tell

    def requests(self, event: Event[Any]) -> Any:
        """Tell, and ask the handler."""
        self._tell()
        answer: Answer | Any = self._handler.requests(event)
        return answer


def _form(resource: Resource) -> Form[PartialObjectMetadata]:
    return metadata_only(Form(Unstructured, resource.group_version_kind, resource))


def _wanted(
    served: ServedKinds, wanted: Callable[[ServedKind], bool], *, known: Iterable[GroupVersionResource]
) -> dict[GroupVersionResource, Resource | None]:
    """Return what is to be watched; without its resource, what is watched already and could not be asked about."""
    found: dict[GroupVersionResource, Resource | None] = {
        kind.resource.group_version_resource: kind.resource for kind in served.preferred() if wanted(kind)
    }
    for resource in known:
        if resource.group_version in served.failed:
            found.setdefault(resource, None)
    return found
