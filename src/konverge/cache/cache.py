"""Cache: one informer per kind and form, shared by all who need it, started when it is first asked for.

What is held of a kind (namespaces, selectors, a transform) is decided once, when the cache is made: an informer that
two controllers share cannot mean two things.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from random import Random
from typing import Any, TypeVar, cast

from konverge import log
from konverge.api.form import Form, Kind, form_of
from konverge.api.kind import GroupKind, GroupResource, GroupVersionKind, ObjectKey, Resource
from konverge.api.object import Object
from konverge.cache.feed import Selection, Transform
from konverge.cache.index import IndexFunction, Values, values_at, values_by
from konverge.cache.informer import Informer, InformerOptions
from konverge.cache.observer import ObservingTransport
from konverge.cache.watcher import Limits
from konverge.client.discovery import Discovery
from konverge.client.transport import Transport
from konverge.errors import RequestError

_LOG = log.get("cache")

T = TypeVar("T", bound=Object)


class Cache:
    """Holds the kinds it is asked for; `run` keeps them up to date.

    `transport` is where lists and watches go; `observing` is the same transport for clients, whose writes are then
    seen by reads through this cache at once.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        selections: Mapping[type[Object] | GroupKind, Selection[Any]] | None = None,
        namespaces: tuple[str, ...] = (),
        transform: Transform[Any] | None = None,
        resync: float = 36_000.0,
        limits: Limits | None = None,
        random: Random | None = None,
    ) -> None:
        self._transport = transport
        self.observing = ObservingTransport(transport, self)
        self._discovery = Discovery(transport)
        self._selections = {_group_kind(kind): selection for kind, selection in (selections or {}).items()}
        self._default: Selection[Any] = Selection(namespaces=namespaces, transform=transform)
        self._resync = resync
        self._limits = limits or Limits()
        # Jitter keeps replicas from asking all at once; it needs no secrecy.
        self._random = random or Random()  # noqa: S311
        self._informers: dict[Form[Any], Informer[Any]] = {}
        self._declared: dict[Form[Any], dict[str, Values]] = {}  # indexes that an informer has from its start
        self._by_kind: dict[Kind[Any], Informer[Any]] = {}  # the same, by what reads name them by: every read looks
        self._tasks: dict[Form[Any], asyncio.Task[None]] = {}
        self._group: asyncio.TaskGroup | None = None

    # --- informers ---

    async def informer(self, kind: Kind[T]) -> Informer[T]:
        """Return the informer of a kind, started if the cache runs; who wants its objects waits for its sync."""
        form = form_of(kind)
        found = self._informers.get(_identity(form))
        if found is None:
            resource = await self._discovery.resource_of(form)
            found = self._informers.get(_identity(form)) or self._make(form, resource)
        return cast("Informer[T]", found)

    async def resource_of(self, kind: Kind[T]) -> Resource:
        """Return how a kind is addressed, without watching it."""
        return await self._discovery.resource_of(form_of(kind))

    def selection_of(self, form: Form[Any] | None) -> Selection[Any]:
        """Return what is held of a kind, or of a kind that nothing else was said of."""
        return self._default if form is None else self._selections.get(form.gvk.group_kind, self._default)

    def _make(self, form: Form[T], resource: Resource) -> Informer[T]:
        selection = self.selection_of(form)
        options = InformerOptions(selection=selection, resync=self._resync, limits=self._limits)
        informer = Informer(self._transport, form, resource, options, random=self._random)
        for field, values in self._declared.get(_identity(form), {}).items():
            informer.add_index(field, values)
        self._informers[_identity(form)] = informer
        self._start(_identity(form), informer)
        return informer

    def _start(self, identity: Form[Any], informer: Informer[Any]) -> None:
        if self._group is not None:
            name = f"informer {informer.resource.plural}"
            self._tasks[identity] = self._group.create_task(informer.run(), name=name)

    def known(self, kind: Kind[T]) -> Informer[T] | None:
        """Return the informer of a kind if there is one."""
        found = self._by_kind.get(kind)
        if found is None:
            found = self._informers.get(_identity(form_of(kind)))
            if found is not None:
                self._by_kind[kind] = found
        return found

    @property
    def informers(self) -> list[Informer[Any]]:
        """All informers there are, in the order they were asked for."""
        return list(self._informers.values())

    async def remove(self, kind: Kind[T]) -> bool:
        """Stop watching a kind that no handler needs any more, and forget its objects; return whether it was there."""
        identity = _identity(form_of(kind))
        informer = self._informers.get(identity)
        if informer is None:
            return False
        if informer.handlers:
            raise RequestError(f"{informer.resource.kind} still has {informer.handlers} handlers: remove them first")
        del self._informers[identity]
        self._by_kind.clear()
        task = self._tasks.pop(identity, None)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        informer.end()
        return True

    async def index(self, kind: Kind[T], field: str, function: IndexFunction[T] | None = None) -> None:
        """Make objects of a kind findable by a field (a path such as `spec.nodeName`), or by a function of theirs.

        At any time; the informer of the kind is made if there is none.
        """
        form = form_of(kind)
        (await self.informer(form)).add_index(field, _values(form, field, function))

    def declare_index(self, kind: Kind[T], field: str, function: IndexFunction[T] | None = None) -> None:
        """Do as `index`, without asking the server: the index is there as soon as the kind is watched."""
        form = form_of(kind)
        values = _values(form, field, function)
        declared = self._declared.setdefault(_identity(form), {})
        if field in declared:
            raise RequestError(f'{form.gvk.kind} has an index "{field}" already: use it, or choose another name')
        informer = self.known(form)
        if informer is not None:
            informer.add_index(field, values)
        declared[field] = values

    # --- its life ---

    async def run(self) -> None:
        """Run every informer, those that are asked for later too, until cancelled."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            try:
                for identity, informer in self._informers.items():
                    self._start(identity, informer)
                await asyncio.get_running_loop().create_future()  # until cancelled
            finally:
                self._group = None
                self._tasks.clear()

    @property
    def running(self) -> bool:
        """Whether `run` is under way."""
        return self._group is not None

    async def wait_for_sync(self) -> None:
        """Wait until every informer that is there has read what there was at the start."""
        for informer in self.informers:
            await informer.wait_for_sync()

    # --- our own writes ---

    def wrote(self, gvk: GroupVersionKind, data: bytes) -> None:
        """Let reads see the answer to a write."""
        for form, informer in self._informers.items():
            if form.gvk == gvk:
                for feed in informer.feeds:
                    feed.wrote(data)

    def wrote_metadata(self, resource: GroupResource, data: bytes) -> None:
        """Let reads of metadata alone see the answer to a write that was answered with no more."""
        for form, informer in self._informers.items():
            if form.metadata_only and informer.resource.group_resource == resource:
                for feed in informer.feeds:
                    feed.wrote(data)

    def deleted(self, resource: GroupResource, key: ObjectKey, uid: str, *, sure: bool = True) -> None:
        """Let reads no longer see an object that we deleted; not `sure`: until the watch shows that it lingers."""
        for informer in self._informers.values():
            if informer.resource.group_resource == resource:
                for feed in informer.feeds:
                    feed.deleted_ourselves(key, uid, sure=sure)


def _identity(form: Form[T]) -> Form[T]:
    """What makes two requests for an informer the same: the kind and the form, not how the resource was found."""
    return Form(form.cls, form.gvk)


def _values(form: Form[T], field: str, function: IndexFunction[T] | None) -> Values:
    return values_at(field) if function is None else values_by(field, function, form)


def _group_kind(kind: type[Object] | GroupKind) -> GroupKind:
    return kind if isinstance(kind, GroupKind) else kind.__resource__.group_version_kind.group_kind
