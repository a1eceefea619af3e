from __future__ import annotations

import asyncio
import gzip
import hashlib
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from konverge.certificates import Authority, KeyPair
from konverge.cluster.apiserver.exchange import Answer, Peer, Request, Response, Stream
from konverge.cluster.credentials import Credentials
from konverge.cluster.http import HttpEdge
from konverge.cluster.http1.incoming import LARGEST_BODY
from konverge.version import USER_AGENT

AUTHORITY = Authority.create()
PATIENCE = 10.0


@dataclass(slots=True)
class Wire:
    """A connection on which a test writes and reads HTTP by itself."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, text: str, body: bytes = b"") -> None:
        """Send a head, given with plain newlines, and a body."""
        self.writer.write(text.strip().replace("\n", "\r\n").encode() + b"\r\n\r\n" + body)
        await self.writer.drain()

    async def head(self) -> tuple[int, dict[str, str]]:
        """Return the status and the headers of an answer."""
        async with asyncio.timeout(PATIENCE):
            lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers: dict[str, str] = {}
        for line in lines[1:-2]:
            name, _, value = line.partition(": ")
            headers[name.lower()] = f"{headers[name.lower()]}|{value}" if name.lower() in headers else value
        return int(lines[0].split()[1]), headers

    async def answer(self) -> tuple[int, dict[str, str], bytes]:
        """Return a whole answer."""
        status, headers = await self.head()
        return status, headers, await self.reader.readexactly(int(headers["content-length"]))

    async def chunk(self) -> bytes:
        """Return a chunk of an answer; an empty one is its end."""
        async with asyncio.timeout(PATIENCE):
            size = int(await self.reader.readline(), 16)
            return (await self.reader.readexactly(size + 2))[:-2]

    async def rest(self) -> bytes:
        """Return what comes until the server closes the connection."""
        async with asyncio.timeout(PATIENCE):
            return await self.reader.read()


def client_tls(folder: Path, pair: KeyPair | None = None) -> ssl.SSLContext:
    """Return how a client connects."""
    context = ssl.create_default_context(cadata=AUTHORITY.certificate.decode())
    if pair is not None:
        (folder / "client.pem").write_bytes(pair.certificate + pair.key)
        context.load_cert_chain(folder / "client.pem")
    return context


async def until(condition: Callable[[], bool]) -> None:
    """Let the server go on until something is so."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - what is waited for is the inside of a connection, which tells no one
            await asyncio.sleep(0)


Connect = Callable[..., Any]


@pytest.fixture
async def serve(tmp_path: Path) -> AsyncIterator[Connect]:
    """Start an edge before a core and return how to connect to it."""
    edges: list[HttpEdge] = []

    async def start(server: Any) -> Any:
        edge = HttpEdge(server, Credentials(AUTHORITY).identity("127.0.0.1").tls())
        edges.append(edge)
        port = await edge.start("127.0.0.1", 0)

        @asynccontextmanager
        async def connect(pair: KeyPair | None = None) -> AsyncIterator[Wire]:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=client_tls(tmp_path, pair))
            try:
                yield Wire(reader, writer)
            finally:
                writer.close()

        return connect, edge

    yield start
    for edge in edges:
        await edge.stop()


async def test_a_request_reaches_the_core_as_it_was_sent(serve: Connect, scripted: Any) -> None:
    """Decoded path and query, headers by lower-case name, the body; and its answer comes back."""
    server = scripted(lambda _: Response(status=201, body=b'{"a":1}', headers=(("Warning", "a"), ("Warning", "b"))))
    connect, _ = await serve(server)
    async with connect() as wire:
        await wire.send(
            "POST /api/v1/a%20b?x=1&x=2+3 HTTP/1.1\nHost: x\nContent-Length: 3\nX-A: 1\nx-a: 2\nContent-Type: a/b",
            b"abc",
        )
        status, headers, body = await wire.answer()
    assert (status, body, headers["warning"], headers["content-type"]) == (201, b'{"a":1}', "a|b", "application/json")
    assert headers["server"] == USER_AGENT
    [request] = server.requests
    assert (request.method, request.path, request.query) == ("POST", "/api/v1/a b", (("x", "1"), ("x", "2 3")))
    assert (request.body, request.header("x-a"), request.header("content-type")) == (b"abc", "1, 2", "a/b")


async def test_who_asks_is_read_from_a_verified_certificate(serve: Connect, scripted: Any) -> None:
    """Its common name, its organizations and its fingerprint; without one, no one."""
    server = scripted()
    connect, _ = await serve(server)
    shown = AUTHORITY.client("jané", groups=["system:masters", "ops"])
    fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(shown.certificate.decode())).hexdigest()
    for pair in (None, shown):
        async with connect(pair) as wire:
            await wire.send("GET /api HTTP/1.1\nHost: x")
            await wire.answer()
    assert [request.peer for request in server.requests] == [
        Peer(),
        Peer(common_name="jané", organizations=("system:masters", "ops"), fingerprint=fingerprint),
    ]


