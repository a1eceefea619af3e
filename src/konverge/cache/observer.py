"""The observing transport: shows the cache the answers to our own writes as they pass.

It sits below every verb, so whatever way a write takes (a client, a subresource, `create_or_update`, a blocking
client), reads through the cache see it. What an answer must be to count: the whole object, of a kind that is held, of
a write that happened (no dry run, no failure).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec

from konverge.api.kind import GroupResource, GroupVersionKind, ObjectKey
from konverge.api.request import JSON, ApiRequest
from konverge.client.transport import ApiResponse, Transport

_WRITES = ("POST", "PUT", "PATCH", "DELETE")


class Observer(Protocol):
    """Is shown our own writes."""

    def wrote(self, gvk: GroupVersionKind, data: bytes) -> None:
        """Take in an object as the server answered it."""
        ...

    def deleted(self, resource: GroupResource, key: ObjectKey, uid: str) -> None:
        """Take in that an object is gone, in whatever version it is held."""
        ...


class _Meta(msgspec.Struct, rename="camel"):
    resource_version: str = ""


class _Details(msgspec.Struct):
    uid: str = ""


class _Answer(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    metadata: _Meta | None = None
    details: _Details | None = None


_ANSWER = msgspec.json.Decoder(_Answer)


class ObservingTransport:
    """Passes requests on, and shows an observer the answers to writes."""

    def __init__(self, transport: Transport, observer: Observer) -> None:
        self._transport = transport
        self._observer = observer

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Pass a call on."""
        response = await self._transport.call(request)
        if request.method in _WRITES and request.accept == JSON and ("dryRun", "All") not in request.query:
            self._observe(request, response.body)
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
        except msgspec.MsgspecError:
            return  # no object: a log, a plain text
        if request.method == "DELETE":
            self._observe_delete(request, answer, body)
        elif answer.metadata is not None and answer.metadata.resource_version and answer.kind:
            self._observer.wrote(GroupVersionKind.parse(answer.api_version, answer.kind), body)

    def _observe_delete(self, request: ApiRequest, answer: _Answer, body: bytes) -> None:
        """Tell of a deletion: complete (a Status that has a uid and no version), or begun (the object as it is now)."""
        operation = request.operation
        if not operation.name or b'"dryRun"' in (request.body or b""):
            return  # a deletion of many does not say which
        if answer.kind == "Status":
            uid = answer.details.uid if answer.details is not None else ""
            resource = GroupResource(operation.group, operation.resource)
            self._observer.deleted(resource, ObjectKey(operation.namespace, operation.name), uid)
        elif answer.metadata is not None and answer.metadata.resource_version:
            self._observer.wrote(GroupVersionKind.parse(answer.api_version, answer.kind), body)
