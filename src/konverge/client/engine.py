"""What all verbs share: finding the resource, sending the request, reading the answer, warning once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Protocol, TypeVar

import msgspec

from konverge import log
from konverge.api import form as forms
from konverge.api import meta, request
from konverge.api.field_selector import FieldSelector
from konverge.api.form import Form, Kind, T, form_of_object
from konverge.api.kind import ObjectKey, Resource
from konverge.api.label_selector import LabelSelector
from konverge.api.object import Object
from konverge.api.request import ApiRequest, WriteOptions
from konverge.client.answer import check_answer, envelope
from konverge.client.discovery import Discovery
from konverge.client.listing import read_object
from konverge.client.transport import ApiResponse, Transport
from konverge.client.under_way import note
from konverge.errors import DecodeError, NotFound, RequestError

DEFAULT_FIELD_OWNER = "konverge"  # what the server would derive from our User-Agent, too

R = TypeVar("R")

_WARNINGS_KEPT = 1000  # a server whose warnings hold a name or a time has no end of them

_LOG = log.get("client")


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What a client adds to every call that does not say otherwise."""

    namespace: str | None = None  # a client of one namespace: reads and writes nothing outside it
    field_owner: str = DEFAULT_FIELD_OWNER
    field_validation: str | None = None  # Strict, Warn or Ignore; None leaves it to the server, which warns
    dry_run: bool = False
    headers: tuple[tuple[str, str], ...] = ()  # impersonation


class Named(Protocol):
    """Anything that names an object: a reconcile request, an `ObjectKey`, an `ObjectMeta`."""

    @property
    def namespace(self) -> str | None:
        """The namespace; empty or None where the kind has none."""
        ...

    @property
    def name(self) -> str | None:
        """The name."""
        ...


class Engine:
    """One transport, its discovery, and the warnings it has shown."""

    def __init__(self, transport: Transport, defaults: Defaults) -> None:
        self.transport = transport
        self.defaults = defaults
        self.discovery = Discovery(transport)
        self._warned: dict[str, None] = {}

    def with_defaults(self, defaults: Defaults) -> Engine:
        """Return an engine that differs in its defaults and shares everything else."""
        other = Engine(self.transport, defaults)
        other.discovery, other._warned = self.discovery, self._warned
        return other

    async def call(self, call: ApiRequest) -> ApiResponse:
        """Send a request with this client's headers; log each of the server's warnings once."""
        note(call)
        try:
            response = await self.transport.call(self._prepared(call))
        except NotFound as error:
            self.discovery.forget(call.operation, error)
            raise
        for text in response.warnings:
            if text not in self._warned:
                if len(self._warned) >= _WARNINGS_KEPT:  # the oldest goes: it may be shown again, much later
                    del self._warned[next(iter(self._warned))]
                self._warned[text] = None
                _LOG.warning(text, operation=str(call.operation))
        return response

    def stream(self, call: ApiRequest) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Open a stream with this client's headers."""
        note(call)
        return self.transport.stream(self._prepared(call))

    def _prepared(self, call: ApiRequest) -> ApiRequest:
        headers = self.defaults.headers
        return replace(call, headers=call.headers + headers) if headers else call

    async def read(self, call: ApiRequest, form: Form[T], *, any_kind: bool = False) -> T:
        """Send a request whose answer is one object, and read it; `any_kind` where only the server knows of which."""
        response = await self.call(call)
        with naming(call):
            if not any_kind:
                check_answer(response.body, form, call.operation.name)
            return read_object(response.body, form)

    async def delete(self, call: ApiRequest) -> None:
        """Send a request whose answer says that something goes: the object, a list, or a Status."""
        response = await self.call(call)
        with naming(call):
            envelope(response.body)

    async def addressed(self, form: Form[T], send: Callable[[Resource], Awaitable[R]]) -> R:
        """Read from the resource of a form; once more if the server has come to serve the kind by another one."""
        resource = await self.resource_of(form)
        try:
            return await send(resource)
        except NotFound:
            if self.discovery.knows(form) or (now := await self.resource_of(form)) == resource:
                raise
        return await send(now)

    async def resource_of(self, form: Form[T]) -> Resource:
        """Return how objects of a form are addressed."""
        return await self.discovery.resource_of(form)

    async def locate(self, obj: T) -> tuple[Form[T], Resource, ObjectKey]:
        """Return the form, the resource and the key of an object at hand."""
        if not isinstance(obj, Object):
            raise RequestError(f"a verb on an object was given a {_what(obj)}: give it the object itself")
        form = form_of_object(obj)
        resource = await self.resource_of(form)
        return form, resource, self.key(resource, obj.metadata)

    def key(self, resource: Resource, name: str | Named, namespace: str | None = None) -> ObjectKey:
        """Return the key of an object from whatever it was named by, within this client's namespace."""
        if isinstance(name, str):
            own, name_ = None, name
        else:
            own, name_ = name.namespace, name.name or ""
        if own and namespace and own != namespace:
            raise RequestError(f'"{own}/{name_}" was asked for in namespace "{namespace}": name one namespace')
        if not is_path_segment(name_):
            raise RequestError(
                f"{resource.kind} {name_!r}: no object can have this name (a namespace has its own place)"
            )
        return ObjectKey(self.namespace(resource, own or namespace), name_)

    def namespace(self, resource: Resource, namespace: str | None) -> str:
        """Return the namespace a call is about; empty for all, and where the kind has none."""
        own = self.defaults.namespace
        for each in (namespace, own):
            if each and not is_path_segment(each):
                raise RequestError(f"{resource.kind} in namespace {each!r}: no namespace can have this name")
        if not resource.namespaced:
            if namespace:
                raise RequestError(f'{resource.kind} has no namespaces, and "{namespace}" was given: leave it out')
            return ""
        if own and namespace and own != namespace:
            raise RequestError(
                f'{resource.kind} in namespace "{namespace}": this client is of namespace "{own}" alone '
                "(client.in_namespace); use one of the other namespace"
            )
        return namespace or own or ""

    def write_options(
        self, *, dry_run: bool | None = None, field_owner: str | None = None, field_validation: str | None = None
    ) -> WriteOptions:
        """Return the options of a write: the call's own, else the client's."""
        return WriteOptions(
            dry_run=self.defaults.dry_run if dry_run is None else dry_run,
            field_owner=field_owner or self.defaults.field_owner,
            field_validation=field_validation or self.defaults.field_validation,
        )


