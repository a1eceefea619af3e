from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from konverge.cluster.proxy.plan import Target
from konverge.cluster.proxy.relay import Relay

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Town:
    """Servers on this machine, and a relay before them."""

    def __init__(self) -> None:
        self.servers: list[asyncio.Server] = []
        self.connected: list[Target] = []
        self.outcome: asyncio.Queue[bool] = asyncio.Queue()

    async def server(self, handler: Handler) -> Target:
        """Start a server."""
        server = await asyncio.start_server(handler, "127.0.0.1", 0)
        self.servers.append(server)
        return Target("127.0.0.1", server.sockets[0].getsockname()[1])

    async def nobody(self) -> Target:
        """Return a port where nobody listens."""
        target = await self.server(_silent)
        self.servers.pop().close()
        return target

    async def client(self, *targets: Target) -> Ends:
        """Connect to a relay before the targets."""

        async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.outcome.put_nowait(await Relay(reader, writer).run(targets, self.connected.append))

        front = await self.server(relay)
        return await asyncio.open_connection(front.address, front.port)


async def _silent(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


def saying(text: bytes) -> Handler:
    """Return a server that says this once it has been asked a line."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(text + await reader.readline())
        await writer.drain()
        writer.close()

    return answer


async def cutting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Take a line, and go without a word: a server that ends."""
    await reader.readline()
    writer.transport.abort()


def reset(writer: asyncio.StreamWriter) -> None:
    """Cut a connection, in a way that the other side can tell from an end."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@pytest.fixture
async def town() -> AsyncIterator[Any]:
    """Servers, which are gone at the end."""
    made = Town()
    async with asyncio.timeout(20):
        yield made
    for server in made.servers:
        server.close()


async def test_the_next_one_is_tried_where_nobody_listens(town: Town) -> None:
    """The client sees nothing of it."""
    target = await town.server(saying(b"two "))
    reader, writer = await town.client(await town.nobody(), target)
    writer.write(b"POST it\n")
    assert await reader.read() == b"two POST it\n"
    assert town.connected == [target]
    assert await town.outcome.get()
    writer.close()


@pytest.mark.parametrize("asked", [b"GET / HTTP/1.1\n", b"HEAD / HTTP/1.1\n"])
async def test_what_may_be_asked_twice_is_asked_of_the_next_one(town: Town, asked: bytes) -> None:
    """Where the first took it and went without a word."""
    reader, writer = await town.client(await town.server(cutting), await town.server(saying(b"two ")))
    writer.write(asked)
    assert await reader.read() == b"two " + asked
    writer.close()


async def test_what_may_be_asked_once_is_not(town: Town) -> None:
    """The first may have done it: the client must decide."""
    second = await town.server(saying(b"two "))
    reader, writer = await town.client(await town.server(cutting), second)
    writer.write(b"POST / HTTP/1.1\n")
    assert await reader.read() == b""
    assert second not in town.connected
    writer.close()


async def test_half_an_answer_is_not_begun_anew(town: Town) -> None:
    """It is cut, so that it does not pass for a whole one."""

    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"half")
        await writer.drain()
        await reader.readline()
        reset(writer)

    second = await town.server(saying(b"two "))
    reader, writer = await town.client(await town.server(half), second)
    writer.write(b"GET / HTTP/1.1\n")
    assert await reader.readexactly(4) == b"half"
    writer.write(b"go on\n")
    with pytest.raises(ConnectionError):
        await reader.read()
    assert second not in town.connected
    writer.close()


async def test_nobody_is_there(town: Town) -> None:
    """The connection is cut."""
    reader, writer = await town.client(await town.nobody())
    with pytest.raises(ConnectionError):
        await reader.read()
    writer.close()
    assert not await town.outcome.get()


async def test_the_end_of_what_is_sent_is_passed_on(town: Town) -> None:
    """And the answer to it still comes."""

    async def all_of_it(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(str(len(await reader.read())).encode())
        writer.close()

    reader, writer = await town.client(await town.server(all_of_it))
    writer.write(b"x" * 1_000_000)
    writer.write_eof()
    assert await reader.read() == b"1000000"
    writer.close()


async def test_a_client_that_is_gone_for_good_takes_its_connection_along(town: Town) -> None:
    """A pod that would wait for ever is not kept waiting."""
    came, gone = asyncio.Event(), asyncio.Event()

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        came.set()
        with suppress(ConnectionError):
            await reader.read()
        gone.set()
        writer.close()

    _, writer = await town.client(await town.server(wait))
    writer.write(b"POST it\n")
    await came.wait()
    reset(writer)
    await gone.wait()
