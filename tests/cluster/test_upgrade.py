from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from konverge.certificates import Authority
from konverge.cluster.apiserver.exchange import Duplex, Upgrade
from konverge.cluster.credentials import Credentials
from konverge.cluster.http import HttpEdge

AUTHORITY = Authority.create()
ASKING = b"GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n"
HEAD = b"HTTP/1.1 101 Switching Protocols"
Connect = Callable[[], Any]


class Shouting:
    """A core that speaks in capitals from then on."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.held: asyncio.Event | None = None  # where set, nothing is read before it

    async def handle(self, _request: Any) -> Upgrade:
        """Answer."""
        return Upgrade(protocol="shout", serve=self._serve, headers=(("X-Way", "this"),))

    async def _serve(self, connection: Duplex) -> None:
        try:
            if self.held is not None:
                await self.held.wait()
            while data := await connection.receive():
                await connection.send(data.upper())
            await connection.send(b"BYE")
        finally:
            self.ended.set()


@pytest.fixture
async def shouting() -> AsyncIterator[tuple[Shouting, HttpEdge, Connect]]:
    """An edge before it, and how to connect."""
    core = Shouting()
    edge = HttpEdge(core, Credentials(AUTHORITY).identity("127.0.0.1").tls())
    port = await edge.start("127.0.0.1", 0)
    context = ssl.create_default_context(cadata=AUTHORITY.certificate.decode())

    @asynccontextmanager
    async def connect() -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
        try:
            yield reader, writer
        finally:
            writer.close()

    yield core, edge, connect
    await edge.stop()


async def test_what_follows_the_101_is_another_protocols(shouting: tuple[Shouting, HttpEdge, Connect]) -> None:
    """From the first byte on, though it came with the request."""
    core, _, connect = shouting
    async with asyncio.timeout(10), connect() as (reader, writer):
        writer.write(ASKING + b"early ")
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(HEAD)
        assert b"Upgrade: shout\r\nConnection: Upgrade\r\nX-Way: this\r\n" in head
        assert await reader.readexactly(6) == b"EARLY "
        writer.write(b"late")
        assert await reader.readexactly(4) == b"LATE"
        writer.close()
        await core.ended.wait()


async def test_more_than_is_read_waits_at_the_client(shouting: tuple[Shouting, HttpEdge, Connect]) -> None:
    """And comes whole once it is."""
    core, _, connect = shouting
    core.held = asyncio.Event()
    sent = b"abcdefgh" * (1 << 17)
    async with asyncio.timeout(20), connect() as (reader, writer):
        writer.write(ASKING)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(sent)
        core.held.set()
        assert await reader.readexactly(len(sent)) == sent.upper()


async def test_a_server_that_stops_ends_it_in_order(shouting: tuple[Shouting, HttpEdge, Connect]) -> None:
    """What is spoken there can say goodbye."""
    core, edge, connect = shouting
    async with asyncio.timeout(10), connect() as (reader, writer):
        writer.write(ASKING)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"x")
        assert await reader.readexactly(1) == b"X"
        stopping = asyncio.create_task(edge.stop())
        assert await reader.read() == b"BYE"
        await stopping
        assert core.ended.is_set()


async def test_a_client_that_goes_ends_it(shouting: tuple[Shouting, HttpEdge, Connect]) -> None:
    """Even while what serves it waits for something else."""
    core, _, connect = shouting
    core.held = asyncio.Event()
    async with asyncio.timeout(10):
        async with connect() as (reader, writer):
            writer.write(ASKING)
            await reader.readuntil(b"\r\n\r\n")
        await core.ended.wait()
