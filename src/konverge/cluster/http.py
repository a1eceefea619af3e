"""The HTTPS edge: sockets, TLS and HTTP/1.1 for kubectl and any other client. It knows no resource and decides nothing.

aiohttp's defaults are a web site's, so they are set to the real server's: headers of up to a mebibyte, no time limit on
an answer, no log of accesses, and a body is read to just beyond the size that the core refuses. A watch ends when its
client goes away; a write goes on to its end.
"""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import Mapping
from typing import Any, Final

from aiohttp import web

from konverge.cluster.answering import Answering, Handler, reading
from konverge.cluster.apiserver.exchange import Answer, Peer, Request, Response, Stream
from konverge.cluster.target import BadTarget, read_target
from konverge.version import USER_AGENT

LARGEST_BODY: Final = 3 * 1024 * 1024  # beyond it the core says 413
_LARGEST_HEAD: Final = 1 << 20  # Go's http.DefaultMaxHeaderBytes
_MOST_HEADERS: Final = 10_000
_COMPRESS_FROM: Final = 128 * 1024  # answers longer than this, at level 1, as the real server does
_STOP_WITHIN: Final = 5.0  # seconds for answers under way; then their connections are cut
_NOT_A_REQUEST: Final = "400 Bad Request"


class HttpEdge:
    """Serves a core on a port; `start` and `stop` it."""

    def __init__(self, server: Handler, tls: ssl.SSLContext) -> None:
        self._answering = Answering(server)
        self._tls = tls
        self._listening: asyncio.Server | None = None
        self._http: web.Server | None = None

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port, which the system chooses when 0 is asked for. Raises `OSError`."""
        self._http = web.Server(
            self._serve,
            handler_cancellation=True,
            access_log=None,
            max_line_size=_LARGEST_HEAD,
            max_field_size=_LARGEST_HEAD,
            max_headers=_MOST_HEADERS,
            auto_decompress=False,
            lingering_time=0.0,
        )
        loop = asyncio.get_running_loop()
        self._listening = await loop.create_server(self._http, host, port, ssl=self._tls, backlog=1024)
        bound: int = self._listening.sockets[0].getsockname()[1]
        return bound

    async def stop(self) -> None:
        """Take no more connections, let answers under way end, and close; end the core's streams before it."""
        if self._listening is None or self._http is None:
            return
        self._listening.close()
        self._http.pre_shutdown()
        await self._http.shutdown(_STOP_WITHIN)
        await self._answering.finish()
        # The loop closes a TLS connection in its next turns; whoever stops the loop right away would cut it.
        await self._listening.wait_closed()

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            path, query = read_target(request.raw_path)
        except BadTarget:
            return web.Response(status=400, text=_NOT_A_REQUEST)
        body, is_whole = await _body(request)
        answer = await self._answering.answer(
            Request(
                method=request.method,
                path=path,
                query=query,
                headers=_headers(request),
                body=body,
                peer=_peer(request),
            )
        )
        if isinstance(answer, Stream):
            return await _stream(request, answer)
        response = await _response(request, answer)
        if not is_whole:
            response.force_close()  # the rest of the body stands in the way of the next request
        return response


# --- in ---


async def _body(request: web.BaseRequest) -> tuple[bytes, bool]:
    """Return the body, or as much of it as shows that it is too large; and whether it is all of it."""
    if not request.body_exists:
        return b"", True
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request._payload_writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")  # noqa: SLF001 - as aiohttp's routes do
    parts: list[bytes] = []
    size = 0
    async for part in request.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > LARGEST_BODY:
            return b"".join(parts)[: LARGEST_BODY + 1], False
    return b"".join(parts), True


def _headers(request: web.BaseRequest) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in request.headers.items():
        known = found.get(name.lower())
        found[name.lower()] = value if known is None else f"{known}, {value}"
    return found


def _peer(request: web.BaseRequest) -> Peer:
    """Return who holds the connection's client certificate, which TLS has verified; no one where there is none."""
    transport = request.transport
    certificate: Mapping[str, Any] | None = transport.get_extra_info("peercert") if transport else None
    if not certificate:
        return Peer()
    subject = [pair for names in certificate.get("subject", ()) for pair in names]
    return Peer(
        common_name=next((value for name, value in subject if name == "commonName"), ""),
        organizations=tuple(value for name, value in subject if name == "organizationName"),
    )


# --- out ---


async def _response(request: web.BaseRequest, answer: Response) -> web.Response:
    response = web.Response(status=answer.status, body=answer.body)
    _set_headers(response, answer)
    if len(answer.body) > _COMPRESS_FROM and _accepts_gzip(request) and "Content-Encoding" not in response.headers:
        response.body = await asyncio.to_thread(gzip.compress, answer.body, 1)
        response.headers["Content-Encoding"] = "gzip"
        response.headers.add("Vary", "Accept-Encoding")
    return response


def _accepts_gzip(request: web.BaseRequest) -> bool:
    accepted = request.headers.get("Accept-Encoding", "")
    return any(token.strip() == "gzip" for token in accepted.split(","))


async def _stream(request: web.BaseRequest, answer: Stream) -> web.StreamResponse:
    response = web.StreamResponse(status=answer.status)
    _set_headers(response, answer)
    response.enable_chunked_encoding()
    async with reading(answer) as chunks:
        await response.prepare(request)
        async for chunk in chunks:
            await response.write(chunk)
        await response.write_eof()
    return response


def _set_headers(response: web.StreamResponse, answer: Answer) -> None:
    headers = response.headers
    headers["Content-Type"] = answer.content_type
    headers["Server"] = USER_AGENT  # aiohttp would name itself and Python
    for name, value in answer.headers:
        headers.add(name, value)
