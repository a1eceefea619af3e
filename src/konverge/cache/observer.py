"""The observing transport: shows the cache the answers to our own writes as they pass.

It sits below every verb, so whatever way a write takes (a client, a subresource, `create_or_update`, a blocking
client), reads through the cache see it. What an answer must be to count: the whole object or its metadata, of a kind
that is held, of a write that happened (no dry run, no failure). Whatever an answer looks like, the write succeeded, and
looking at it does not make it fail.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec

from konverge import log
from konverge.api.kind import GroupResource, GroupVersionKind, ObjectKey
from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport

_LOG = log.get("cache")
_WRITES = ("POST", "PUT", "PATCH", "DELETE")
# A deletion of many is answered with the objects as they were before. Of these kinds they go on for a while: pods have
# a grace period, the others wait for the garbage collector unless told otherwise.
_LINGER = frozenset({"pods", "jobs", "replicationcontrollers"})


class Observer(Protocol):
    """Is shown our own writes."""

    def wrote(self, gvk: GroupVersionKind, data: bytes) -> None:
        """Take in an object as the server answered it."""
        ...

    def wrote_metadata(self, resource: GroupResource, data: bytes) -> None:
        """Take in the metadata of an object as the server answered it."""
        ...

    def deleted(self, resource: GroupResource, key: ObjectKey, uid: str, *, sure: bool = True) -> None:
        """Take in that an object is gone, in whatever version it is held; not `sure`: unless something holds it."""
        ...


class _Meta(msgspec.Struct, rename="camel"):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    finalizers: list[str] | None = None

    @property
    def key(self) -> ObjectKey:
        return ObjectKey(self.namespace, self.name)

    @property
    def ending(self) -> bool:
        """Whether it is being deleted."""
        return self.deletion_timestamp is not None

    @property
    def held(self) -> bool:
        """Whether something keeps it while it is being deleted."""
        return bool(self.finalizers or self.deletion_grace_period_seconds)


class _Details(msgspec.Struct):
    uid: str = ""


class _Item(msgspec.Struct):
    metadata: _Meta


class _Answer(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    metadata: _Meta | None = None
    details: _Details | None = None
    items: list[_Item] | None = None


_ANSWER = msgspec.json.Decoder(_Answer)


class ObservingTransport:
    """Passes requests on, and shows an observer the answers to writes."""

    def __init__(self, transport: Transport, observer: Observer) -> None:
        self._transport = transport
        self._observer = observer

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Pass a call on."""
        response = await self._transport.call(request)
        if request.method in _WRITES and not request.is_dry_run:
            try:
                self._observe(request, response.body)
            except Exception as error:  # noqa: BLE001 - the write has happened, and must not look as if it had not
                _LOG.error("the answer to a write was not taken in", error, operation=str(request.operation))
        return response

    def stream(self, request: ApiRequest) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Pass a stream on."""
        return self._transport.stream(request)

    async def close(self) -> None:
        """Close the transport below."""
        await self._transport.close()

    def _observe(self, request: ApiRequest, body: bytes) -> None:
        try:
            answer = _ANSWER.decode(body)
        except (msgspec.MsgspecError, RecursionError):
            return  # no object: a log, a plain text
        metadata = answer.metadata
        if request.method == "DELETE" and answer.kind == "Status":
            self._observe_status(request, answer.details)
        elif request.method == "DELETE" and not request.operation.name:
            self._observe_collection(request, answer.items or [])
        elif metadata is not None and metadata.resource_version and answer.kind:
            # A deletion that has to wait is answered with the object as it is now, and one that is complete with the
            # object as it was, for some kinds. An update that takes the last finalizer away completes it too.
            if (metadata.ending or request.method == "DELETE") and not (metadata.ending and metadata.held):
                self._observer.deleted(_resource(request), metadata.key, metadata.uid)
            else:
                self._observe_object(request, answer, body)

    def _observe_object(self, request: ApiRequest, answer: _Answer, body: bytes) -> None:
        gvk = GroupVersionKind.parse(answer.api_version, answer.kind)
        if gvk.group == "meta.k8s.io" and gvk.kind == "PartialObjectMetadata":
            self._observer.wrote_metadata(_resource(request), body)
        else:
            self._observer.wrote(gvk, body)

    def _observe_status(self, request: ApiRequest, details: _Details | None) -> None:
        """Tell of a deletion that is complete, where a Status names the uid."""
        operation = request.operation
        if operation.name and details is not None and details.uid:
            self._observer.deleted(_resource(request), ObjectKey(operation.namespace, operation.name), details.uid)

    def _observe_collection(self, request: ApiRequest, items: list[_Item]) -> None:
        """Tell of the objects of a deletion of many that nothing held when the server looked."""
        resource = _resource(request)
        if resource.resource in _LINGER or _waits_for_dependents(request.body or b""):
            return
        for item in items:
            if not item.metadata.held:
                self._observer.deleted(resource, item.metadata.key, item.metadata.uid, sure=False)


def _resource(request: ApiRequest) -> GroupResource:
    """The resource that was written, without the subresource."""
    return GroupResource(request.operation.group, request.operation.resource.partition("/")[0])


def _waits_for_dependents(body: bytes) -> bool:
    return b'"Foreground"' in body or b'"Orphan"' in body
