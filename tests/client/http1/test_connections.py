"""Connections and their pool, seen from the transport above and a server of a few lines below."""

from __future__ import annotations

import asyncio
import gzip
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import konverge as kv
from konverge.api import request
from konverge.api.request import ApiRequest
from konverge.certificates import Authority
from konverge.client.config import Tls
from konverge.client.http import HttpTransport
from konverge.client.http1.connection import Connection
from konverge.client.http1.pool import Pool
from konverge.errors import ConnectionFailed, Operation, RequestError, TooLarge

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.conftest import Loopback

VERSION = request.raw("/version")
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(serve: Serve, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """Serve connections on loopback until all have ended; gives the port."""
    under_way: set[asyncio.Task[None]] = set()

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        under_way.add(task)
        with suppress(ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
            await serve(reader, writer)
        writer.close()
        with suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()

    listener = await asyncio.start_server(one, "127.0.0.1", 0, ssl=context)
    async with listener:
        yield listener.sockets[0].getsockname()[1]
    while under_way:  # a handler begins a moment after its connection
        await asyncio.wait(under_way)
        under_way = {task for task in under_way if not task.done()}


@asynccontextmanager
async def transport_to(config: kv.Config, *, timeout: float = 20.0) -> AsyncIterator[HttpTransport]:  # noqa: ASYNC109 - the transport's own
    """Give a transport, closed at the end."""
    transport = HttpTransport(config, timeout=timeout)
    try:
        yield transport
    finally:
        await transport.close()


# --- the pool ---


async def test_no_more_than_the_limit(loopback: Loopback) -> None:
    """However many calls there are at once, they share 32 connections, and all are answered."""
    async with transport_to(loopback.config()) as transport:
        await asyncio.gather(*(transport.call(VERSION) for _ in range(200)))
    assert loopback.connections <= 32
    assert len(loopback.seen) == 200


async def test_a_cancelled_wait_loses_no_place(loopback: Loopback) -> None:
    """Calls that are cancelled while they wait, connect or are under way leave every place free again."""
    async with serving(loopback.serve) as port, transport_to(kv.Config(server=f"http://127.0.0.1:{port}")) as transport:
        for rounds in range(12):
            calls = [asyncio.create_task(transport.call(VERSION)) for _ in range(80)]
            for _ in range(rounds):
                await asyncio.sleep(0)
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
        await asyncio.gather(*(transport.call(VERSION) for _ in range(80)))
        assert transport._calls._places._value == 32
        assert not transport._calls._dialling


async def test_first_come_first_served() -> None:
    """Who waits longest gets the next place."""
    order: list[int] = []

    async def refuse(_context: ssl.SSLContext | None, _connection: Connection) -> None:
        await asyncio.sleep(0)

    pool = Pool(refuse, limit=1)
    first = await pool.take(None)

    async def user(number: int) -> None:
        connection = await pool.take(None)
        order.append(number)
        pool.give_back(connection)

    users = [asyncio.create_task(user(number)) for number in range(5)]
    await asyncio.sleep(0)
    users[1].cancel()
    pool.give_back(first)
    await asyncio.gather(*users, return_exceptions=True)
    assert order == [0, 2, 3, 4]
    await pool.close()


class _MovableLoop(asyncio.SelectorEventLoop):
    offset = 0.0

    def time(self) -> float:
        """The loop's own time plus the jumps."""
        return super().time() + self.offset


def test_idle_connections_are_closed() -> None:
    """A connection that nobody used for a minute is closed, without anyone asking for another."""

    async def main(loop: _MovableLoop) -> None:
        ended = asyncio.Event()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            await reader.read()
            ended.set()

        async with (
            serving(answer) as port,
            transport_to(kv.Config(server=f"http://127.0.0.1:{port}"), timeout=1000) as transport,
        ):
            await transport.call(VERSION)
            loop.offset += 59
            await asyncio.sleep(0)
            assert len(transport._calls._open) == 1
            loop.offset += 2
            await ended.wait()
            await asyncio.sleep(0)
            assert not transport._calls._idle

    with asyncio.Runner(loop_factory=_MovableLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, _MovableLoop)
        runner.run(main(loop))


async def test_a_connection_that_the_server_closed_is_not_used(loopback: Loopback) -> None:
    """A write after the server closed an idle connection goes over a new one."""
    loopback.answers = [type(loopback.CUT)(loopback.json({}).data, close=True)]
    async with transport_to(loopback.config()) as transport:
        for _ in range(3):
            await transport.call(VERSION)
            await asyncio.gather(*(connection.lost for connection in transport._calls._open))
    assert loopback.connections == 3


async def test_closed_while_connecting(authority: Authority) -> None:
    """A client that is closed in a TLS handshake ends it with an error of ours, and leaves no socket."""
    arrived, gone = asyncio.Event(), asyncio.Event()

    async def silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        arrived.set()
        await reader.read()
        gone.set()

    async with serving(silent) as port:
        config = kv.Config(server=f"https://127.0.0.1:{port}", tls=Tls(ca_data=authority.certificate))
        transport = HttpTransport(config)
        call = asyncio.create_task(transport.call(VERSION))
        await arrived.wait()
        await transport.close()
        with pytest.raises(ConnectionFailed, match="closed"):
            await call
        await gone.wait()
        assert not transport._calls._open


async def test_closing_closes_sockets(loopback: Loopback) -> None:
    """When close returns, the sockets of calls, of streams under way and of idle connections are closed."""
    loopback.answers = [loopback.json({}), type(loopback.CUT)(b"HTTP/1.1 200 OK\r\n\r\n", hold=True)]
    transport = HttpTransport(loopback.config())
    await transport.call(VERSION)
    async with transport.stream(VERSION) as chunks:
        sockets = [
            each._socket.get_extra_info("socket")
            for each in transport._calls._open | transport._streams._open
            if each._socket is not None
        ]
        await transport.close()
        with pytest.raises(ConnectionFailed, match="the client was closed"):
            await anext(aiter(chunks))
    assert [each.fileno() for each in sockets] == [-1, -1]


# --- streams ---


async def test_a_stream_read_to_its_end_gives_its_connection_back(loopback: Loopback) -> None:
    """Streams one after the other share a connection, unless one was left before its end."""
    loopback.answers = [loopback.text("a" * 10)]
    async with transport_to(loopback.config()) as transport:
        for _ in range(3):
            async with transport.stream(VERSION) as chunks:
                assert b"".join([chunk async for chunk in chunks]) == b"a" * 10
        assert loopback.connections == 1
        loopback.answers = [
            type(loopback.CUT)(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1", hold=True),
            loopback.text(""),
        ]
        async with transport.stream(VERSION) as chunks:
            assert await anext(aiter(chunks)) == b"1"
        await loopback.disconnected.wait()
        async with transport.stream(VERSION):
            pass
        assert loopback.connections == 2


async def test_a_packed_stream(loopback: Loopback) -> None:
    """A stream that comes packed is unpacked on the way."""
    data = b"line\n" * 5000
    packed = gzip.compress(data)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    loopback.answers = [type(loopback.CUT)(head + packed)]
    async with transport_to(loopback.config()) as transport, transport.stream(VERSION) as chunks:
        assert b"".join([chunk async for chunk in chunks]) == data


@pytest.mark.parametrize("secure", [False, True])
async def test_a_slow_reader_holds_the_server_back(secure: bool, authority: Authority, tmp_path: Path) -> None:
    """What a stream's reader does not take stays with the server; when it reads on, everything comes."""
    size, piece = 400, b"x" * (1 << 16)
    held = asyncio.Event()
    written = 0

    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal written
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(size):
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            with suppress(TimeoutError):
                async with asyncio.timeout(0.1):
                    await writer.drain()
                    written += 1
                    continue
            held.set()
            await writer.drain()
            written += 1
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    context = server_context(authority, tmp_path) if secure else None
    async with serving(flood, context) as port:
        server = f"http{'s' if secure else ''}://127.0.0.1:{port}"
        config = kv.Config(server=server, tls=Tls(ca_data=authority.certificate))
        async with transport_to(config) as transport, transport.stream(VERSION) as chunks:
            await held.wait()
            assert written < size
            assert sum([len(chunk) async for chunk in chunks]) == size * len(piece)


@pytest.mark.parametrize("secure", [False, True])
async def test_a_burst_is_whole(secure: bool, authority: Authority, tmp_path: Path) -> None:
    """A stream whose chunks come fast is read in fewer, larger pieces, and nothing of it is lost."""
    events = [b'{"n":%d}\n' % number for number in range(3000)]

    async def burst(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for event in events:
            writer.write(b"%x\r\n%s\r\n" % (len(event), event))
            await asyncio.sleep(0)
        writer.write(b"0\r\n\r\n")
        await reader.read()

    async with serving(burst, server_context(authority, tmp_path) if secure else None) as port:
        server = f"http{'s' if secure else ''}://127.0.0.1:{port}"
        config = kv.Config(server=server, tls=Tls(ca_data=authority.certificate))
        async with transport_to(config) as transport:
            async with transport.stream(VERSION) as chunks:
                pieces = [chunk async for chunk in chunks]
            assert len(transport._streams._idle) == 1
    assert b"".join(pieces) == b"".join(events)
    assert len(pieces) < len(events)


@pytest.mark.parametrize("secure", [False, True])
async def test_a_held_connection_reads_nothing(secure: bool, authority: Authority, tmp_path: Path) -> None:
    """While a connection is held, what the server sends waits in the socket; then it comes at once."""
    more, sent = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\na")
        await more.wait()
        for letter in b"bcd":
            writer.write(bytes([letter]))
            await asyncio.sleep(0)
        sent.set()
        await reader.read()

    async with serving(serve, server_context(authority, tmp_path) if secure else None) as port:
        server = f"http{'s' if secure else ''}://127.0.0.1:{port}"
        config = kv.Config(server=server, tls=Tls(ca_data=authority.certificate))
        async with transport_to(config) as transport, transport.stream(VERSION):
            (connection,) = transport._streams._open
            assert await connection.read() == b"a"
            assert connection.hold()
            more.set()
            await sent.wait()
            connection.go_on()
            assert await connection.read() == b"bcd"
            connection.abort()
            assert not connection.hold()


# --- large requests ---


def _large(size: int) -> ApiRequest:
    return ApiRequest(method="POST", path="/x", operation=Operation(verb="create", resource="/x"), body=b"b" * size)


@pytest.mark.parametrize("size", [10, 1 << 20, (1 << 20) + 1, 5_000_000])
async def test_large_bodies(loopback: Loopback, size: int) -> None:
    """A body of any size arrives whole, and the connection is kept."""
    async with transport_to(loopback.config()) as transport:
        await transport.call(_large(size))
        await transport.call(_large(size))
    assert [len(seen.body) for seen in loopback.seen] == [size, size]
    assert loopback.connections == 1


async def test_a_refusal_before_all_is_sent() -> None:
    """A server that refuses a large body at its beginning and reads no further is understood."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
        await writer.drain()
        await done.wait()

    done = asyncio.Event()
    async with serving(refuse) as port, transport_to(kv.Config(server=f"http://127.0.0.1:{port}")) as transport:
        with pytest.raises(TooLarge):
            await transport.call(_large(50_000_000))
        assert not transport._calls._idle
        done.set()


# --- requests that cannot be sent ---


async def test_header_injection(loopback: Loopback) -> None:
    """A header with a line break in its value is refused before anything is sent, and the value is not shown."""
    async with transport_to(loopback.config()) as transport:
        with pytest.raises(RequestError, match="'X-Secret'") as caught:
            await transport.call(replace(VERSION, headers=(("X-Secret", "hush\r\nImpersonate-User: root"),)))
    assert "hush" not in str(caught.value)
    assert not loopback.seen


# --- proxies ---


@pytest.fixture(scope="module")
def authority() -> Authority:
    """An authority for the tests of this file."""
    return Authority.create("test")


def server_context(authority: Authority, folder: Path) -> ssl.SSLContext:
    """The TLS context of a server on loopback."""
    pair = authority.server("127.0.0.1")
    file = folder / "server.pem"
    file.write_bytes(pair.certificate + pair.key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file)
    return context


class Proxy:
    """A proxy that opens tunnels."""

    def __init__(self) -> None:
        self.heads: list[str] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Open the tunnel asked for and carry bytes both ways until one side ends."""
        self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        host, _, port = self.heads[-1].split(" ")[1].rpartition(":")
        there, back = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.0 200 Connection established\r\n\r\n")
        ways = [asyncio.create_task(_carry(reader, back)), asyncio.create_task(_carry(there, writer))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        back.close()
        await back.wait_closed()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()


@pytest.mark.parametrize("secure", [False, True])
async def test_a_tunnel(loopback: Loopback, authority: Authority, tmp_path: Path, secure: bool) -> None:
    """Calls and streams go through a proxy's tunnel, with TLS to the proxy itself or not, on kept connections."""
    context = server_context(authority, tmp_path)
    proxy = Proxy()
    async with (
        serving(loopback.serve, context) as port,
        serving(proxy.serve, context if secure else None) as proxy_port,
    ):
        config = kv.Config(
            server=f"https://127.0.0.1:{port}/prefix",
            proxy_url=f"http{'s' if secure else ''}://us%40er:p%3Aw@127.0.0.1:{proxy_port}",
            tls=Tls(ca_data=authority.certificate),
        )
        async with transport_to(config) as transport:
            for _ in range(3):
                assert (await transport.call(VERSION)).body == b"{}"
            async with transport.stream(VERSION) as chunks:
                assert [chunk async for chunk in chunks] == [b"{}"]
    assert len(proxy.heads) == 2
    assert proxy.heads[0].startswith(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n")
    assert "Proxy-Authorization: Basic dXNAZXI6cDp3\r\n" in proxy.heads[0]
    assert {seen.target for seen in loopback.seen} == {"/prefix/version"}
    assert not any(seen.header("Proxy-Authorization") for seen in loopback.seen)


async def test_a_proxy_that_serves_requests_is_told_who_asks(loopback: Loopback) -> None:
    """To plain http there is no tunnel: each request names the whole URL and carries the proxy's password."""
    url = loopback.url.replace("//", "//user:hush@")
    async with transport_to(kv.Config(server="http://api.example.com:8080", proxy_url=url)) as transport:
        await transport.call(VERSION)
        assert "hush" not in f"{vars(transport)}"
    (seen,) = loopback.seen
    assert (seen.target, seen.header("Host")) == ("http://api.example.com:8080/version", ["api.example.com:8080"])
    assert seen.header("Proxy-Authorization") == ["Basic dXNlcjpodXNo"]


async def test_a_proxy_that_is_not_trusted(loopback: Loopback, authority: Authority, tmp_path: Path) -> None:
    """A proxy whose certificate is of another authority is named as the one that is not trusted."""
    async with serving(loopback.serve, server_context(Authority.create("other"), tmp_path)) as port:
        config = kv.Config(
            server="https://api.example.com",
            proxy_url=f"https://user:hush@127.0.0.1:{port}",
            tls=Tls(ca_data=authority.certificate),
        )
        async with transport_to(config) as transport:
            with pytest.raises(ConnectionFailed, match="proxy refused: its certificate is not trusted") as caught:
                await transport.call(VERSION)
    assert "hush" not in f"{caught.value!r}{caught.value.__cause__!r}"


@pytest.mark.parametrize("answer", [b"", b"hello\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"])
async def test_a_proxy_that_is_none(loopback: Loopback, answer: bytes) -> None:
    """Something that opens no tunnel is named as the proxy it should be."""
    loopback.answers = [type(loopback.CUT)(answer, close=True)]
    config = kv.Config(server="https://api.example.com", proxy_url=loopback.url)
    async with transport_to(config) as transport:
        with pytest.raises(ConnectionFailed, match="proxy refused: no connection to it; check proxy-url"):
            await transport.call(VERSION)


# --- what is loaded ---


def test_importing_konverge_is_light() -> None:
    """A program that uses the client does not pay for an HTTP framework."""
    script = "import sys, konverge.client.http; print(sorted({'aiohttp', 'yarl', 'multidict'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
