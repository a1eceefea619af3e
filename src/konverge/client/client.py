"""Client: every verb of the Kubernetes API on objects of any form, live from the server.

A write that answers with the object makes the one at hand what the server made of it (new resourceVersion, defaults
filled in), as controller-runtime does; `apply` alone leaves its argument, the author's intent, as it is.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import AsyncGenerator, Iterable, Mapping
from types import TracebackType
from typing import Any, Self

from konverge.api import request
from konverge.api.form import Form, Kind, T, form_of_object
from konverge.api.kind import Resource
from konverge.api.model import decode
from konverge.api.object import Object, become, write
from konverge.api.request import APPLY_PATCH, ListOptions
from konverge.api.watch import WatchDecoder
from konverge.client.config import Config, Impersonate
from konverge.client.engine import (
    Defaults,
    Engine,
    Named,
    Selector,
    accept_of,
    field_text,
    form_of,
    label_text,
    naming,
    refuse_metadata_only,
)
from konverge.client.event import WatchEvent, event_reader
from konverge.client.extract import extracted, refuse_if_partial, refuse_if_read
from konverge.client.http import HttpTransport
from konverge.client.listing import PAGE_SIZE, Listing, ObjectList, read_page
from konverge.client.patch import MergePatch, Patch
from konverge.client.retry import RetryingTransport, RetryPolicy
from konverge.client.served import ServedKinds, served_kinds
from konverge.client.subresource import Subresource
from konverge.client.transport import Transport
from konverge.errors import ConnectionFailed, RequestError


class Client:
    """Talks to one API server as one user; safe to share between tasks of one event loop.

    Options are keyword-only, and where they are left out, the client's own defaults hold: `namespace` (a client of
    one namespace), `field_owner` ("konverge"), `field_validation` (the server's: warn), `dry_run` (no).
    """

    def __init__(self, transport: Transport, *, defaults: Defaults | None = None) -> None:
        self._engine = Engine(transport, defaults or Defaults())

    @classmethod
    def connect(
        cls,
        config: Config | None = None,
        *,
        retry: RetryPolicy | None = None,
        timeout: float = 60.0,
        defaults: Defaults | None = None,
    ) -> Self:
        """Return a client for a configuration, by default the one kubectl would use here.

        Nothing is sent yet. Use it as `async with Client.connect() as client`, or close it.
        """
        transport = HttpTransport(config or Config.load(), timeout=timeout)
        return cls(RetryingTransport(transport, retry or RetryPolicy()), defaults=defaults)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections, for every view of this client too."""
        await self._engine.transport.close()

    # --- views: other defaults over the same connections ---

    def with_defaults(self, **changes: Any) -> Client:
        """Return a client with other defaults: `namespace`, `field_owner`, `field_validation`, `dry_run`."""
        other = copy.copy(self)
        other._engine = self._engine.with_defaults(dataclasses.replace(self._engine.defaults, **changes))  # noqa: SLF001 - its own class
        return other

    def in_namespace(self, namespace: str) -> Client:
        """Return a client of one namespace: calls need not name it, and cannot leave it."""
        if not namespace:
            raise RequestError("a client of one namespace needs its name: an empty one would mean all of them")
        return self.with_defaults(namespace=namespace)

    @property
    def namespace(self) -> str | None:
        """The one namespace that it reads and writes in; None: any."""
        return self._engine.defaults.namespace

    def impersonate(
        self, user: str, *, groups: Iterable[str] = (), uid: str = "", extra: Mapping[str, Iterable[str]] | None = None
    ) -> Client:
        """Return a client that acts as another user, as `kubectl --as` does."""
        more = {key: tuple(values) for key, values in (extra or {}).items()}
        who = Impersonate(user, groups=tuple(groups), uid=uid, extra=more)
        return self.with_defaults(headers=who.headers())

    # --- reads ---

    async def get(
        self, kind: Kind[T], name: str | Named, *, namespace: str | None = None, resource_version: str | None = None
    ) -> T:
        """Return one object; `NotFound` if there is none. The name may be a key, a request or metadata as well."""
        form = form_of(kind)

        async def fetch(resource: Resource) -> T:
            key = self._engine.key(resource, name, namespace)
            call = request.get(resource, key, resource_version=resource_version, accept=accept_of(form))
            return await self._engine.read(call, form)

        return await self._engine.addressed(form, fetch)

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
        """Return the objects of a namespace, or of all: `await` it for a list, or iterate with `async for`.

        Pages are fetched as they are needed; `limit` bounds the number of objects over all of them.
        """
        form = form_of(kind)
        options = ListOptions(
            labels=label_text(labels),
            fields=field_text(fields),
            resource_version=resource_version,
            resource_version_match=resource_version_match,
        )

        async def fetch(resource: Resource, page: ListOptions) -> ObjectList[T]:
            where = self._engine.namespace(resource, namespace)
            call = request.list_(resource, where, page, accept=accept_of(form, many=True))
            response = await self._engine.call(call)
            with naming(call):
                return read_page(response.body, form)

        async def fetch_page(page: ListOptions) -> ObjectList[T]:
            return await self._engine.addressed(form, lambda resource: fetch(resource, page))

        return Listing(fetch_page, options, limit=limit, page_size=page_size)

    async def watch(
        self,
        kind: Kind[T],
        *,
        namespace: str | None = None,
        labels: Selector | None = None,
        fields: Selector | None = None,
        resource_version: str | None = None,
        bookmarks: bool = True,
        send_initial_events: bool = False,
        timeout_seconds: int | None = None,
    ) -> AsyncGenerator[WatchEvent[T]]:
        """Yield the changes from a version on, until the server ends the watch.

        Without a version, what is there comes first, as ADDED. A version that is too old raises `Expired`: list, and
        watch from there. A broken connection raises `ConnectionFailed`: watch again from the last version seen.
        Whoever leaves early closes it: `async with contextlib.aclosing(client.watch(…)) as events`.
        """
        form = form_of(kind)
        resource = await self._engine.resource_of(form)
        options = ListOptions(
            labels=label_text(labels),
            fields=field_text(fields),
            resource_version=resource_version,
            resource_version_match="NotOlderThan" if send_initial_events else None,
            timeout_seconds=timeout_seconds,
        )
        call = request.watch(
            resource,
            self._engine.namespace(resource, namespace),
            options,
            bookmarks=bookmarks,
            send_initial_events=send_initial_events or None,
            accept=accept_of(form),
        )
        decoder, read_event = WatchDecoder(), event_reader(form, call.operation)
        async with self._engine.stream(call) as chunks:
            async for chunk in chunks:
                with naming(call):
                    events = decoder.feed(chunk)
                for event in events:
                    yield read_event(event)
        if decoder.close():
            raise ConnectionFailed(f"{call.operation}: the stream ended in the middle of an event")

    async def extract(
        self,
        kind: Kind[T],
        name: str | Named,
        *,
        namespace: str | None = None,
        field_owner: str | None = None,
        subresource: str = "",
    ) -> T:
        """Return what a manager has applied to an object, and nothing else: change it, and apply it again.

        Reads the live object. One that exists and of which the manager owns nothing comes back with its name alone.
        What was applied to a subresource (status) is apart: name it to get that instead.
        """
        # A client that reads from a cache must not do so here: it keeps no record of who owns what.
        live = await Client.get(self, kind, name, namespace=namespace)
        return extracted(live, field_owner or self._engine.defaults.field_owner, subresource=subresource)

    async def get_raw(self, path: str, *, query: Mapping[str, str] | None = None) -> bytes:
        """Return the body of any path the server answers GET on, as it is; the path is sent as it is written."""
        if not path.startswith("/") or not path.isascii() or not path.isprintable() or " " in path:
            raise RequestError(f"{path!r} is not a path on the server: begin with a slash, and quote it for a URL")
        return (await self._engine.call(request.raw(path, query=query))).body

    async def version(self) -> dict[str, str]:
        """Return what the server says of its version (`gitVersion`, `major`, `minor`, …)."""
        call = request.raw("/version")
        response = await self._engine.call(call)
        with naming(call):
            return decode(dict[str, str], response.body)

    async def served_kinds(self) -> ServedKinds:
        """Return every kind that the server serves, with its verbs: for programs that work on kinds of any sort."""
        return await served_kinds(self._engine.transport)

    async def resource_of(self, kind: Kind[T]) -> Resource:
        """Return how a kind is addressed (its plural, its scope); `NotFound` if the server does not serve it."""
        return await self._engine.resource_of(form_of(kind))

    # --- writes ---

    async def create(
        self,
        obj: T,
        *,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> T:
        """Create an object; `AlreadyExists` if the name is taken."""
        form, resource, key = await self._engine.locate(obj)
        refuse_metadata_only(form, "create")
        options = self._engine.write_options(
            dry_run=dry_run, field_owner=field_owner, field_validation=field_validation
        )
        call = request.create(resource, key, write(obj), options=options)
        return become(obj, await self._engine.read(call, form))

    async def update(
        self,
        obj: T,
        *,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> T:
        """Replace an object by this one; `Conflict` if it changed since it was read.

        What goes out is what was read plus the changes, so fields that the class does not know are kept.
        """
        form, resource, key = await self._engine.locate(obj)
        refuse_if_partial(obj)
        refuse_metadata_only(form, "update")
        options = self._engine.write_options(
            dry_run=dry_run, field_owner=field_owner, field_validation=field_validation
        )
        call = request.update(resource, key, write(obj), options=options)
        return become(obj, await self._engine.read(call, form))

    async def patch(
        self,
        obj: T,
        patch: Patch | None = None,
        *,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> T:
        """Change a part of an object; by default by a merge patch of the changes made since it was read."""
        form, resource, key = await self._engine.locate(obj)
        patch = patch or MergePatch()
        options = self._engine.write_options(
            dry_run=dry_run, field_owner=field_owner, field_validation=field_validation
        )
        call = request.patch(
            resource,
            key,
            patch.data(obj),
            options=options,
            media_type=patch.media_type,
            accept=accept_of(form),
        )
        return become(obj, await self._engine.read(call, form))

    async def apply(
        self,
        obj: T,
        *,
        force: bool = False,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> T:
        """Make the server's object have these fields and no others of ours (server-side apply); return it.

        The argument holds the author's intent and stays as it is. `ApplyConflict` lists the fields that another
        manager owns with other values; `force` takes them over.
        """
        form, resource, key = await self._engine.locate(obj)
        refuse_if_read(obj)
        options = self._engine.write_options(
            dry_run=dry_run, field_owner=field_owner, field_validation=field_validation
        )
        call = request.patch(resource, key, write(obj), options=options, media_type=APPLY_PATCH, force=force or None)
        return await self._engine.read(call, form)

    async def delete(
        self,
        target: Object | Kind[T],
        name: str | Named | None = None,
        *,
        namespace: str | None = None,
        grace_seconds: int | None = None,
        propagation: str | None = None,
        uid: str | None = None,
        resource_version: str | None = None,
        dry_run: bool | None = None,
    ) -> None:
        """Delete an object, given itself or its kind and name; `Conflict` if a precondition does not hold.

        `propagation` is Background, Foreground or Orphan; `uid` and `resource_version` are the preconditions.
        """
        form, named = _target(target, name)
        resource = await self._engine.resource_of(form)
        body = request.delete_body(
            grace_seconds=grace_seconds,
            propagation=propagation,
            uid=uid,
            resource_version=resource_version,
            dry_run=self._engine.defaults.dry_run if dry_run is None else dry_run,
        )
        await self._engine.delete(request.delete(resource, self._engine.key(resource, named, namespace), body))

    async def delete_all_of(
        self,
        kind: Kind[T],
        *,
        namespace: str | None = None,
        labels: Selector | None = None,
        fields: Selector | None = None,
        grace_seconds: int | None = None,
        propagation: str | None = None,
        dry_run: bool | None = None,
    ) -> None:
        """Delete every object of a kind that a list with the same selectors would give."""
        form = form_of(kind)
        resource = await self._engine.resource_of(form)
        where = self._engine.namespace(resource, namespace)
        if resource.namespaced and not where:
            raise RequestError(
                f"delete_all_of({resource.kind}) needs a namespace: the server deletes many objects in one at a time"
            )
        options = ListOptions(labels=label_text(labels), fields=field_text(fields))
        body = request.delete_body(
            grace_seconds=grace_seconds,
            propagation=propagation,
            dry_run=self._engine.defaults.dry_run if dry_run is None else dry_run,
        )
        await self._engine.delete(request.delete_collection(resource, where, options, body))

    # --- subresources ---

    @property
    def status(self) -> Subresource:
        """The status subresource: `client.status.update(obj)` writes the status and nothing else."""
        return self.subresource("status")

    def subresource(self, name: str) -> Subresource:
        """Return the verbs of any subresource, such as scale, eviction or token."""
        return Subresource(self._engine, name)


def _target(target: Object | Kind[T], name: str | Named | None) -> tuple[Form[Any], str | Named]:
    if isinstance(target, Object):
        return form_of_object(target), target.metadata if name is None else name
    if name is None:
        raise RequestError(f"delete({form_of(target).gvk.kind}, …) needs the name of the object, or the object itself")
    return form_of(target), name