async def ask(connect: Connect, pair: KeyPair) -> None:
    """Ask with a certificate; raise where the connection is refused, in the handshake or right after it."""
    async with connect(pair) as wire:
        await wire.send("GET /api HTTP/1.1\nHost: x")
        if not await wire.rest():
            raise ConnectionResetError


@pytest.mark.parametrize(
    "pair",
    [Authority.create().client("eve", groups=["system:masters"]), AUTHORITY.server("127.0.0.1")],
    ids=["another authority's", "a server's"],
)
async def test_a_certificate_that_makes_no_one_a_user_is_refused(serve: Connect, scripted: Any, pair: KeyPair) -> None:
    """TLS refuses it, so that no request of its holder is read."""
    server = scripted()
    connect, _ = await serve(server)
    with pytest.raises((ssl.SSLError, ConnectionError)):
        await ask(connect, pair)
    assert server.requests == []


async def test_a_body_that_is_too_large_is_judged_by_the_core(serve: Connect, scripted: Any) -> None:
    """It sees that there is more than it takes; the connection is then closed, for the rest is in its way."""
    server = scripted(lambda request: Response(status=413 if len(request.body) > LARGEST_BODY else 200))
    connect, _ = await serve(server)
    async with connect() as wire:
        await wire.send(f"POST / HTTP/1.1\nHost: x\nContent-Length: {LARGEST_BODY}", b"x" * LARGEST_BODY)
        assert (await wire.answer())[0] == 200
        await wire.send(f"POST / HTTP/1.1\nHost: x\nContent-Length: {1 << 40}", b"x" * (LARGEST_BODY + (1 << 18)))
        status, headers, _ = await wire.answer()
        assert (status, headers["connection"]) == (413, "close")
    assert [len(request.body) for request in server.requests] == [LARGEST_BODY, LARGEST_BODY + 1]


async def test_a_client_that_waits_to_be_told_to_send_is_told(serve: Connect, scripted: Any) -> None:
    """As curl does with a large body."""
    server = scripted()
    connect, _ = await serve(server)
    async with connect() as wire:
        await wire.send("POST / HTTP/1.1\nHost: x\nContent-Length: 3\nExpect: 100-continue")
        assert (await wire.head())[0] == 100
        wire.writer.write(b"abc")
        assert (await wire.answer())[0] == 200
    assert server.requests[0].body == b"abc"


async def test_long_lines_and_headers_are_taken(serve: Connect, scripted: Any) -> None:
    """A selector may be long, and so may a token."""
    server = scripted()
    connect, _ = await serve(server)
    async with connect() as wire:
        await wire.send(f"GET /api?labelSelector={'x' * 500_000} HTTP/1.1\nHost: x\nX-Long: {'y' * 500_000}")
        assert (await wire.answer())[0] == 200
    assert len(server.requests[0].parameter("labelSelector")) == 500_000


async def test_a_path_that_cannot_be_decoded_is_a_bad_request(serve: Connect, scripted: Any) -> None:
    """In plain text, as Go answers it before the API is reached."""
    connect, _ = await serve(scripted())
    async with connect() as wire:
        await wire.send("GET /api/%zz HTTP/1.1\nHost: x")
        status, _, body = await wire.answer()
    assert (status, body) == (400, b"400 Bad Request")


async def test_a_connection_serves_many_requests(serve: Connect, scripted: Any) -> None:
    """A handshake costs more than a request."""
    connect, _ = await serve(scripted())
    async with connect() as wire:
        for _ in range(3):
            await wire.send("GET /api HTTP/1.1\nHost: x")
            assert (await wire.answer())[0] == 200


async def test_head_is_answered_without_its_body(serve: Connect, scripted: Any) -> None:
    """But with its length."""
    connect, _ = await serve(scripted())
    async with connect() as wire:
        await wire.send("HEAD /api HTTP/1.1\nHost: x\nConnection: close")
        status, headers = await wire.head()
        assert (status, headers["content-length"], await wire.rest()) == (200, "2", b"")


