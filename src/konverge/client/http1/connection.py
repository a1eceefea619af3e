"""`Connection`: one connection that carries one request at a time; bytes go straight from asyncio to the answer.

A call wakes its caller once, when the answer is whole; a stream does whenever something came, and holds the server
back while its reader is behind.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from typing import Final, cast

from konverge.client.http1.body import BadAnswer
from konverge.client.http1.wire import Answer

_HIGH: Final = 1 << 19  # bytes of a stream that wait for their reader before the server is held back
_LARGE: Final = 1 << 20  # a body above it is written in pieces, so that it does not hold up the loop
_PIECE: Final = 1 << 18


class Connection(asyncio.Protocol):
    """One connection. `lost` is done once its socket is closed, whatever closed it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.lost: asyncio.Future[None] = self._loop.create_future()
        self.context: ssl.SSLContext | None = None  # what it was secured with
        self.idle_since = 0.0
        self._socket: asyncio.Transport | None = None  # of TCP, below any TLS
        self._transport: asyncio.Transport | None = None
        self._answer: Answer | None = None  # the one under way, or the last
        self._waiter: asyncio.Future[None] | None = None
        self._error: Exception | None = None
        self._ended = False  # nothing can be sent any more
        self._streaming = False
        self._half_sent = False  # the server answered before it had the whole request
        self._write_paused = False
        self._unread = 0  # bytes of a stream that nobody has taken yet
        self._full = False  # reading is paused until they are

    @property
    def reusable(self) -> bool:
        """Whether another request can go over it: the answer to the last was read to its end."""
        answer = self._answer
        return not self._ended and not self._half_sent and answer is not None and answer.complete and answer.reusable

    # --- asyncio's side ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin; only TCP is made so, TLS is put on top by `secure`."""
        self._socket = self._transport = cast("asyncio.Transport", transport)
        if self._ended:  # given up before it was there
            self._transport.abort()
        if (sock := transport.get_extra_info("socket")) is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # a watch may be silent for long

    def data_received(self, data: bytes) -> None:
        """Give bytes to the answer under way."""
        answer = self._answer
        if self._ended:
            return  # given up already
        if answer is None or answer.complete:
            self.abort(BadAnswer("the server sent what nobody asked for"))
            return
        try:
            answer.feed(data)
        except BadAnswer as error:
            self.abort(error)
            return
        if answer.complete:
            self._wake()
        elif self._streaming and answer.status:
            self._unread += len(data)
            if self._unread > _HIGH:
                self._fill()
            self._wake()

    def eof_received(self) -> None:
        """Take the end as it is: nothing more is sent to who has gone, so asyncio may close."""
        self._end(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the answer under way, or fail it."""
        self._end(exc)
        self._note_lost()

    def pause_writing(self) -> None:
        """Wait with further pieces of a large body."""
        self._write_paused = True

    def resume_writing(self) -> None:
        """Go on with it."""
        self._write_paused = False
        self._wake()

    def _end(self, exc: Exception | None) -> None:
        self._ended = True
        answer = self._answer
        if self._error is None and (answer is None or not answer.complete):
            self._error = exc or _early_end(answer)
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def _progress(self) -> None:
        """Wait until something happened; raise what ended the connection, if that is it."""
        if self._error is not None:
            raise self._error
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    # --- the caller's side ---

    async def secure(self, context: ssl.SSLContext, server_name: str) -> None:
        """Put TLS on top, once or (through a proxy with TLS of its own) twice."""
        secured = await self._loop.start_tls(self._open_transport(), self, context, server_hostname=server_name)
        if secured is None:  # it was closed at the very end of the handshake
            raise self._error or ConnectionResetError("the connection was closed in the TLS handshake")
        self._transport = secured

    async def call(self, head: bytes, body: bytes = b"", *, tunnel: bool = False) -> Answer:
        """Send a request and return its answer when it is whole."""
        answer = self._answer = Answer(tunnel=tunnel)
        self._streaming = False
        await self._send(head, body)
        while not answer.complete:
            await self._progress()
        return answer

    async def open(self, head: bytes, body: bytes = b"") -> Answer:
        """Send a request and return its answer when the head is there; `read` gives its body."""
        answer = self._answer = Answer()
        self._streaming = True
        await self._send(head, body)
        while not answer.status:
            await self._progress()
        return answer

    async def read(self) -> bytes:
        """Return what has come of the stream's body, as soon as there is something; nothing at its end."""
        answer = self._answer
        if answer is None:
            return b""
        while not (data := answer.take()) and not answer.complete:
            await self._progress()
        self._drain()
        return data

    def hold(self) -> bool:
        """Leave the socket alone until `go_on`, and say whether that is so: a stream that waits for its reader is not.

        The socket's own transport is paused, below TLS, which therefore has nothing to do meanwhile.
        """
        if self._full or self._ended or self._socket is None:
            return False
        self._socket.pause_reading()
        return True

    def go_on(self) -> None:
        """Read again."""
        if self._socket is not None:
            self._socket.resume_reading()

    def abort(self, reason: Exception | None = None) -> None:
        """Close at once, without a goodbye: that would wait for a server which may still be sending."""
        self._end(reason or ConnectionAbortedError("the connection was given up"))
        if self._transport is not None:
            self._transport.abort()
        # The transport closes its socket in the loop's next round; in a TLS handshake it would not tell us.
        self._loop.call_soon(self._note_lost)

    def _note_lost(self) -> None:
        if not self.lost.done():
            self.lost.set_result(None)

    async def _send(self, head: bytes, body: bytes) -> None:
        transport = self._open_transport()
        if len(body) <= _LARGE:
            transport.write(head + body)  # in one piece: one packet, as a rule
            return
        transport.write(head)
        for at in range(0, len(body), _PIECE):
            while self._write_paused and not self._answered():
                await self._progress()
            if self._answered() or self._ended:  # a refusal comes before all of it is sent
                self._half_sent = True
                return
            transport.write(body[at : at + _PIECE])
            await asyncio.sleep(0)

    def _answered(self) -> bool:
        return self._answer is not None and self._answer.status != 0

    def _open_transport(self) -> asyncio.Transport:
        if self._transport is None or self._ended:
            raise self._error or ConnectionResetError("the connection is closed")
        return self._transport

    def _fill(self) -> None:
        if not self._full and not self._ended and self._transport is not None:
            self._full = True
            self._transport.pause_reading()

    def _drain(self) -> None:
        self._unread = 0
        if self._full:
            self._full = False
            if not self._ended and self._transport is not None:
                self._transport.resume_reading()


def _early_end(answer: Answer | None) -> Exception | None:
    """Return the error that the end of a connection is to the answer under way; none, if the answer ends with it."""
    try:
        (answer or Answer()).end()
    except BadAnswer as error:
        return error
    return None
