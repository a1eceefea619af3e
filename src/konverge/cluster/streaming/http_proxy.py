"""`pods/proxy` and `services/proxy`: a request of HTTP passed on to a pod, and its answer passed back as it comes."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from typing import Final

from konverge.client.http1.body import BadAnswer
from konverge.client.http1.connection import Connection
from konverge.client.http1.dial import dial
from konverge.client.http1.route import Place, Route
from konverge.client.http1.wire import Answer as HttpAnswer
from konverge.client.http1.wire import request_head
from konverge.cluster.apiserver.connecting import Proxied
from konverge.cluster.apiserver.exchange import Answer, Request, Response, Stream
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.streaming.dial_error import dial_error

# Of one connection only, or about who asks this server: neither is the pod's business.
_OWN: Final = frozenset(
    "accept-encoding authorization connection content-length expect host keep-alive proxy-authorization "  # noqa: SIM905 - words
    "proxy-connection te trailer transfer-encoding upgrade".split()
)
_NOT_BACK: Final = frozenset(
    "connection content-encoding content-length content-type date keep-alive server trailer transfer-encoding".split()  # noqa: SIM905 - words
)
_IMPERSONATION: Final = "impersonate-"


async def forward(wanted: Proxied, request: Request) -> Answer:
    """Pass a request on; a 503 says that nobody is there."""
    place = Place(wanted.host, wanted.port, tls=wanted.scheme == "https")
    connection = Connection()
    try:
        await dial(Route(server=place, server_name=wanted.host, prefix=""), _tls(place), connection)
        answer = await connection.open(_head(wanted, place, request), request.body)
    except (OSError, BadAnswer) as error:
        connection.abort()
        raise _unreached(place, error) from error
    except BaseException:
        connection.abort()
        raise
    content_type, headers = answer.header("content-type") or "", _headers_back(answer)
    if request.method == "HEAD":
        connection.abort()  # a body that is announced does not come
        return Response(status=answer.status, content_type=content_type, headers=headers)
    chunks = _chunks(connection)
    return Stream(status=answer.status, chunks=chunks, content_type=content_type, headers=headers)


async def _chunks(connection: Connection) -> AsyncIterator[bytes]:
    try:
        while piece := await connection.read():
            yield piece
    finally:
        connection.abort()


def _tls(place: Place) -> ssl.SSLContext | None:
    """Return a context that asks for no certificate, as the real server's proxy does: a pod has none that is known."""
    if not place.tls:
        return None
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _head(wanted: Proxied, place: Place, request: Request) -> bytes:
    kept = [(name, value) for name, value in request.headers.items() if _is_passed_on(name)]
    headers = [("Host", place.authority), *kept, ("X-Forwarded-Uri", request.path), ("X-Forwarded-Proto", "https")]
    if host := request.header("host"):
        headers.append(("X-Forwarded-Host", host))
    if request.body or request.method in {"POST", "PUT", "PATCH"}:
        headers.append(("Content-Length", str(len(request.body))))
    return request_head(request.method, wanted.path, [*headers, ("Connection", "close")])


def _is_passed_on(name: str) -> bool:
    return name not in _OWN and not name.startswith(_IMPERSONATION)


def _headers_back(answer: HttpAnswer) -> tuple[tuple[str, str], ...]:
    names = (name for name in answer.header_names if name not in _NOT_BACK)
    return tuple((name.title(), value) for name in names for value in answer.headers(name))


def _unreached(place: Place, error: Exception) -> Failure:
    why = dial_error(error, place.host, place.port)
    return Failure(503, "ServiceUnavailable", f"error trying to reach service: {why}")
