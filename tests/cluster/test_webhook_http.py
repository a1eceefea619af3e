"""Webhooks over HTTPS that answer badly, or not at all: each call ends, and the next one is as good as the first."""

from __future__ import annotations

import asyncio
import ssl
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from konverge.certificates import Authority
from konverge.cluster.apiserver.admission.webhook_caller import CallFailed, HalfAnswer, NoClient, WebhookAnswer
from konverge.cluster.webhook_http import HttpWebhooks

Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
GOOD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


class Asked:
    """A webhook on loopback, and who calls it."""

    def __init__(self, authority: Authority, port: int) -> None:
        self._authority = authority
        self._port = port
        self.webhooks = HttpWebhooks()

    async def post(self, bundle: bytes | None = None) -> WebhookAnswer:
        """POST a review."""
        trusted = self._authority.certificate if bundle is None else bundle
        return await self.webhooks.post(("127.0.0.1", self._port), "127.0.0.1", "/x", body=b"{}", bundle=trusted)


@asynccontextmanager
async def asked(behaviour: Behaviour) -> AsyncIterator[Asked]:
    """Serve a behaviour: it is called for each connection, when a request has come."""
    authority = Authority.create("hooks")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n{}")
            await behaviour(reader, writer)
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=_tls(authority))
    found = Asked(authority, server.sockets[0].getsockname()[1])
    try:
        yield found
    finally:
        await found.webhooks.close()
        server.close()
        await server.wait_closed()


def _tls(authority: Authority) -> ssl.SSLContext:
    pair = authority.server("127.0.0.1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "server.pem"
        file.write_bytes(pair.certificate + pair.key)
        context.load_cert_chain(file)
    return context


def says(content: bytes) -> Behaviour:
    """Return what sends these bytes and ends the connection."""

    async def behaviour(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(content)
        await writer.drain()

    return behaviour


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "closed before an answer"),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n\r\n", "."),
        (b"\x00" * 70_000, "."),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", "."),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000, "."),
    ],
    ids=["nothing", "another protocol", "zeros", "a length below zero", "headers without end"],
)
async def test_what_is_no_answer_is_told(content: bytes, why: str) -> None:
    """It is a call that failed, whatever it is."""
    async with asked(says(content)) as hook:
        with pytest.raises(CallFailed, match=why):
            await hook.post()


@pytest.mark.parametrize(
    "content",
    [
        b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a"',
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd",
    ],
    ids=["a length", "a chunk", "no chunk", "no gzip"],
)
async def test_half_an_answer_is_told(content: bytes) -> None:
    """What began well and did not end so says that it may be tried again."""
    async with asked(says(content)) as hook:
        with pytest.raises(CallFailed):
            await hook.post()


async def test_an_answer_without_end_is_given_up() -> None:
    """No more is kept of it than a review can be."""

    async def endless(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        chunk = b"40000\r\n" + b"x" * 0x40000 + b"\r\n"
        for _number in range(70):  # 17 MiB and more: nobody reads the last ones
            if writer.is_closing():
                return
            writer.write(chunk)
            await writer.drain()

    async with asked(endless) as hook:
        with pytest.raises(HalfAnswer, match="more than 16777216 bytes"):
            await hook.post()


async def test_a_redirect_is_not_followed() -> None:
    """A webhook is where its configuration says; who reads the answer tells that it is none."""
    content = b"HTTP/1.1 307 Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
    async with asked(says(content)) as hook:
        assert (await hook.post()).status == 307


async def test_a_call_that_is_given_up_leaves_nothing_behind() -> None:
    """The connection of one that was cancelled is not used again."""
    calls: list[int] = []
    has_begun = asyncio.Event()

    async def first_never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        calls.append(1)
        if len(calls) == 1:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{")
            has_begun.set()
            await reader.read()
        else:
            writer.write(GOOD)
            await writer.drain()

    async with asked(first_never) as hook:
        call = asyncio.create_task(hook.post())
        await has_begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await hook.post()).body == b"{}"


@pytest.mark.parametrize("bundle", [b"nonsense", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
async def test_a_bundle_that_holds_no_certificate_is_told(bundle: bytes) -> None:
    """Nobody is called."""
    async with asked(says(GOOD)) as hook:
        with pytest.raises(NoClient, match="unable to load root certificates"):
            await hook.post(bundle)


async def test_a_port_that_no_machine_has_is_told() -> None:
    """Nobody is called."""
    webhooks = HttpWebhooks()
    with pytest.raises(CallFailed, match="address 99999: invalid port"):
        await webhooks.post(("127.0.0.1", 99999), "127.0.0.1", "/", body=b"{}", bundle=b"")
