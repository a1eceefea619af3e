"""WebSocket: the handshake of an upgrade, and messages over the connection that comes of it."""

from __future__ import annotations

import base64
import hashlib
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from konverge.cluster.apiserver.exchange import Duplex, Request
from konverge.cluster.apiserver.failure import Failure, bad_request
from konverge.cluster.streaming.websocket_frames import BadFrame, Frames, Message, Opcode, close_payload, frame

PROTOCOL: Final = "websocket"
NORMAL: Final = 1000
_MAGIC: Final = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455's
_VERSION: Final = "13"
_IN_TEXT: Final = "base64."  # in the name of a protocol
_ZERO: Final = ord("0")


def is_websocket(request: Request) -> bool:
    """Say whether a request wants to become a websocket."""
    return request.header("upgrade").lower() == PROTOCOL and "upgrade" in request.header("connection").lower()


def offered(request: Request) -> list[str]:
    """Return the protocols that a client offers, its favourite first."""
    return [each.strip() for each in request.header("sec-websocket-protocol").split(",") if each.strip()]


def accepted(request: Request, served: Sequence[str]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the first of the offered protocols that is served, and the headers of the 101 that says so."""
    key = request.header("sec-websocket-key")
    if request.header("sec-websocket-version") != _VERSION or not key:
        raise bad_request("this is no websocket request of version 13")
    protocol = next((each for each in offered(request) if each in served), "")
    if offered(request) and not protocol:
        raise unknown_protocol(offered(request), served)
    digest = hashlib.sha1(f"{key}{_MAGIC}".encode(), usedforsecurity=False).digest()
    answer = ("Sec-WebSocket-Accept", base64.b64encode(digest).decode())
    return protocol, (answer, ("Sec-WebSocket-Protocol", protocol)) if protocol else (answer,)


def unknown_protocol(asked: Sequence[str], served: Sequence[str]) -> Failure:
    """403 of protocols that nobody speaks here, as Kubernetes' handshake words it."""
    shown = f"client supports [{' '.join(asked)}], server accepts [{' '.join(served)}]"
    return Failure(403, "Forbidden", f"unable to upgrade: unable to negotiate protocol: {shown}")


class WebSocket:
    """Messages over a connection. Pings are answered; a close is answered and ends it."""

    def __init__(self, connection: Duplex) -> None:
        self._connection = connection
        self._frames = Frames()
        self._waiting: deque[Message] = deque()
        self._is_closed = False  # we have said so

    async def receive(self) -> bytes | None:
        """Return the next message; None at the end."""
        while not self._is_closed:
            if self._waiting:
                message = self._waiting.popleft()
                if not message.is_control:
                    return message.payload
                await self._control(message)
            elif data := await self._connection.receive():
                await self._feed(data)
            else:
                break
        return None

    async def _feed(self, data: bytes) -> None:
        try:
            self._waiting += self._frames.feed(data)
        except BadFrame as error:
            await self.close(error.code, str(error))

    async def send(self, payload: bytes) -> None:
        """Send a message. Raises `ConnectionError` when the client is gone."""
        await self._send(Opcode.BINARY, payload)

    async def _send(self, opcode: Opcode, payload: bytes) -> None:
        if self._is_closed:
            raise ConnectionResetError("the websocket is closed")
        await self._connection.send(frame(opcode, payload))

    async def close(self, code: int = NORMAL, why: str = "") -> None:
        """Say that nothing more comes, once."""
        if not self._is_closed:
            self._is_closed = True
            with suppress(ConnectionError):
                await self._connection.send(frame(Opcode.CLOSE, close_payload(code, why)))

    async def _control(self, message: Message) -> None:
        if message.opcode is Opcode.PING:
            await self._connection.send(frame(Opcode.PONG, message.payload))
        elif message.opcode is Opcode.CLOSE:
            await self.close()


class TextWebSocket(WebSocket):
    """Messages that are texts, for clients that know no bytes: the channel is a digit, and base64 follows."""

    async def receive(self) -> bytes | None:
        """Return the next message, its channel as a byte; None at the end. What is no base64 is passed over."""
        while (message := await super().receive()) is not None:
            if (found := _from_text(message)) is not None:
                return found
        return None

    async def send(self, payload: bytes) -> None:
        """Send a message, whose first byte is its channel."""
        await self._send(Opcode.TEXT, bytes((_ZERO + payload[0],)) + base64.b64encode(payload[1:]))


def _from_text(message: bytes) -> bytes | None:
    if not message:
        return message
    try:
        return bytes(((message[0] - _ZERO) % 256,)) + base64.b64decode(message[1:], validate=True)
    except ValueError:
        return None


def socket_of(connection: Duplex, protocol: str) -> WebSocket:
    """Return a websocket that speaks a protocol."""
    return (TextWebSocket if _IN_TEXT in protocol else WebSocket)(connection)


class Tunnel:
    """The messages of a websocket as one flow of bytes: what SPDY is sent through."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket

    async def receive(self) -> bytes:
        """Return what has come; nothing at the end."""
        while (message := await self._socket.receive()) is not None:
            if message:
                return message
        return b""

    async def send(self, data: bytes) -> None:
        """Send bytes."""
        await self._socket.send(data)
