from __future__ import annotations

import asyncio
from typing import Any

import pytest

from konverge.cluster.streaming.spdy import SpdyConnection, SpdyStream
from konverge.cluster.streaming.spdy_frames import (
    Data,
    Frame,
    GoAway,
    Ping,
    Reset,
    RstStream,
    SpdyReader,
    SpdyWriter,
    SynReply,
    SynStream,
)


class Client:
    """The other side of a SPDY connection."""

    def __init__(self, wire: Any) -> None:
        self.wire = wire
        self._writer = SpdyWriter()
        self._reader = SpdyReader()
        self._frames: list[Frame] = []

    async def send(self, *frames: Frame) -> None:
        """Send frames."""
        await self.wire.send(b"".join(map(self._writer.write, frames)))

    async def next(self) -> Frame:
        """Return the next frame that has come."""
        async with asyncio.timeout(10):
            while not self._frames:
                self._frames += self._reader.feed(await self.wire.receive())
        return self._frames.pop(0)


class Served:
    """A connection that is served, and the streams that were opened."""

    def __init__(self, client: Client, connection: SpdyConnection) -> None:
        self.client = client
        self.connection = connection
        self.streams: asyncio.Queue[SpdyStream] = asyncio.Queue()
        self.task = asyncio.create_task(self._serve())

    async def _serve(self) -> None:
        async for stream in self.connection.streams():
            self.streams.put_nowait(stream)

    async def open(self, id_: int, **headers: str) -> SpdyStream:
        """Open a stream."""
        await self.client.send(SynStream(id_, headers))
        assert await self.client.next() == SynReply(id_)
        return await self.streams.get()


@pytest.fixture
async def served(wire: Any) -> Any:
    """A connection that is served."""
    client, server = wire()
    made = Served(Client(client), SpdyConnection(server))
    yield made
    client.cut()
    await asyncio.gather(made.task, return_exceptions=True)


async def test_bytes_go_both_ways_and_each_way_ends_by_itself(served: Served) -> None:
    """A stream that one side has ended is still good for the other one."""
    stream = await served.open(1, streamtype="data")
    assert stream.headers == {"streamtype": "data"}
    await served.client.send(Data(1, b"ab"), Data(1, b"cd", is_last=True))
    assert [await stream.receive(), await stream.receive()] == [b"abcd", b""]
    await stream.send(b"x" * 70_000)
    sizes = []
    for _ in range(3):
        frame = await served.client.next()
        assert isinstance(frame, Data)
        sizes.append(len(frame.payload))
    assert sizes == [32_768, 32_768, 4_464]
    await stream.close()
    assert await served.client.next() == Data(1, b"", is_last=True)
    assert stream.is_done


async def test_pings_come_back(served: Served) -> None:
    """A client's own; an even one would be ours."""
    await served.client.send(Ping(2), Ping(1))
    assert await served.client.next() == Ping(1)


async def test_a_stream_that_is_reset_is_over(served: Served) -> None:
    """What has come is dropped, and nothing can be sent."""
    stream = await served.open(1)
    await served.client.send(Data(1, b"ab"), RstStream(1, Reset.CANCEL), Ping(1))
    assert await served.client.next() == Ping(1)
    assert await stream.receive() == b""
    with pytest.raises(ConnectionError):
        await stream.send(b"x")


async def test_ids_must_grow_and_be_odd(served: Served) -> None:
    """Or the stream is refused; the connection goes on."""
    await served.open(3)
    await served.client.send(SynStream(3), SynStream(1), SynStream(4))
    assert [await served.client.next() for _ in range(3)] == [
        RstStream(3, Reset.PROTOCOL_ERROR),
        RstStream(1, Reset.PROTOCOL_ERROR),
        RstStream(4, Reset.PROTOCOL_ERROR),
    ]
    await served.open(5)


async def test_what_cannot_be_read_ends_the_connection(served: Served) -> None:
    """The client is told, and readers see the end."""
    stream = await served.open(1)
    await served.client.wire.send(b"\xff" * 8 + b"\xff" * 0xFFFFFF)
    assert await served.client.next() == GoAway(1, 1)
    assert await stream.receive() == b""
    await served.task


async def test_a_stream_that_nobody_reads_holds_up_its_connection(served: Served) -> None:
    """Until it is read: what waits is bounded."""
    stream = await served.open(1)
    for _ in range(3):
        await served.client.send(Data(1, b"x" * (1 << 20)))
    await served.client.send(Ping(1))
    for _ in range(100):
        await asyncio.sleep(0)
    assert await stream.receive() == b"x" * (2 << 20)
    assert await served.client.next() == Ping(1)


async def test_many_streams_written_at_once_can_be_read(served: Served) -> None:
    """Headers are one compressed flow: they are sent in the order in which they were compressed."""
    streams = [await served.open(id_) for id_ in range(1, 60, 2)]
    sending = asyncio.gather(*(each.send(b"x" * 100_000) for each in streams))
    await served.client.send(*(SynStream(id_) for id_ in range(61, 81, 2)))
    total, replies = 0, 0
    while total < 30 * 100_000 or replies < 10:
        frame = await served.client.next()
        total += len(frame.payload) if isinstance(frame, Data) else 0
        replies += isinstance(frame, SynReply)
    await sending
