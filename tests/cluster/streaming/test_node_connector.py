from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from konverge.cluster.apiserver.connecting import Command, Forward, Logs, PodTarget, Proxied, Refused
from konverge.cluster.apiserver.exchange import Request, Response, Stream, Upgrade
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.pod_runtime import PodRef, RuntimeRefusal
from konverge.cluster.streaming.node_connector import NodeConnector

POD = PodTarget(namespace="default", name="a", uid="u")
GET = Request(method="GET", path="/")
EXEC = Command(pod=POD, container="c", command=("ls",), stdout=True)


def upgrade(protocol: str, **headers: str) -> Request:
    """Return a request to speak another protocol."""
    return Request(method="POST", path="/", headers={"connection": "Upgrade", "upgrade": protocol, **headers})


WEBSOCKET = upgrade("websocket", **{"sec-websocket-key": "x", "sec-websocket-version": "13"})


class NoRuntime:
    """Refuses everything, with a code."""

    def __init__(self, code: int) -> None:
        self._refusal = RuntimeRefusal(code, "no")

    async def logs(self, *_args: Any) -> AsyncIterator[bytes]:
        """Refuse at the first step."""
        raise self._refusal
        yield b""  # what makes it a generator

    async def execute(self, *_args: Any, **_more: Any) -> Any:
        """Refuse."""
        raise self._refusal

    async def attach(self, *_args: Any) -> Any:
        """Refuse."""
        raise self._refusal

    async def address(self, _pod: PodRef) -> str:
        """Refuse."""
        raise self._refusal


async def test_a_log_is_streamed_as_text(runtime: Any) -> None:
    """With the options that were asked for."""
    made = runtime()
    made.pieces = (b"one\n", b"two\n")
    answer = await NodeConnector(made).connect(Logs(pod=POD, container="c", tail=3, timestamps=True), GET)
    assert isinstance(answer, Stream)
    assert (answer.status, answer.content_type) == (200, "text/plain")
    assert [piece async for piece in answer.chunks] == [b"one\n", b"two\n"]
    [(name, container, options)] = made.asked
    assert (name, container, options.tail, options.timestamps, options.follow) == ("a", "c", 3, True, False)


async def test_a_log_that_is_followed_ends_with_the_server(runtime: Any) -> None:
    """Or with whoever reads it."""
    made = runtime()
    made.pieces = (b"one\n",)
    connector = NodeConnector(made)
    answer = await connector.connect(Logs(pod=POD, container="c", follow=True), GET)
    assert isinstance(answer, Stream)
    async with asyncio.timeout(10):
        assert await anext(answer.chunks) == b"one\n"
        reading = asyncio.ensure_future(anext(answer.chunks, None))
        await made.follows.wait()
        connector.end()
        assert await reading is None
        await answer.chunks.aclose()  # type: ignore[attr-defined]  # every stream of ours has it


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (400, "no"),
        (500, "Internal error occurred: no"),
        (404, "the server could not find the requested resource ( pods/log a)"),
    ],
)
async def test_why_there_is_no_log(code: int, message: str) -> None:
    """As the real server passes on what a kubelet says."""
    with pytest.raises(Failure) as failure:
        await NodeConnector(NoRuntime(code)).connect(Logs(pod=POD, container="c"), GET)
    assert (failure.value.code, failure.value.message) == (code, message)


async def test_a_command_that_cannot_run_is_refused_before_the_upgrade() -> None:
    """So that a client sees an answer, and no connection that ends."""
    connector = NodeConnector(NoRuntime(500))
    for wanted in (EXEC, Command(pod=POD, container="c", command=None, stdout=True)):
        with pytest.raises(Refused, match="no"):
            await connector.connect(wanted, WEBSOCKET)


@pytest.mark.parametrize(
    ("wanted", "asked", "headers"),
    [
        (EXEC, "v5.channel.k8s.io", "v5.channel.k8s.io"),
        (EXEC, "v9.channel.k8s.io, channel.k8s.io", "channel.k8s.io"),
        (Forward(pod=POD), "SPDY/3.1+portforward.k8s.io", "SPDY/3.1+portforward.k8s.io"),
    ],
)
async def test_the_protocol_of_a_websocket(runtime: Any, wanted: Any, asked: str, headers: str) -> None:
    """The first of the client's that is spoken here."""
    more = {"sec-websocket-key": "x", "sec-websocket-version": "13", "sec-websocket-protocol": asked}
    answer = await NodeConnector(runtime()).connect(wanted, upgrade("websocket", **more))
    assert isinstance(answer, Upgrade)
    assert (answer.protocol, dict(answer.headers)["Sec-WebSocket-Protocol"]) == ("websocket", headers)