@pytest.mark.parametrize(
    ("size", "accepted", "is_compressed"),
    [
        (128 * 1024 + 1, "gzip", True),
        (128 * 1024 + 1, "deflate, gzip", True),
        (128 * 1024, "gzip", False),
        (128 * 1024 + 1, "", False),
        (128 * 1024 + 1, "gzip;q=1", False),
    ],
)
async def test_long_answers_are_compressed_for_those_who_accept_it(
    serve: Connect, scripted: Any, size: int, accepted: str, is_compressed: bool
) -> None:
    """Beyond 128 KiB, and `gzip` alone: as the real server reads the header."""
    connect, _ = await serve(scripted(lambda _: Response(status=200, body=b"x" * size)))
    async with connect() as wire:
        await wire.send(f"GET /api HTTP/1.1\nHost: x\nAccept-Encoding: {accepted}")
        _, headers, body = await wire.answer()
    assert (headers.get("content-encoding") == "gzip") == is_compressed
    assert ("vary" in headers) == is_compressed
    assert (gzip.decompress(body) if is_compressed else body) == b"x" * size


async def test_what_the_core_compressed_itself_is_left_as_it_is(serve: Connect, scripted: Any) -> None:
    """OpenAPI documents are kept compressed."""
    answer = Response(status=200, body=b"x" * 200_000, headers=(("Content-Encoding", "gzip"),))
    connect, _ = await serve(scripted(lambda _: answer))
    async with connect() as wire:
        await wire.send("GET /api HTTP/1.1\nHost: x\nAccept-Encoding: gzip")
        _, headers, body = await wire.answer()
    assert (headers["content-encoding"], body) == ("gzip", answer.body)


async def test_a_stream_is_sent_as_it_happens(serve: Connect, scripted: Any, chunks: Any) -> None:
    """Each chunk at once; the next request uses the same connection."""
    connect, _ = await serve(scripted(chunks.answer))
    async with connect() as wire:
        await wire.send("GET /watch HTTP/1.1\nHost: x")
        status, headers = await wire.head()
        assert (status, headers["transfer-encoding"]) == (200, "chunked")
        for line in (b"one\n", b"two\n"):
            chunks.queue.put_nowait(line)
            assert await wire.chunk() == line
        chunks.queue.put_nowait(None)
        assert await wire.chunk() == b""
        await wire.send("GET /watch HTTP/1.1\nHost: x")
        assert (await wire.head())[0] == 200


async def test_a_watch_ends_when_its_client_goes_away(serve: Connect, scripted: Any, chunks: Any) -> None:
    """Though nothing happens that would be sent to it."""
    connect, _ = await serve(scripted(chunks.answer))
    async with connect() as wire:
        await wire.send("GET /watch HTTP/1.1\nHost: x")
        await wire.head()
    async with asyncio.timeout(PATIENCE):
        await chunks.ended.wait()


async def test_a_write_goes_on_when_its_client_goes_away(serve: Connect, scripted: Any) -> None:
    """And a read does not."""
    server = scripted()
    server.gate = asyncio.Event()
    connect, edge = await serve(server)
    for method in ("POST", "GET"):
        async with connect() as wire:
            await wire.send(f"{method} /api HTTP/1.1\nHost: x\nContent-Length: 0")
            await server.asked.get()
    async with asyncio.timeout(PATIENCE):
        await server.cancelled.wait()
        server.gate.set()
        await edge.stop()
    assert server.answered == 1


async def test_stopping_lets_answers_under_way_end(serve: Connect, scripted: Any, chunks: Any) -> None:
    """A call is answered, a stream that the core ends gets its last chunk, an idle connection is closed."""

    def answer(request: Request) -> Answer:
        stream: Answer = chunks.answer(request)
        return stream if request.path == "/watch" else Response(status=200, body=b"{}")

    server = scripted(answer)
    connect, edge = await serve(server)
    async with connect() as watching, connect() as calling, connect() as idle:
        await idle.send("GET /api HTTP/1.1\nHost: x")
        await idle.answer()
        await watching.send("GET /watch HTTP/1.1\nHost: x")
        await watching.head()
        server.gate = asyncio.Event()
        await calling.send("GET /api HTTP/1.1\nHost: x")
        for _ in range(3):
            await server.asked.get()
        stop = asyncio.ensure_future(edge.stop())
        assert await idle.rest() == b""
        server.gate.set()
        assert (await calling.answer())[2] == b"{}"
        chunks.queue.put_nowait(None)
        assert await watching.chunk() == b""
        async with asyncio.timeout(PATIENCE):
            await stop
    with pytest.raises(OSError, match="Connect call failed"):
        async with connect():
            pass


async def test_requests_that_are_sent_ahead_are_answered_in_order(serve: Connect, scripted: Any) -> None:
    """One after the other, whatever their number; what would fill the memory waits in the client."""
    server = scripted(lambda request: Response(status=200, body=request.path.encode()))
    connect, _ = await serve(server)
    async with connect() as wire:
        many = "".join(f"GET /{number} HTTP/1.1\r\nHost: x\r\nX: {'y' * 1000}\r\n\r\n" for number in range(500))
        wire.writer.write(many.encode())
        for number in range(500):
            assert (await wire.answer())[2] == f"/{number}".encode()


