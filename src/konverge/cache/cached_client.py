"""The cached client: reads from memory, writes to the server, and reads its own writes.

It has the methods of `Client`. A read of a kind that nobody watches yet starts its informer and waits for it, or, if
told so, fails or goes to the server.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from konverge.api.field_selector import FieldSelector
from konverge.api.form import Form, Kind, T, form_of
from konverge.api.kind import ObjectKey
from konverge.api.label_selector import LabelSelector
from konverge.api.meta import ListMeta
from konverge.api.request import ListOptions
from konverge.cache.cache import Cache
from konverge.cache.informer import Informer
from konverge.cache.stored import Entry, Stored, read_entry
from konverge.client.client import Client
from konverge.client.engine import Defaults, Named, Selector, field_text, label_text
from konverge.client.listing import PAGE_SIZE, Listing, ObjectList
from konverge.errors import NotFound, Operation, RequestError


class Unwatched(StrEnum):
    """What a read of a kind that nobody watches does."""

    START = "start"  # an informer, and waits for it
    FAIL = "fail"
    LIVE = "live"  # asks the server


class CachedClient(Client):
    """A client whose `get` and `list` answer from a cache; `live` is the one that always asks the server.

    A read sees every earlier write of this program's own that went through a client of the same cache, with these
    exceptions, which it sees when the watch brings them:

    - a write by the scale subresource, or any other whose answer is not the object itself (an eviction, a binding),
    - a write in another API version than the one that is read; deletions are seen in every version,
    - a write of metadata alone (`metadata_only`), for reads of the whole object,
    - of `delete_all_of`: pods, jobs, replication controllers, objects that a finalizer holds, and everything where the
      propagation is Foreground or Orphan.

    A read of a kind that cannot be watched (no such CRD, no RBAC rule) fails with what is missing, and does not wait.
    """

    def __init__(
        self, cache: Cache, *, unwatched: Unwatched = Unwatched.START, defaults: Defaults | None = None
    ) -> None:
        super().__init__(cache.observing, defaults=defaults)
        self.cache = cache
        self.unwatched = unwatched

    @property
    def live(self) -> Client:
        """A client with the same defaults that reads from the server."""
        return Client(self.cache.observing, defaults=self._engine.defaults)

    def with_defaults(self, **changes: Any) -> Client:
        """Return a client with other defaults; one that acts as another user reads live: we read as ourselves."""
        return self.live.with_defaults(**changes) if "headers" in changes else super().with_defaults(**changes)

    async def get(
        self, kind: Kind[T], name: str | Named, *, namespace: str | None = None, resource_version: str | None = None
    ) -> T:
        """Return one object from memory; with a `resource_version`, from the server."""
        informer = self.cache.known(kind)
        if informer is None or not informer.synced:
            informer = await self._informer(form_of(kind))
        if informer is None or resource_version is not None:
            return await self.live.get(kind, name, namespace=namespace, resource_version=resource_version)
        key = self._engine.key(informer.resource, name, namespace)
        entry = informer.get(key)
        if entry is None:
            raise _not_found(informer, key)
        return read_entry(entry, form_of(kind))

    def list(
        self,
        kind: Kind[T],
        *,
        namespace: str | None = None,
        labels: Selector | None = None,
        fields: Selector | None = None,
        limit: int | None = None,
        page_size: int = PAGE_SIZE,
        resource_version: str | None = None,
        resource_version_match: str | None = None,
    ) -> Listing[T]:
        """Return the objects of a namespace, or of all, from memory; with a `resource_version`, from the server.

        A field selector needs an index of that field (`cache.index`), metadata.name and metadata.namespace aside.
        """
        form = form_of(kind)
        live = self.live.list(
            kind,
            namespace=namespace,
            labels=labels,
            fields=fields,
            limit=limit,
            page_size=page_size,
            resource_version=resource_version,
            resource_version_match=resource_version_match,
        )

        async def fetch(_page: ListOptions) -> ObjectList[T]:
            informer = await self._informer(form)
            if informer is None or resource_version is not None:
                return await live
            place = self._engine.namespace(informer.resource, namespace)
            by_label, by_field = (
                LabelSelector.parse(label_text(labels) or ""),
                FieldSelector.parse(field_text(fields) or ""),
            )
            chosen = _chosen(informer, place, by_label, by_field)
            objects = [read_entry(entry, form) for entry in _first(chosen, limit)]
            version = str(max((feed.version for feed in informer.feeds), default=0))
            return ObjectList(objects, ListMeta(resource_version=version))

        return Listing(fetch, ListOptions(), limit=None, page_size=page_size)

    async def _informer(self, form: Form[T]) -> Informer[T] | None:
        """The informer that answers reads of a form, synced; None where the server is to answer."""
        informer = self.cache.known(form)
        if informer is None:
            if self.unwatched is Unwatched.LIVE:
                return None
            if self.unwatched is Unwatched.FAIL:
                raise RequestError(
                    f"{form.gvk.kind} is not watched, and this client may not start to: watch it, "
                    "or read it live (client.live)"
                )
            informer = await self.cache.informer(form)
        if not informer.synced:
            if not self.cache.running:
                raise RequestError(f"{form.gvk.kind} cannot be read from a cache that does not run: start it first")
            await informer.wait_until_readable()
        return informer


def _chosen(informer: Informer[T], namespace: str, labels: LabelSelector, fields: FieldSelector) -> Iterator[Entry]:
    """Yield the entries that a list with these selectors gives."""
    for _key, entry in _by_fields(informer, namespace, fields):
        if not labels or labels.matches(Stored(entry, informer.form).metadata.labels):
            yield entry


def _by_fields(informer: Informer[T], namespace: str, fields: FieldSelector) -> Iterator[tuple[ObjectKey, Entry]]:
    exact = {term.field: term.value for term in fields.requirements if not term.negated}
    name, place = exact.pop("metadata.name", None), exact.pop("metadata.namespace", None)
    if len(exact) > 1 or any(term.negated for term in fields.requirements):
        raise RequestError(f'a cached list takes equalities on one indexed field, not "{fields}": list it live')
    if exact:
        ((path, value),) = exact.items()
        if not informer.has_index(path):
            raise RequestError(
                f'a cached list of {informer.resource.kind} by "{path}" needs an index: '
                f'await cache.index({informer.resource.kind}, "{path}") at any time, '
                "or cache.declare_index(…) while the program is set up"
            )
        found = informer.found(path, value, namespace)
    else:
        found = informer.items(namespace)
    for key, entry in found:
        if name in (None, key.name) and place in (None, key.namespace):
            yield key, entry


def _first(entries: Iterator[Entry], limit: int | None) -> Iterator[Entry]:
    return entries if limit is None else (entry for entry, _ in zip(entries, range(limit), strict=False))


def _not_found(informer: Informer[T], key: ObjectKey) -> NotFound:
    resource = informer.resource
    operation = Operation(
        verb="get", group=resource.group, resource=resource.plural, namespace=key.namespace, name=key.name
    )
    return NotFound(f'{resource.group_resource} "{key.name}" not found', operation=operation)
