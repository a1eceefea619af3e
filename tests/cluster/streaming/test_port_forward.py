from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from konverge.cluster.pod_runtime import PodRef
from konverge.cluster.streaming.port_forward import PortForward
from konverge.cluster.streaming.spdy import SpdyConnection
from konverge.cluster.streaming.spdy_frames import (
    Data,
    Frame,
    Reset,
    RstStream,
    SpdyReader,
    SpdyWriter,
    SynStream,
)

POD = PodRef("default", "a", "u")


class Client:
    """What kubectl is."""

    def __init__(self, wire: Any) -> None:
        self.wire = wire
        self._writer = SpdyWriter()
        self._reader = SpdyReader()
        self.found: list[Frame] = []

    async def send(self, *frames: Frame) -> None:
        """Send frames."""
        await self.wire.send(b"".join(map(self._writer.write, frames)))

    async def until(self, wanted: Frame) -> None:
        """Read on until this frame has come."""
        async with asyncio.timeout(10):
            while wanted not in self.found:
                self.found += self._reader.feed(await self.wire.receive())

    def said(self, stream: int) -> bytes:
        """Return what came on a stream."""
        return b"".join(each.payload for each in self.found if isinstance(each, Data) and each.stream == stream)


@pytest.fixture
async def echo() -> AsyncIterator[int]:
    """A port that answers what it is sent, once all of it has come."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"<" + await reader.read() + b">")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


@pytest.fixture
async def client(wire: Any, runtime: Any) -> AsyncIterator[Client]:
    """A client whose ports are forwarded."""
    ours, theirs = wire()
    running = asyncio.create_task(PortForward(SpdyConnection(theirs), runtime(), POD).run())
    yield Client(ours)
    ours.close()
    async with asyncio.timeout(10):
        await running


def pair(first: int, port: int, request: str = "0") -> tuple[SynStream, SynStream]:
    """Return the streams of a connection."""
    more = {"port": str(port), "requestid": request}
    return SynStream(first, {"streamtype": "error", **more}, True), SynStream(first + 2, {"streamtype": "data", **more})


async def test_connections_are_pairs_of_streams(client: Client, echo: int) -> None:
    """Several at a time, over one connection; the end of what is sent is passed on."""
    await client.send(*pair(1, echo), *pair(5, echo, "1"))
    await client.send(Data(3, b"one"), Data(7, b"two", is_last=True), Data(3, b"!", is_last=True))
    for stream in (1, 3, 5, 7):
        await client.until(Data(stream, b"", is_last=True))
    assert (client.said(3), client.said(7), client.said(1)) == (b"<one!>", b"<two>", b"")


async def test_a_port_where_nobody_listens_is_told_and_others_go_on(client: Client, echo: int, free_port: int) -> None:
    """In Go's words, on the stream of errors."""
    await client.send(*pair(1, free_port))
    await client.until(RstStream(3, Reset.INTERNAL_ERROR))
    said = client.said(1).decode()
    assert said == (
        f"error forwarding port {free_port} to pod default/a, uid u: "
        f"dial tcp 127.0.0.1:{free_port}: connect: connection refused"
    )
    await client.send(*pair(5, echo, "1"), Data(7, b"x", is_last=True))
    await client.until(Data(7, b"", is_last=True))
    assert client.said(7) == b"<x>"


@pytest.fixture
async def free_port() -> int:
    """A port that was free a moment ago."""
    server = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    port: int = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    return port


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"port": "80"},
        {"port": "0", "streamtype": "data"},
        {"port": "x", "streamtype": "data"},
        {"port": "80", "streamtype": "x"},
    ],
)
async def test_streams_that_say_too_little_are_refused(client: Client, headers: dict[str, str]) -> None:
    """The connection goes on."""
    await client.send(SynStream(1, headers))
    await client.until(RstStream(1, Reset.REFUSED_STREAM))


async def test_old_clients_give_no_request_id(client: Client, echo: int) -> None:
    """Their streams come one after the other."""
    error, data = pair(1, echo)
    old = [
        SynStream(each.stream, {k: v for k, v in each.headers.items() if k != "requestid"}) for each in (error, data)
    ]
    await client.send(*old, Data(3, b"x", is_last=True))
    await client.until(Data(3, b"", is_last=True))
    assert client.said(3) == b"<x>"


async def test_a_stream_that_is_reset_ends_its_connection(client: Client) -> None:
    """Though the pod would wait for ever."""
    came, gone = asyncio.Event(), asyncio.Event()

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.set()
        while await reader.read(100):
            pass
        gone.set()
        writer.close()

    server = await asyncio.start_server(wait, "127.0.0.1", 0)
    await client.send(*pair(1, server.sockets[0].getsockname()[1]), Data(3, b"x"))
    async with asyncio.timeout(10):
        await came.wait()
        await client.send(RstStream(3, Reset.CANCEL))
        await client.until(Data(1, b"", is_last=True))
        await gone.wait()
    server.close()
