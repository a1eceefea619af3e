"""OpenApi: the paths `/openapi/v3`, `/openapi/v3/…` and `/openapi/v2`, answered from what is served now.

The index of v3 gives each document's address with its hash, so that a client may keep it for ever. Hashes of captured
documents were captured too; custom ones are made and hashed when their resources change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from email.utils import format_datetime
from typing import Final

import msgspec

from konverge import clock
from konverge.cluster.apiserver.discovery import page_not_found
from konverge.cluster.apiserver.exchange import JSON, Request, Response
from konverge.cluster.apiserver.negotiate import clauses
from konverge.cluster.apiserver.openapi import document_v2, gnostic_v2, gnostic_v3
from konverge.cluster.apiserver.openapi.document_v3 import Captured, captured_body, captured_documents, custom_body
from konverge.cluster.apiserver.resource import Resource, Resources

_V2: Final = "/openapi/v2"
_V3: Final = "/openapi/v3"
_PROTOBUF_V2: Final = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_PROTOBUF_V3: Final = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
_JSON_WILL_DO: Final = {JSON, "application/*", "*/*"}
_FOR_EVER: Final = timedelta(days=365)
Headers = tuple[tuple[str, str], ...]
_VARY: Final[Headers] = (("Vary", "Accept"),)


class OpenApi:
    """Answers from what is served; makes what belongs to a custom resource anew when that has changed."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._captured: dict[str, Captured] = {}
        self._custom: dict[str, tuple[tuple[Resource, ...], str]] = {}  # by path: the resources and their hash
        self._tag_v2 = (-1, "")  # the generation that it belongs to

    def answer(self, request: Request) -> Response:
        """Answer a request for an OpenAPI path."""
        if request.path == _V2:
            return self._whole(request)
        if request.path == _V3:
            return self._index()
        if not request.path.startswith(f"{_V3}/"):
            return page_not_found()
        return self._document(request, request.path.removeprefix(f"{_V3}/"))

    def _index(self) -> Response:
        hashes = {path: document.hash for path, document in self._builtin().items()}
        custom = self._by_path()
        self._custom = {path: known for path, known in self._custom.items() if path in custom}
        hashes |= {path: self._hash(path, members) for path, members in custom.items()}
        paths = {path: {"serverRelativeURL": f"{_V3}/{path}?hash={hashes[path]}"} for path in sorted(hashes)}
        return Response(
            status=200, body=msgspec.json.encode({"paths": paths}), content_type="text/plain; charset=utf-8"
        )

    def _document(self, request: Request, path: str) -> Response:
        custom = self._by_path().get(path)
        document = self._builtin().get(path)
        if document is not None:
            return self._kept(request, document.hash, lambda: captured_body(path, document))
        if custom is not None:
            return self._kept(request, self._hash(path, custom), lambda: custom_body(custom))
        return Response(status=404, content_type="")

    def _kept(self, request: Request, hashed: str, body: Callable[[], bytes]) -> Response:
        """Answer with a document that a client may keep, if it asks by the hash."""
        media_type = _media_type(request, _PROTOBUF_V3)
        if not media_type:
            return Response(status=406, content_type="", headers=_VARY)
        headers: Headers = (*_VARY, ("ETag", f'"{hashed}"'))
        asked = request.parameter("hash")
        if asked and asked != hashed:
            where = f"{request.path}?hash={hashed}"
            return Response(status=301, content_type=media_type, headers=(*headers, ("Location", where)))
        if asked:
            until = format_datetime(clock.now() + _FOR_EVER, usegmt=True).replace("GMT", "UTC")
            headers = (*headers, ("Cache-Control", "public, immutable"), ("Expires", until))
        if request.header("if-none-match") == f'"{hashed}"':
            return Response(status=304, content_type="", headers=headers)
        shown = body() if media_type == JSON else gnostic_v3.document(msgspec.json.decode(body()))
        return Response(status=200, body=shown, content_type=media_type, headers=headers)

    def _whole(self, request: Request) -> Response:
        media_type = _media_type(request, _PROTOBUF_V2)
        if not media_type:
            return Response(status=406, content_type="", headers=_VARY)
        generation, tag = self._tag_v2
        if generation == self._resources.generation and request.header("if-none-match") == tag:
            return Response(status=304, content_type="", headers=(*_VARY, ("ETag", tag)))
        document = document_v2.document(resource for resource in self._resources if resource.is_custom)
        body = msgspec.json.encode(document)
        tag = f'"{hashlib.sha512(body).hexdigest().upper()}"'
        self._tag_v2 = (self._resources.generation, tag)
        headers = (*_VARY, ("ETag", tag))
        if request.header("if-none-match") == tag:
            return Response(status=304, content_type="", headers=headers)
        if media_type != JSON:
            body = gnostic_v2.document(document)
        return Response(status=200, body=body, content_type=media_type, headers=headers)

    def _builtin(self) -> dict[str, Captured]:
        if not self._captured:
            self._captured = captured_documents()
        return self._captured

    def _by_path(self) -> dict[str, tuple[Resource, ...]]:
        found: dict[str, tuple[Resource, ...]] = {}
        for resource in self._resources:
            if resource.is_custom:
                path = f"apis/{resource.group}/{resource.version}"
                found[path] = (*found.get(path, ()), resource)
        return found

    def _hash(self, path: str, members: tuple[Resource, ...]) -> str:
        known, hashed = self._custom.get(path, ((), ""))
        if len(known) != len(members) or any(old is not new for old, new in zip(known, members, strict=True)):
            hashed = hashlib.sha512(custom_body(members)).hexdigest().upper()
            self._custom[path] = (members, hashed)
        return hashed


def _media_type(request: Request, protobuf: str) -> str:
    """Return the media type to answer with, or an empty text where none is acceptable."""
    accept = request.header("accept")
    if not accept:
        return JSON
    # A media type may not have an `@`, so the name is another one now; clients still ask for the first.
    names = (protobuf, protobuf.replace(".v1.0", "@v1.0"))
    for clause in clauses(accept):
        if clause.media_type in names:
            return protobuf
        if clause.media_type in _JSON_WILL_DO:
            return JSON
    return ""