def is_path_segment(name: str) -> bool:
    """Whether a name stays one part of a path, so that it cannot lead to another object than it seems to."""
    return name not in (".", "..") and "/" not in name and "%" not in name


def form_of(kind: Kind[T]) -> Form[T]:
    """Return the form of whatever a verb was given for a kind; what stands for none gets a sentence."""
    given: object = kind  # whatever its type says: scripts are not type-checked
    if not isinstance(given, Form) and not (isinstance(given, type) and issubclass(given, Object)):
        raise RequestError(
            f"a kind was expected, not a {_what(kind)}: give a class of konverge.models, "
            'unstructured("apps/v1", "Deployment") or metadata_only(…)'
        )
    return forms.form_of(kind)


def _what(given: object) -> str:
    """The type of a wrong argument; a text is short and shown, an object may be a Secret and is not."""
    return f"text ({given[:40]!r})" if isinstance(given, str) else type(given).__name__


Selector = str | Mapping[str, str] | LabelSelector | FieldSelector | meta.LabelSelector
"""A selector in any form: its text, a mapping of equalities, a value, or the `selector` of a workload's spec."""


def label_text(selector: Selector | None) -> str | None:
    """Return a label selector as the server takes it; one that cannot be one is refused before it is sent."""
    if selector is None or isinstance(selector, str):
        return selector  # a text is the server's to judge: it may know operators that we do not
    if isinstance(selector, meta.LabelSelector):
        return str(LabelSelector.from_spec(msgspec.to_builtins(selector)))
    if isinstance(selector, FieldSelector):
        raise RequestError("labels=… was given a FieldSelector: give it as fields=…")
    if not isinstance(selector, (Mapping, LabelSelector)):
        raise RequestError(
            f'labels=… was given a {_what(selector)}: give a text such as "app=web", or {{"app": "web"}}'
        )
    return str(LabelSelector.of(selector))


def field_text(selector: Selector | None) -> str | None:
    """Return a field selector as the server takes it."""
    if selector is None or isinstance(selector, str):
        return selector
    if isinstance(selector, (LabelSelector, meta.LabelSelector)):
        raise RequestError("fields=… was given a LabelSelector: give it as labels=…")
    if not isinstance(selector, (Mapping, FieldSelector)):
        raise RequestError(f'fields=… was given a {_what(selector)}: give a text such as "spec.nodeName=a", or a dict')
    return str(FieldSelector.of(selector))


class _Naming:
    __slots__ = ("_call",)

    def __init__(self, call: ApiRequest) -> None:
        self._call = call

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, DecodeError):
            raise DecodeError(f"{self._call.operation}: {error}") from error


def naming(call: ApiRequest) -> AbstractContextManager[None]:
    """Say in a decoding error what was asked for; entered once per event, so it is no generator."""
    return _Naming(call)


def refuse_metadata_only(form: Form[T], verb: str) -> None:
    """Refuse a write of a whole object where there is only a part of it: the rest would be deleted."""
    if form.metadata_only:
        raise RequestError(f"{verb} needs the whole {form.gvk.kind}, and this is its metadata alone: patch it instead")


def accept_of(form: Form[T], *, many: bool = False) -> str:
    """Return the media type to ask for, so that only what will be read is sent."""
    if not form.metadata_only:
        return request.JSON
    return request.METADATA_LIST if many else request.METADATA