async def test_the_protocol_over_spdy(runtime: Any) -> None:
    """In a header of its own; a client may name none."""
    connector = NodeConnector(runtime())
    named = upgrade("SPDY/3.1", **{"x-stream-protocol-version": "v5.channel.k8s.io, v4.channel.k8s.io"})
    answer = await connector.connect(EXEC, named)
    assert isinstance(answer, Upgrade)
    assert (answer.protocol, answer.headers) == ("SPDY/3.1", (("X-Stream-Protocol-Version", "v4.channel.k8s.io"),))
    bare = await connector.connect(Forward(pod=POD), upgrade("SPDY/3.1"))
    assert isinstance(bare, Upgrade)
    assert bare.headers == ()


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (upgrade("h2c"), 400),
        (upgrade("SPDY/3.1", **{"x-stream-protocol-version": "v9"}), 403),
        (upgrade("websocket"), 400),
    ],
)
async def test_protocols_that_are_not_spoken(runtime: Any, request_: Request, code: int) -> None:
    """Are refused, and nothing is run."""
    made = runtime()
    for wanted in (EXEC, Forward(pod=POD)):
        with pytest.raises(Failure) as failure:
            await NodeConnector(made).connect(wanted, request_)
        assert failure.value.code == code
    assert not made.asked


async def test_a_simulated_container_says_what_it_was_told_to() -> None:
    """By its annotation; else it says that it is simulated, and what to do."""
    told = PodTarget(
        namespace="default",
        name="a",
        uid="u",
        annotations={"konverge.dev/simulate": '{"log": "one\\ntwo\\nthree"}'},
    )
    connector = NodeConnector()
    answer = await connector.connect(Logs(pod=told, container="c", tail=2), GET)
    assert isinstance(answer, Stream)
    assert [piece async for piece in answer.chunks] == [b"two\nthree\n"]
    answer = await connector.connect(Logs(pod=POD, container="c"), GET)
    assert isinstance(answer, Stream)
    assert b"is simulated" in b"".join([piece async for piece in answer.chunks])
    with pytest.raises(Refused, match="is simulated"):
        await connector.connect(EXEC, WEBSOCKET)


@pytest.fixture
async def web() -> AsyncIterator[tuple[int, list[bytes]]]:
    """A web server that keeps what it was asked, and always answers the same."""
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        asked.append(head)
        writer.write(b"HTTP/1.1 202 Accepted\r\nContent-Type: a/b\r\nX-Own: 1\r\nTransfer-Encoding: chunked\r\n\r\n")
        writer.write(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1], asked
    server.close()


async def test_a_request_is_passed_on_to_a_pod(web: tuple[int, list[bytes]]) -> None:
    """Without what is the API server's own business, such as who asks; its answer comes back as it is."""
    port, asked = web
    wanted = Proxied(scheme="http", host="127.0.0.1", port=port, path="/x?y=1")
    headers = {"host": "api", "authorization": "Bearer secret", "impersonate-user": "jane", "x-mine": "2"}
    answer = await NodeConnector().connect(wanted, Request(method="GET", path="/p", headers=headers))
    assert isinstance(answer, Stream)
    assert (answer.status, answer.content_type, answer.headers) == (202, "a/b", (("X-Own", "1"),))
    assert b"".join([piece async for piece in answer.chunks]) == b"abcde"
    text = asked[0].decode().lower()
    assert text.startswith("get /x?y=1 http/1.1")
    assert "x-mine: 2" in text
    assert "x-forwarded-host: api" in text
    assert "secret" not in text
    assert "jane" not in text
    head = await NodeConnector().connect(wanted, Request(method="HEAD", path="/p", headers=headers))
    assert isinstance(head, Response)
    assert (head.status, head.body) == (202, b"")


async def test_a_pod_that_does_not_answer() -> None:
    """Is a 503, as the real server words it."""
    server = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    with pytest.raises(Failure, match=r"error trying to reach service: dial tcp .* connect: connection refused") as no:
        await NodeConnector().connect(Proxied(scheme="http", host="127.0.0.1", port=port, path="/"), GET)
    assert no.value.code == 503
