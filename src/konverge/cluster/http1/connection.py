"""`Connection`: one client's connection, which asks one thing at a time and is answered in order.

What its client may cost is bounded: a head and a body by size, reading either by time, and what it sends ahead of an
answer by a buffer; what it does not read holds up its own answers alone. A watch ends when the client goes away; a
write goes on to its end.

A protocol that takes over the connection (a websocket for `exec`) is an answer of its own: a 101 is written, and the
connection with the bytes that came after the request is handed over as a `Duplex`, until that protocol has ended.
"""

from __future__ import annotations

import asyncio
import gzip
import logging
import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Protocol, cast

from konverge.cluster.answering import READS, Handler, reading
from konverge.cluster.apiserver.exchange import Answer, Peer, Request, Response, Stream, Upgrade
from konverge.cluster.http1 import outgoing
from konverge.cluster.http1.incoming import BadRequest, Incoming
from konverge.cluster.http1.tls import Tls
from konverge.cluster.target import BadTarget, read_target

_IDLE: Final = 90.0  # seconds between requests: the real server's
_PATIENCE: Final = 60.0  # seconds for a request to arrive, and for a client to read some of its answer
_AHEAD: Final = 1 << 16  # bytes of later requests that may wait for the answer under way
_LINGER: Final = 0.5  # seconds in which a client that still sends can read why it is refused
_COMPRESS_FROM: Final = 128 * 1024  # answers longer than this, at level 1, as the real server does
_WITHOUT_BODY: Final = (204, 304)
_log = logging.getLogger(__name__)


class Edge(Protocol):
    """What a connection needs of its edge."""

    handler: Handler
    tls: ssl.SSLContext
    buffer: memoryview  # what sockets are read into; a selector's loop hands it over at once, so one serves all
    tasks: set[asyncio.Task[None]]  # the answers under way; the loop itself does not keep them alive

    def opened(self, connection: Connection) -> None:
        """Take note of a connection."""
        ...

    def closed(self, connection: Connection) -> None:
        """Forget it."""
        ...