async def test_a_body_may_come_in_chunks(serve: Connect, scripted: Any) -> None:
    """As from a client that does not know its length."""
    server = scripted()
    connect, _ = await serve(server)
    async with connect() as wire:
        await wire.send("POST / HTTP/1.1\nHost: x\nTransfer-Encoding: chunked", b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        assert (await wire.answer())[0] == 200
    assert server.requests[0].body == b"abcde"


async def test_what_is_no_request_is_refused_and_ends_the_connection(serve: Connect, scripted: Any) -> None:
    """No one knows where the next would begin."""
    connect, _ = await serve(scripted())
    async with connect() as wire:
        await wire.send("GET / HTTP/1.1\nHost: x\nContent-Length: x", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        status, headers, body = await wire.answer()
        assert (status, headers["connection"], body) == (400, "close", b"400 Bad Request")
        assert await wire.rest() == b""


async def test_a_client_of_old_gets_a_stream_up_to_the_end(serve: Connect, scripted: Any, chunks: Any) -> None:
    """HTTP/1.0 knows no chunks, so the end of the connection is the stream's."""
    connect, _ = await serve(scripted(chunks.answer))
    async with connect() as wire:
        await wire.send("GET /watch HTTP/1.0")
        assert "transfer-encoding" not in (await wire.head())[1]
        for line in (b"one\n", b"two\n", None):
            chunks.queue.put_nowait(line)
        assert await wire.rest() == b"one\ntwo\n"


async def test_an_answer_that_breaks_off_does_not_pass_for_a_whole_one(
    serve: Connect, scripted: Any, chunks: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The connection is cut, and the log says why."""
    connect, _ = await serve(scripted(chunks.answer))
    async with connect() as wire:
        await wire.send("GET /watch HTTP/1.1\nHost: x")
        await wire.head()
        chunks.queue.put_nowait("not bytes")
        with pytest.raises((ConnectionError, ssl.SSLError, asyncio.IncompleteReadError)):
            await wire.reader.readexactly(1)
    assert "the answer to GET /watch failed" in caplog.text


@pytest.mark.parametrize(
    ("sent", "seconds", "is_cut"),
    [
        ("", 61, False),
        ("", 91, True),
        ("GET / HTTP/1.1\r\n", 59, False),
        ("GET / HTTP/1.1\r\n", 61, True),
        ("GET /watch HTTP/1.1\r\nHost: x\r\n\r\n", 1000, False),
    ],
    ids=["between requests", "idle", "within a head", "a head without end", "a quiet watch"],
)
async def test_a_client_that_keeps_it_waiting_is_cut_off(
    serve: Connect, scripted: Any, chunks: Any, *, sent: str, seconds: int, is_cut: bool
) -> None:
    """Each connection costs something; a watch may be quiet for as long as it likes."""
    connect, edge = await serve(scripted(chunks.answer))
    async with connect() as wire:
        await wire.send("GET /first HTTP/1.1\nHost: x")
        await wire.head()
        chunks.queue.put_nowait(None)
        await wire.chunk()
        wire.writer.write(sent.encode())
        [connection] = edge._connections
        await until(lambda: connection._incoming.has_begun is bool(sent))
        connection.cut_if_late(asyncio.get_running_loop().time() + seconds)
        assert connection._is_open is not is_cut
        if is_cut:
            assert await wire.rest() == b""


async def test_who_does_not_read_is_not_sent_more(serve: Connect, scripted: Any) -> None:
    """Its stream waits for it, and nothing piles up; in the end it is cut off."""
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 1
            yield b"x" * 65536

    connect, edge = await serve(scripted(lambda _: Stream(status=200, chunks=endless())))
    async with connect() as wire:
        wire.writer.transport.pause_reading()
        await wire.send("GET /watch HTTP/1.1\nHost: x")
        [connection] = edge._connections
        await until(lambda: connection._room is not None)
        assert sent * 65536 < 32 * 1024 * 1024
        connection.cut_if_late(asyncio.get_running_loop().time() + 61)
        async with asyncio.timeout(PATIENCE):
            await edge._is_quiet.wait()


async def test_a_client_that_speaks_no_tls_is_told_so(serve: Connect, scripted: Any) -> None:
    """In Go's words: whoever writes http for https should see why nothing comes."""
    connect, _ = await serve(scripted(lambda _: Response(status=200)))
    async with connect() as wire:
        port = wire.writer.get_extra_info("peername")[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        plain = Wire(reader, writer)
        await plain.send("GET /version HTTP/1.1\nHost: x")
        assert await plain.rest() == (
            b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"
        )
        writer.close()
