"""The two servers, asked in the same way: bytes in, bytes out, nothing interpreted."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import ssl
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from konverge.certificates import SigningKey, TokenSigner
from konverge.cluster.apiserver.exchange import Peer, Request, Response, Stream, Upgrade
from konverge.cluster.apiserver.server import ApiServer
from konverge.testing.real_cluster import RealCluster

T = TypeVar("T")
_CHANGES = ("PUT", "PATCH", "DELETE")
# Where the objects of a kind are listed, in a request for them or for one of them.
_KIND = re.compile(r"/api(?:s/[^/]+)?/[^/]+/(?:namespaces/[^/]+/(?!status|finalize))?[^/]+")
_PATIENCE = 20.0  # seconds for one answer, or for the events that a watch should bring


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    warnings: tuple[str, ...]
    body: bytes


# What stands for the answer of a handler that panics: the connection ends.
_PANICKED: Final = Reply(500, {"content-type": "application/json"}, (), b"{}")


@dataclass(slots=True)
class Lines:
    """The lines of a stream as they arrive, or its frames: events in protobuf have their length in front."""

    found: list[bytes] = field(default_factory=list)
    ended: bool = False
    has_frames: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _rest: bytes = b""

    def feed(self, chunk: bytes) -> None:
        """Take in bytes."""
        with self._changed:
            self._rest += chunk
            self.found += self._frames() if self.has_frames else self._lines()
            self._changed.notify_all()

    def _lines(self) -> list[bytes]:
        *whole, self._rest = self._rest.split(b"\n")
        return [line for line in whole if line]

    def _frames(self) -> list[bytes]:
        found = []
        while len(self._rest) >= 4 and len(self._rest) - 4 >= (size := int.from_bytes(self._rest[:4])):
            found.append(self._rest[4 : 4 + size])
            self._rest = self._rest[4 + size :]
        return found

    def end(self) -> None:
        """Note the end of the stream."""
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def wait(self, count: int | None, last: bytes = b"") -> list[bytes]:
        """Return the first so many lines, or with None all of them, or all up to one that holds `last`."""

        def enough() -> bool:
            is_last = bool(last) and bool(self.found) and last in self.found[-1]
            return self.ended or is_last or (count is not None and len(self.found) >= count)

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

    def ask(
        self, method: str, target: str, headers: Mapping[str, Any], body: bytes | None, *, bare: bool = False
    ) -> Reply:
        """Ask, and wait for the whole answer; as the administrator, or `bare` of any certificate."""
        ...

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Return a token of some claims, signed with the server's key."""
        ...

    def watch(self, target: str, headers: Mapping[str, str]) -> Opened:
        """Open a watch."""
        ...


