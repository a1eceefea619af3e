"""Handlers: which requests follow from an event. They stand between the predicates and the queue.

A handler is a pure question, `requests(event)`: the source that asks it adds the answers to the queue, with the cause
and with low priority where the event is no news (the initial list, a resync). Where it is taken, a plain function of
the object will do as well: it is an `EnqueueRequestsFromMap`.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Protocol, runtime_checkable

import msgspec

from konverge.api.form import Form, Kind, T, form_of
from konverge.api.kind import GroupKind, GroupVersion, Resource
from konverge.api.meta import OwnerReference
from konverge.api.object import Object
from konverge.controller.event import Event, Metadata, UpdateEvent
from konverge.controller.reconcile import Request
from konverge.errors import RequestError


class Scheduled(msgspec.Struct, frozen=True):
    """A request with more to it: not before some seconds have passed, or at a priority of its own."""

    request: Request
    after: float = 0.0
    priority: int | None = None


Answer = Iterable[Request | Scheduled]


@runtime_checkable
class Handler(Protocol):
    """Turns events into requests; asked again with a growing pause if it raises, so no event is lost."""

    def requests(self, event: Event[Any]) -> Answer | Awaitable[Answer]:
        """Return whom the event concerns."""
        ...


class ResourceFinder(Protocol):
    """Finds out how a kind is addressed."""

    async def resource_of(self, form: Form[Any]) -> Resource:
        """Return the resource of a form."""
        ...


class EnqueueRequestForObject:
    """The object that the event is about: what `for_` uses."""

    def requests(self, event: Event[Any]) -> Answer:
        """Return the object's own request."""
        key = event.key
        return (Request(key.namespace, key.name),)

    def __repr__(self) -> str:
        return "EnqueueRequestForObject()"


class EnqueueRequestForOwner:
    """The owner of the object, if it is of a kind: what `owns` uses. Group and kind count, whatever the version.

    The owner is the one marked as controller; with `every`, each owner of the kind. An update concerns the owners
    before and after it. `namespaced` need be given for kinds alone whose scope only the server knows.
    """

    def __init__(self, kind: Kind[T], *, every: bool = False, namespaced: bool | None = None) -> None:
        self.form: Form[Any] = form_of(kind)
        self.every = every
        self._group_kind = self.form.gvk.group_kind
        resource = self.form.resource
        self._namespaced = resource.namespaced if resource is not None else namespaced

    async def prepare(self, finder: ResourceFinder) -> None:
        """Ask the server for the scope of the owner's kind, if nobody has said it."""
        if self._namespaced is None:
            self._namespaced = (await finder.resource_of(self.form)).namespaced

    def requests(self, event: Event[Any]) -> Answer:
        """Return the owners' requests, each once."""
        found = dict.fromkeys(self._owners(event.metadata))
        if isinstance(event, UpdateEvent):
            found |= dict.fromkeys(self._owners(event.metadata_old))
        return tuple(found)

    def _owners(self, metadata: Metadata) -> Iterable[Request]:
        references = metadata.owner_references
        if not references:
            return
        if self._namespaced is None:
            raise RequestError(
                f"EnqueueRequestForOwner({self.form.gvk.kind}) does not know whether the kind has namespaces: "
                "give namespaced=True or False"
            )
        namespace = (metadata.namespace or "") if self._namespaced else ""
        for reference in references:
            if (self.every or reference.controller) and _group_kind(reference) == self._group_kind:
                yield Request(namespace, reference.name)

    def __repr__(self) -> str:
        return f"EnqueueRequestForOwner({self._group_kind}{', every=True' if self.every else ''})"


def _group_kind(reference: OwnerReference) -> GroupKind:
    return GroupKind(GroupVersion.parse(reference.api_version).group, reference.kind)


MapFunction = Callable[[Any], Any]
"""From an object to what should be reconciled: requests, keys, or metadata of objects. Async or plain."""


class EnqueueRequestsFromMap:
    """Whatever the author's function says; an update is asked about the object before and after it."""

    def __init__(self, function: MapFunction) -> None:
        self.function = function

    def requests(self, event: Event[Any]) -> Answer | Awaitable[Answer]:
        """Return the function's requests, each once."""
        objects: list[Object] = [event.old, event.new] if isinstance(event, UpdateEvent) else [event.object]
        if inspect.iscoroutinefunction(self.function):
            return self._awaited(objects)
        return _unique([self.function(obj) for obj in objects])

    async def _awaited(self, objects: list[Object]) -> Answer:
        return _unique([await self.function(obj) for obj in objects])

    def __repr__(self) -> str:
        return f"EnqueueRequestsFromMap({getattr(self.function, '__qualname__', self.function)})"


def _unique(answers: Iterable[Iterable[Any] | None]) -> Answer:
    found = (_request(named) for answer in answers for named in answer or ())
    return tuple(dict.fromkeys(found))


def _request(named: Any) -> Request | Scheduled:
    if isinstance(named, (Request, Scheduled)):
        return named
    if isinstance(named, Object):
        named = named.metadata
    if isinstance(named, str) or not hasattr(named, "name"):
        raise RequestError(f"a map function returned {named!r}: return requests, as [kv.Request(namespace, name)]")
    return Request.of(named)


HandlerLike = Handler | MapFunction


def handler_of(given: HandlerLike) -> Handler:
    """Return a handler, whichever way it was given."""
    if isinstance(given, type):
        raise RequestError(f"{given.__qualname__} is a class: give an instance, {given.__qualname__}(…)")
    return given if isinstance(given, Handler) else EnqueueRequestsFromMap(given)
