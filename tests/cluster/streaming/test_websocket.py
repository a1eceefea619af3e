from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.exchange import Request
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.streaming.websocket import Tunnel, WebSocket, accepted, is_websocket, socket_of
from konverge.cluster.streaming.websocket_frames import Opcode, frame

MASK = b"abcd"
KEY = "dGhlIHNhbXBsZSBub25jZQ=="  # RFC 6455's example, and so is its answer


def asking(**headers: str) -> Request:
    """Return a request for a websocket."""
    usual = {"upgrade": "websocket", "connection": "Upgrade", "sec-websocket-key": KEY, "sec-websocket-version": "13"}
    return Request(method="GET", path="/", headers={**usual, **headers})


def test_the_handshake() -> None:
    """The key is answered, and the client's favourite of the protocols that are served."""
    protocol, headers = accepted(asking(**{"sec-websocket-protocol": "v9, v5, v4"}), ("v4", "v5"))
    assert protocol == "v5"
    assert dict(headers) == {
        "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        "Sec-WebSocket-Protocol": "v5",
    }
    assert accepted(asking(), ("v4",))[0] == ""


def test_handshakes_that_fail() -> None:
    """Of another version, without a key, or for protocols that nobody speaks here."""
    for headers, code in (
        ({"sec-websocket-version": "8"}, 400),
        ({"sec-websocket-key": ""}, 400),
        ({"sec-websocket-protocol": "v9"}, 403),
    ):
        with pytest.raises(Failure) as failure:
            accepted(asking(**headers), ("v4",))
        assert failure.value.code == code


def test_what_is_a_websocket() -> None:
    """By both of its headers, in any case."""
    assert is_websocket(asking(upgrade="WebSocket", connection="keep-alive, upgrade"))
    assert not is_websocket(asking(upgrade="SPDY/3.1"))
    assert not is_websocket(asking(connection="close"))


async def test_pings_are_answered_and_a_close_ends_it(wire: Any) -> None:
    """Between the messages, which come as they are."""
    client, server = wire()
    socket = WebSocket(server)
    for message in (
        frame(Opcode.PING, b"p", mask=MASK) + frame(Opcode.BINARY, b"one", mask=MASK),
        frame(Opcode.CLOSE, b"\x03\xe8", mask=MASK),
    ):
        await client.send(message)
    assert await socket.receive() == b"one"
    assert await client.receive() == frame(Opcode.PONG, b"p")
    assert await socket.receive() is None
    assert await client.receive() == frame(Opcode.CLOSE, b"\x03\xe8")
    with pytest.raises(ConnectionError):
        await socket.send(b"late")


async def test_what_is_no_frame_is_told_and_ends_it(wire: Any) -> None:
    """With the code of RFC 6455."""
    client, server = wire()
    await client.send(frame(Opcode.BINARY, b"not masked"))
    assert await WebSocket(server).receive() is None
    assert (await client.receive())[2:4] == (1002).to_bytes(2)


async def test_messages_in_text(wire: Any) -> None:
    """The channel is a digit and the rest base64, both ways; what is neither is passed over."""
    client, server = wire()
    socket = socket_of(server, "v4.base64.channel.k8s.io")
    for message in (b"0?", b"0aGVsbG8=", b""):
        await client.send(frame(Opcode.TEXT, message, mask=MASK))
    assert await socket.receive() == b"\0hello"
    assert await socket.receive() == b""
    await socket.send(b"\1hello")
    assert await client.receive() == frame(Opcode.TEXT, b"1aGVsbG8=")
    client.close()
    assert await socket.receive() is None


async def test_a_tunnel_is_one_flow_of_bytes(wire: Any) -> None:
    """Empty messages are no end of it, the end of the connection is."""
    client, server = wire()
    tunnel = Tunnel(WebSocket(server))
    await client.send(frame(Opcode.BINARY, b"", mask=MASK) + frame(Opcode.BINARY, b"ab", mask=MASK))
    assert await tunnel.receive() == b"ab"
    await tunnel.send(b"cd")
    assert await client.receive() == frame(Opcode.BINARY, b"cd")
    client.close()
    assert await tunnel.receive() == b""
