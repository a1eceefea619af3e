"""The two servers, asked in the same way: bytes in, bytes out, nothing interpreted."""

from __future__ import annotations

import asyncio
import http.client
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar
from urllib.parse import parse_qsl, unquote, urlencode

from konverge.cluster.apiserver.exchange import Peer, Request, Response, Stream
from konverge.cluster.apiserver.server import ApiServer
from konverge.testing.real_cluster import RealCluster

T = TypeVar("T")
_PATIENCE = 20.0  # seconds for one answer, or for the events that a watch should bring


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    warnings: tuple[str, ...]
    body: bytes


@dataclass(slots=True)
class Lines:
    """The lines of a stream as they arrive."""

    found: list[bytes] = field(default_factory=list)
    ended: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _rest: bytes = b""

    def feed(self, chunk: bytes) -> None:
        """Take in bytes."""
        with self._changed:
            *whole, self._rest = (self._rest + chunk).split(b"\n")
            self.found += [line for line in whole if line]
            self._changed.notify_all()

    def end(self) -> None:
        """Note the end of the stream."""
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def wait(self, count: int | None) -> list[bytes]:
        """Return the first so many lines, or with None all of them, when they are there."""

        def enough() -> bool:
            return self.ended or (count is not None and len(self.found) >= count)

        with self._changed:
            self._changed.wait_for(enough, timeout=_PATIENCE)
            return self.found if count is None else self.found[:count]


@dataclass(frozen=True, slots=True)
class Opened:
    """A watch that was opened: its status and its lines, or the whole answer where it was refused."""

    reply: Reply
    lines: Lines
    close: Callable[[], None]


class Server(Protocol):
    """One of the two."""

    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
        """Ask, and wait for the whole answer."""
        ...

    def watch(self, target: str, headers: Mapping[str, str]) -> Opened:
        """Open a watch."""
        ...


class RealServer:
    """kube-apiserver."""

    def __init__(self, cluster: RealCluster) -> None:
        self._cluster = cluster
        self._connection = self._connect()

    def _connect(self) -> http.client.HTTPSConnection:
        address = self._cluster.server.removeprefix("https://")
        return http.client.HTTPSConnection(address, context=self._cluster._tls, timeout=_PATIENCE)

    def close(self) -> None:
        """Close the connection that is kept."""
        self._connection.close()

    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
        """Ask on the connection that is kept; the server may have closed it meanwhile."""
        try:
            return self._ask(method, target, headers, body)
        except (http.client.HTTPException, ConnectionError):
            self._connection.close()
            self._connection = self._connect()
            return self._ask(method, target, headers, body)

    def _ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
        self._connection.request(method, target, body, dict(headers))
        response = self._connection.getresponse()
        return _reply(response, response.read())

    def watch(self, target: str, headers: Mapping[str, str]) -> Opened:
        """Open a watch on a connection of its own, read in a thread."""
        connection, lines = self._connect(), Lines()
        connection.request("GET", target, None, dict(headers))
        response = connection.getresponse()
        if response.status != http.HTTPStatus.OK:
            reply = _reply(response, response.read())
            connection.close()
            return Opened(reply, lines, lambda: None)
        thread = threading.Thread(target=_read, args=(response, lines), daemon=True)
        thread.start()

        def close() -> None:
            with suppress(OSError):
                connection.sock.shutdown(2)
            thread.join()
            connection.close()

        return Opened(_reply(response, b""), lines, close)


def _read(response: http.client.HTTPResponse, lines: Lines) -> None:
    with suppress(OSError, http.client.HTTPException, ValueError):
        while chunk := response.read1(65536):
            lines.feed(chunk)
    lines.end()


def _reply(response: http.client.HTTPResponse, body: bytes) -> Reply:
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Reply(response.status, headers, tuple(response.headers.get_all("Warning") or ()), body)


class EmbeddedServer:
    """The embedded server's core, on a loop in a thread of its own."""

    def __init__(self, make: Callable[[], Coroutine[Any, Any, ApiServer]]) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.server = self._run(make())

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE)

    def close(self) -> None:
        """Stop the server and its loop."""
        self._run(self.server.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
        """Ask the core."""
        return self._run(self._ask(method, target, headers, body))

    async def _ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
        answer = await self.server.handle(_request(method, target, headers, body))
        if isinstance(answer, Response):
            return _embedded_reply(answer, answer.body)
        return _embedded_reply(answer, b"".join([chunk async for chunk in answer.chunks]))

    def watch(self, target: str, headers: Mapping[str, str]) -> Opened:
        """Open a watch, read in a task."""
        answer = self._run(self.server.handle(_request("GET", target, headers, None)))
        lines = Lines()
        if isinstance(answer, Response):
            return Opened(_embedded_reply(answer, answer.body), lines, lambda: None)
        reading = asyncio.run_coroutine_threadsafe(_follow(answer, lines), self._loop)
        return Opened(_embedded_reply(answer, b""), lines, lambda: _end(reading.cancel, lines))


def _end(cancel: Callable[[], object], lines: Lines) -> None:
    cancel()
    lines.wait(None)


async def _follow(stream: Stream, lines: Lines) -> None:
    try:
        async for chunk in stream.chunks:
            lines.feed(chunk)
    finally:
        aclose = getattr(stream.chunks, "aclose", None)
        if aclose is not None:
            await aclose()
        lines.end()


def _request(method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> Request:
    path, _, query = target.partition("?")
    return Request(
        method=method,
        path=unquote(path),
        query=tuple(parse_qsl(query, keep_blank_values=True)),
        headers={name.lower(): value for name, value in headers.items()},
        body=body or b"",
        peer=Peer(is_trusted=True),
    )


def _embedded_reply(answer: Response | Stream, body: bytes) -> Reply:
    headers = {"content-type": answer.content_type, **{name.lower(): value for name, value in answer.headers}}
    warnings = tuple(value for name, value in answer.headers if name.lower() == "warning")
    return Reply(answer.status, headers, warnings, body)


def target(path: str, query: Mapping[str, Any]) -> str:
    """Return a path with its query."""
    pairs = [(name, str(value).lower() if isinstance(value, bool) else value) for name, value in query.items()]
    return f"{path}?{urlencode(pairs, doseq=True)}" if pairs else path