class RealServer:
    """kube-apiserver."""

    def __init__(self, cluster: RealCluster) -> None:
        self._cluster = cluster
        self._bare = ssl.create_default_context(cafile=str(cluster.folder / "ca.crt"))
        self._connections = {bare: self._connect(bare=bare) for bare in (False, True)}
        self.signer = token_signer(cluster.folder / "service-accounts.key")

    def _connect(self, *, bare: bool = False) -> http.client.HTTPSConnection:
        address = self._cluster.server.removeprefix("https://")
        tls = self._bare if bare else self._cluster._tls
        return http.client.HTTPSConnection(address, context=tls, timeout=_PATIENCE)

    def close(self) -> None:
        """Close the connections that are kept."""
        for connection in self._connections.values():
            connection.close()

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Return a token of some claims."""
        return self.signer.token(json.dumps(claims).encode())

    def ask(
        self, method: str, target: str, headers: Mapping[str, Any], body: bytes | None, *, bare: bool = False
    ) -> Reply:
        """Ask on a connection that is kept; the server may have closed it meanwhile."""
        if method in _CHANGES or "resourceVersion" in target:
            self._catch_up(target)
        return self._ask_kept(method, target, headers, body, bare=bare)

    def _catch_up(self, target: str) -> None:
        """Wait until the watch cache of a kind holds all that is stored, as a consistent list does.

        A read "not older than" a version is answered from that cache as it is, a watch begins with it, and a change
        is first tried on it, and tried again on what is stored where the two differ: webhooks are then asked twice,
        and warnings of the first try stay.
        """
        if found := _KIND.match(urlsplit(target).path):
            self._ask_kept("GET", f"{found[0]}?labelSelector=nobody%3Dhas-this", {}, None)

    def _ask_kept(
        self, method: str, target: str, headers: Mapping[str, Any], body: bytes | None, *, bare: bool = False
    ) -> Reply:
        try:
            return self._ask(self._connections[bare], method, target, headers, body)
        except (http.client.HTTPException, ConnectionError):
            self._connections[bare].close()
            self._connections[bare] = self._connect(bare=bare)
        try:
            return self._ask(self._connections[bare], method, target, headers, body)
        except http.client.RemoteDisconnected:
            self._connections[bare].close()
            self._connections[bare] = self._connect(bare=bare)
            return _PANICKED

    def _ask(
        self,
        connection: http.client.HTTPSConnection,
        method: str,
        target: str,
        headers: Mapping[str, Any],
        body: bytes | None,
    ) -> Reply:
        connection.putrequest(method, target, skip_accept_encoding="Accept-Encoding" in headers)
        for name, values in headers.items():
            for value in values if isinstance(values, list) else [values]:
                connection.putheader(name, value)
        if body is not None or method in ("POST", "PUT", "PATCH"):
            connection.putheader("Content-Length", str(len(body or b"")))
        connection.endheaders(body)
        response = connection.getresponse()
        return _reply(response, response.read())

    def watch(self, target: str, headers: Mapping[str, str]) -> Opened:
        """Open a watch on a connection of its own, read in a thread."""
        self._catch_up(target)
        connection, lines = self._connect(), Lines()
        connection.request("GET", target, None, dict(headers))
        response = connection.getresponse()
        if response.status != http.HTTPStatus.OK:
            reply = _reply(response, response.read())
            connection.close()
            return Opened(reply, lines, lambda: None)
        lines.has_frames = "protobuf" in response.headers.get("Content-Type", "")
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

    def __init__(self, make: Callable[[], Coroutine[Any, Any, ApiServer]], signer: TokenSigner) -> None:
        self._signer = signer
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.server = self.run(make())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something on the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE)

    def close(self) -> None:
        """Stop the server and its loop."""
        self.run(self.server.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Return a token of some claims."""
        return self._signer.token(json.dumps(claims).encode())

    def ask(
        self, method: str, target: str, headers: Mapping[str, Any], body: bytes | None, *, bare: bool = False
    ) -> Reply:
        """Ask the core."""
        return self.run(self._ask(method, _request(method, target, headers, body, bare=bare)))

    async def _ask(self, method: str, request: Request) -> Reply:
        answer = await self.server.handle(request)
        if isinstance(answer, Response):
            return _embedded_reply(answer, b"" if method == "HEAD" else answer.body)  # HTTP has no body there
        assert not isinstance(answer, Upgrade), "a case speaks HTTP alone"
        return _embedded_reply(answer, b"".join([chunk async for chunk in answer.chunks]))

    def watch(self, target: str, headers: Mapping[str, str]) -> Opened:
        """Open a watch, read in a task."""
        answer = self.run(self.server.handle(_request("GET", target, headers, None)))
        lines = Lines()
        if isinstance(answer, Response):
            return Opened(_embedded_reply(answer, answer.body), lines, lambda: None)
        assert not isinstance(answer, Upgrade), "a watch speaks HTTP alone"
        lines.has_frames = "protobuf" in answer.content_type
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


def token_signer(file: Path) -> TokenSigner:
    """Return the key of tokens that is kept in a file."""
    return TokenSigner(SigningKey(private=file.read_bytes(), public=b""))


def _request(
    method: str, target: str, headers: Mapping[str, Any], body: bytes | None, *, bare: bool = False
) -> Request:
    path, _, query = target.partition("?")
    return Request(
        method=method,
        path=unquote(path),
        query=tuple(parse_qsl(query, keep_blank_values=True)),
        headers={name.lower(): _joined(value).encode("latin-1").decode() for name, value in headers.items()},
        body=body or b"",
        peer=Peer(is_trusted=not bare),
    )


def _joined(value: str | list[str]) -> str:
    """Return a header as the edges give it to the core where it stands several times."""
    return ", ".join(value) if isinstance(value, list) else value


def _embedded_reply(answer: Response | Stream, body: bytes) -> Reply:
    headers = {"content-type": answer.content_type, **{name.lower(): value for name, value in answer.headers}}
    warnings = tuple(value for name, value in answer.headers if name.lower() == "warning")
    return Reply(answer.status, headers, warnings, body)


def target(path: str, query: Mapping[str, Any]) -> str:
    """Return a path with its query."""
    pairs = [(name, str(value).lower() if isinstance(value, bool) else value) for name, value in query.items()]
    return f"{path}?{urlencode(pairs, doseq=True)}" if pairs else path
