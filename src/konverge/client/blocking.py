"""The client for threads and scripts: the methods of `Client` without the `await`.

One event loop on one thread stands behind a client and all its views; any number of threads may use it at once. The
functions that go with a client (`create_or_update` …) are here too, and call the author's function in the thread they
are called in.

Written by tools/generate_blocking.py from the async client; changes made by hand are lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

from konverge.api.form import Kind, T
from konverge.api.kind import Resource
from konverge.api.object import Object
from konverge.client import ignore, upsert
from konverge.client.blocking_iterator import BlockingIterator
from konverge.client.blocking_subresource import BlockingSubresource
from konverge.client.client import Client
from konverge.client.config import Config
from konverge.client.engine import Defaults, Named, Selector
from konverge.client.event import WatchEvent
from konverge.client.listing import PAGE_SIZE, ObjectList
from konverge.client.loop_thread import LoopThread
from konverge.client.patch import Patch
from konverge.client.retry import RetryPolicy
from konverge.client.served import ServedKinds
from konverge.client.stepping import awaitable, deferred, finish, plain
from konverge.client.upsert import OperationResult
from konverge.client.waiter import Waiter

R = TypeVar("R")


class BlockingClient:
    """Talks to one API server as one user; safe to share between threads.

    Options and defaults are those of `Client`. Close it, or use it as `with BlockingClient.connect() as client`.
    """

    def __init__(self, client: Client, waiter: Waiter | None = None) -> None:
        self._client = client
        self._wait = waiter or Waiter(LoopThread(client.close))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections and end the thread, for every view of this client too.

        Calls that other threads wait for raise `ConnectionFailed`; watches end.
        """
        self._wait.thread.close()

    def with_timeout(self, seconds: float) -> BlockingClient:
        """Return a client that gives a call up after this time, retries included, with `ConnectionFailed`.

        Each page of `iterate` counts as a call; a watch waits as long as it takes.
        """
        return BlockingClient(self._client, Waiter(self._wait.thread, seconds))

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

        Nothing is sent yet. Use it as `with BlockingClient.connect() as client`, or close it.
        """
        return cls(Client.connect(config, retry=retry, timeout=timeout, defaults=defaults))

    def with_defaults(self, **changes: Any) -> BlockingClient:
        """Return a client with other defaults: `namespace`, `field_owner`, `field_validation`, `dry_run`."""
        return BlockingClient(self._client.with_defaults(**changes), self._wait)

    def in_namespace(self, namespace: str) -> BlockingClient:
        """Return a client of one namespace: calls need not name it, and cannot leave it."""
        return BlockingClient(self._client.in_namespace(namespace), self._wait)

    @property
    def namespace(self) -> str | None:
        """The one namespace that it reads and writes in; None: any."""
        return self._client.namespace

    def impersonate(
        self, user: str, *, groups: Iterable[str] = (), uid: str = "", extra: Mapping[str, Iterable[str]] | None = None
    ) -> BlockingClient:
        """Return a client that acts as another user, as `kubectl --as` does."""
        return BlockingClient(self._client.impersonate(user, groups=groups, uid=uid, extra=extra), self._wait)

    def get(
        self, kind: Kind[T], name: str | Named, *, namespace: str | None = None, resource_version: str | None = None
    ) -> T:
        """Return one object; `NotFound` if there is none. The name may be a key, a request or metadata as well."""
        return self._wait.call(self._client.get(kind, name, namespace=namespace, resource_version=resource_version))

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
    ) -> ObjectList[T]:
        """Return the objects of a namespace, or of all, fetching page after page.

        `limit` bounds the number of objects over all pages. To hold one page at a time, use `iterate`.
        """
        return self._wait.all(
            self._client.list(
                kind,
                namespace=namespace,
                labels=labels,
                fields=fields,
                limit=limit,
                page_size=page_size,
                resource_version=resource_version,
                resource_version_match=resource_version_match,
            )
        )

    def iterate(
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
    ) -> Iterator[T]:
        """Yield the objects that `list` would return, fetching pages as they are needed.

        Raises `Expired` when the server has forgotten the version of the first page.
        """
        return self._wait.each(
            self._client.list(
                kind,
                namespace=namespace,
                labels=labels,
                fields=fields,
                limit=limit,
                page_size=page_size,
                resource_version=resource_version,
                resource_version_match=resource_version_match,
            )
        )

    def watch(
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
    ) -> BlockingIterator[WatchEvent[T]]:
        """Yield the changes from a version on, until the server ends the watch.

        Without a version, what is there comes first, as ADDED. A version that is too old raises `Expired`: list, and
        watch from there. A broken connection raises `ConnectionFailed`: watch again from the last version seen.
        Whoever leaves early closes it: `with client.watch(…) as events`.
        """
        return self._wait.stream(
            self._client.watch(
                kind,
                namespace=namespace,
                labels=labels,
                fields=fields,
                resource_version=resource_version,
                bookmarks=bookmarks,
                send_initial_events=send_initial_events,
                timeout_seconds=timeout_seconds,
            )
        )

    def extract(
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
        return self._wait.call(
            self._client.extract(kind, name, namespace=namespace, field_owner=field_owner, subresource=subresource)
        )

    def get_raw(self, path: str, *, query: Mapping[str, str] | None = None) -> bytes:
        """Return the body of any path the server answers GET on, as it is; the path is sent as it is written."""
        return self._wait.call(self._client.get_raw(path, query=query))

    def version(self) -> dict[str, str]:
        """Return what the server says of its version (`gitVersion`, `major`, `minor`, …)."""
        return self._wait.call(self._client.version())

    def served_kinds(self) -> ServedKinds:
        """Return every kind that the server serves, with its verbs: for programs that work on kinds of any sort."""
        return self._wait.call(self._client.served_kinds())

    def resource_of(self, kind: Kind[T]) -> Resource:
        """Return how a kind is addressed (its plural, its scope); `NotFound` if the server does not serve it."""
        return self._wait.call(self._client.resource_of(kind))

    def create(
        self,
        obj: T,
        *,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> T:
        """Create an object; `AlreadyExists` if the name is taken."""
        return self._wait.call(
            self._client.create(obj, dry_run=dry_run, field_owner=field_owner, field_validation=field_validation)
        )

    def update(
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
        return self._wait.call(
            self._client.update(obj, dry_run=dry_run, field_owner=field_owner, field_validation=field_validation)
        )

    def patch(
        self,
        obj: T,
        patch: Patch | None = None,
        *,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> T:
        """Change a part of an object; by default by a merge patch of the changes made since it was read."""
        return self._wait.call(
            self._client.patch(obj, patch, dry_run=dry_run, field_owner=field_owner, field_validation=field_validation)
        )

    def apply(
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
        return self._wait.call(
            self._client.apply(
                obj, force=force, dry_run=dry_run, field_owner=field_owner, field_validation=field_validation
            )
        )

    def delete(
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
        self._wait.call(
            self._client.delete(
                target,
                name,
                namespace=namespace,
                grace_seconds=grace_seconds,
                propagation=propagation,
                uid=uid,
                resource_version=resource_version,
                dry_run=dry_run,
            )
        )

    def delete_all_of(
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
        self._wait.call(
            self._client.delete_all_of(
                kind,
                namespace=namespace,
                labels=labels,
                fields=fields,
                grace_seconds=grace_seconds,
                propagation=propagation,
                dry_run=dry_run,
            )
        )

    @property
    def status(self) -> BlockingSubresource:
        """The status subresource: `client.status.update(obj)` writes the status and nothing else."""
        return BlockingSubresource(self._client.status, self._wait)

    def subresource(self, name: str) -> BlockingSubresource:
        """Return the verbs of any subresource, such as scale, eviction or token."""
        return BlockingSubresource(self._client.subresource(name), self._wait)


def create_or_update(client: BlockingClient, obj: T, mutate: Callable[[T], None]) -> OperationResult:
    """Create the object, or update the live one if `mutate` changes it; the object becomes what the server has."""
    return finish(upsert.create_or_update(awaitable(client), obj, plain(mutate)))


def create_or_patch(client: BlockingClient, obj: T, mutate: Callable[[T], None]) -> OperationResult:
    """Create the object, or patch the live one, and its status apart, by merge patches of what `mutate` changes."""
    return finish(upsert.create_or_patch(awaitable(client), obj, plain(mutate)))


def ignore_not_found(call: Callable[[], R]) -> R | None:
    """Make a call and return its result, or None if the object is not there."""
    return finish(ignore.ignore_not_found(deferred(call)))


def ignore_already_exists(call: Callable[[], R]) -> R | None:
    """Make a call and return its result, or None if the object was there before."""
    return finish(ignore.ignore_already_exists(deferred(call)))