class Connection(asyncio.BufferedProtocol):
    """One connection, for as long as its client keeps it."""

    def __init__(self, edge: Edge) -> None:
        self._edge = edge
        self._loop = asyncio.get_running_loop()
        self._tls = Tls(edge.tls)
        self._transport: asyncio.Transport | None = None
        self._is_open = False  # it can be read from and written to
        self._peer = Peer()
        self._incoming = Incoming()
        self._task: asyncio.Task[None] | None = None  # of the answer under way
        self._ahead = b""  # what came meanwhile
        self._is_held = False  # reading is paused until it is taken
        self._is_upgraded = False  # another protocol is spoken: what comes is for whoever serves it
        self._more: asyncio.Future[None] | None = None  # while they wait for it
        self._is_stopping = False
        self._room: asyncio.Future[None] | None = None  # while the client is behind with reading
        self._since = self._loop.time()  # when it last began to ask, was answered, or fell behind

    # --- asyncio's side ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin; who is there is known when TLS is established."""
        self._transport, self._is_open = cast("asyncio.Transport", transport), True
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._edge.opened(self)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio's signature
        """Return where to put what comes."""
        return self._edge.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Take what has come; of a client that is being refused, leave it."""
        if not self._is_open:
            return
        was_ready = self._tls.is_ready
        try:
            data = self._tls.receive(self._edge.buffer[:nbytes])
        except ssl.SSLError as error:
            said = self._tls.outgoing()  # TLS's word on why
            self._send(outgoing.NOT_TLS if error.reason == "HTTP_REQUEST" else said)
            self._finish(linger=False)
            return
        self._send(self._tls.outgoing())
        if self._tls.is_ready and not was_ready:
            self._peer = _peer(self._tls.peer(), self._tls.fingerprint())
        if data:
            self._take(data)
        if self._tls.is_ended:
            self._finish(linger=False)

    def _take(self, data: bytes) -> None:
        """Read on in a request; while one is answered, keep what comes."""
        if self._task is None:
            self._read(data)
            return
        self._ahead += data
        if len(self._ahead) > _AHEAD and not self._is_held and self._transport is not None:
            self._is_held = True
            self._transport.pause_reading()
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - why it ended makes no difference
        """End what nobody waits for any more; a write is none of it."""
        self._transport, self._is_open = None, False
        self._edge.closed(self)
        self.resume_writing()
        self._wake()
        if self._task is not None and (self._is_upgraded or self._incoming.method in READS):
            self._task.cancel()

    def pause_writing(self) -> None:
        """Wait with whatever comes next: the client is behind."""
        self._room = self._loop.create_future()
        self._since = self._loop.time()

    def resume_writing(self) -> None:
        """Go on."""
        room, self._room = self._room, None
        if room is not None and not room.done():
            room.set_result(None)

    # --- in ---

    def _read(self, data: bytes) -> None:
        incoming = self._incoming
        if not incoming.has_begun:
            self._since = self._loop.time()
        had_head = bool(incoming.method)
        try:
            incoming.feed(data)
            if incoming.complete:
                self._start(self._request(incoming))
            elif not had_head and incoming.method and incoming.waits_for_go:
                self._write(outgoing.CONTINUE)
        except BadRequest as error:
            self._write(outgoing.refusal(error))
            self._finish(linger=True)

    def _request(self, incoming: Incoming) -> Request:
        try:
            path, query = read_target(incoming.target)
        except BadTarget:
            raise BadRequest from None
        return Request(
            method=incoming.method,
            path=path,
            query=query,
            headers=incoming.headers,
            body=incoming.body,
            peer=self._peer,
        )

    def _start(self, request: Request) -> None:
        self._ahead = self._incoming.rest
        self._task = task = self._loop.create_task(self._answer(request))
        self._edge.tasks.add(task)
        task.add_done_callback(self._answered)

    # --- out ---

    async def _answer(self, request: Request) -> None:
        answer = await self._edge.handler.handle(request)
        if isinstance(answer, Response):
            await self._respond(request, answer)
        elif isinstance(answer, Stream):
            await self._stream(answer)
        else:
            await self._upgrade(answer)
        if self._room is not None:
            await self._room

    async def _respond(self, request: Request, answer: Response) -> None:
        body, headers = answer.body, _headers(answer)
        if len(body) > _COMPRESS_FROM and _accepts_gzip(request) and not _is_compressed(answer):
            body = await asyncio.to_thread(gzip.compress, body, 1)
            headers += [("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")]
        if answer.status not in _WITHOUT_BODY:
            headers.append(("Content-Length", str(len(body))))
        head = outgoing.head(answer.status, headers, is_last=self._is_last)
        self._write(head if request.method == "HEAD" or answer.status in _WITHOUT_BODY else head + body)

    async def _stream(self, answer: Stream) -> None:
        """Send a stream as it happens; to a client of old, up to the end of the connection."""
        frame: Callable[[bytes], bytes] = outgoing.chunk if self._incoming.is_chunkable else bytes
        headers = _headers(answer)
        if self._incoming.is_chunkable:
            headers.append(("Transfer-Encoding", "chunked"))
        async with reading(answer) as chunks:
            self._write(outgoing.head(answer.status, headers, is_last=self._is_last))
            async for chunk in chunks:
                if chunk:  # an empty one would end it
                    self._write(frame(chunk))
                if self._room is not None:
                    await self._room
        if self._incoming.is_chunkable:
            self._write(outgoing.LAST_CHUNK)

    # --- another protocol ---

    async def _upgrade(self, answer: Upgrade) -> None:
        headers = [("Upgrade", answer.protocol), ("Connection", "Upgrade"), *answer.headers]
        self._write(outgoing.head(answer.status, headers, is_last=False))
        self._is_upgraded, self._incoming.is_persistent = True, False  # no request follows it
        with suppress(ConnectionError):  # the client is gone, and that is the end of it
            await answer.serve(self)

    async def receive(self) -> bytes:
        """Return what has come in the other protocol; nothing once the client, or the server, has ended."""
        while not self._ahead and self._is_open and not self._is_stopping:
            self._more = self._loop.create_future()
            await self._more
        taken, self._ahead = self._ahead, b""
        self._let_go()
        return taken

    async def send(self, data: bytes) -> None:
        """Send bytes of the other protocol, as fast as the client reads."""
        while self._room is not None:
            await self._room
        if not self._is_open:
            raise ConnectionResetError("the client is gone")
        self._write(data)

    def _wake(self) -> None:
        more, self._more = self._more, None
        if more is not None and not more.done():
            more.set_result(None)

    @property
    def _is_last(self) -> bool:
        return self._is_stopping or not self._incoming.is_persistent

    def _write(self, data: bytes) -> None:
        if self._is_open:
            self._send(self._tls.send(data))

    def _send(self, data: bytes) -> None:
        if data and self._transport is not None:
            self._transport.write(data)

    def _answered(self, task: asyncio.Task[None]) -> None:
        """Go on to the next request, or end."""
        self._edge.tasks.discard(task)
        self._task = None
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _log.error("the answer to %s %s failed", self._incoming.method, self._incoming.target, exc_info=error)
        if task.cancelled() or error is not None:
            self.cut()  # half an answer must not pass for a whole one
        elif self._is_last:
            self._finish(linger=not self._incoming.is_whole)
        elif self._is_open:
            self._go_on()

    def _go_on(self) -> None:
        self._incoming = Incoming()
        self._since = self._loop.time()
        self._let_go()
        if self._ahead:
            ahead, self._ahead = self._ahead, b""
            self._read(ahead)

    def _let_go(self) -> None:
        """Read on."""
        if self._is_held and self._transport is not None:
            self._is_held = False
            self._transport.resume_reading()

    # --- the end ---

    def _finish(self, *, linger: bool) -> None:
        """Close, once all is sent; a client that still sends would lose the answer if it were cut at once."""
        if not self._is_open or self._transport is None:
            return
        self._send(self._tls.end())
        self._is_open = False
        if linger:
            self._loop.call_later(_LINGER, self._transport.close)
        else:
            self._transport.close()

    def stop(self) -> None:
        """Close when the answer under way is sent: at once where there is none."""
        self._is_stopping = True
        self._wake()
        if self._task is None:
            self._finish(linger=False)

    def cut(self) -> None:
        """Close whatever is under way."""
        self._is_open = False
        self._wake()
        if self._transport is not None:
            self._transport.abort()

    def cut_if_late(self, now: float) -> None:
        """Close where the client asks nothing, does not come to the end of what it asks, or reads no answer."""
        if self._task is not None and (self._room is None or self._is_upgraded):
            return  # it is the server's turn, or nobody's
        limit = _PATIENCE if self._incoming.has_begun or not self._tls.is_ready else _IDLE
        if now - self._since > limit:
            self.cut()


def _peer(certificate: Mapping[str, Any] | None, fingerprint: str) -> Peer:
    """Return who holds the connection's client certificate, which TLS has verified; no one where there is none."""
    if not certificate:
        return Peer()
    subject = [pair for names in certificate.get("subject", ()) for pair in names]
    return Peer(
        common_name=next((value for name, value in subject if name == "commonName"), ""),
        organizations=tuple(value for name, value in subject if name == "organizationName"),
        fingerprint=fingerprint,
    )


def _headers(answer: Answer) -> list[tuple[str, str]]:
    kind = [("Content-Type", answer.content_type)] if answer.content_type else []
    return [*kind, *answer.headers]


def _accepts_gzip(request: Request) -> bool:
    return any(token.strip() == "gzip" for token in request.header("accept-encoding").split(","))


def _is_compressed(answer: Response) -> bool:
    return any(name == "Content-Encoding" for name, _ in answer.headers)
