"""The HTTP form of the transport: HTTP/1.1 (`http1`), TLS, and credentials that may change under way.

Short calls share a small pool of connections; each stream has one of its own, so that no number of watches can keep
a write waiting. A rotated certificate or token is picked up without a restart: connections made with the old one are
not used for new calls.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from konverge import log
from konverge.api.request import ApiRequest
from konverge.client.config import ClientCertificate, Config
from konverge.client.http1.body import BadAnswer
from konverge.client.http1.connection import Connection
from konverge.client.http1.dial import ProxyFailed, dial
from konverge.client.http1.pool import Pool
from konverge.client.http1.route import Route
from konverge.client.http1.wire import Answer, request_head
from konverge.client.transport import ApiResponse, error_of
from konverge.errors import ApiError, ConfigError, ConnectionFailed, RequestError, Unauthorized
from konverge.version import USER_AGENT

# One connection carries one call at a time (HTTP/1.1), and each new one costs a TLS handshake.
_POOL = 32
_LOOK_AT_FILES_EVERY = 10.0  # seconds between looks at certificate files, which rotate hourly at most
_BURST = 8  # chunks in a row, each within this many seconds of the one before, are a burst …
_BURST_GAP = 0.001
_GATHER = 0.005  # … in which the socket is left alone for so many seconds between two reads
_OK = range(200, 300)
_BODILESS = ("GET", "DELETE")  # methods that need not say so
_FOREIGN = (OSError, BadAnswer, ProxyFailed)  # what sockets, TLS and HTTP raise; TimeoutError is an OSError
_WARNING = re.compile(r'\d{3} \S+ "((?:[^"\\]|\\.)*)"')

_LOG = log.get("client")


class HttpTransport:
    """Carries requests to the server of a `Config`; open it inside a running loop, close it in the same one."""

    def __init__(self, config: Config, *, timeout: float = 60.0) -> None:
        self.config = config
        self._timeout = timeout
        self._tls = _TlsContext(config)
        self._route = Route.of(config)
        self._calls = Pool(partial(dial, self._route), limit=_POOL)
        self._streams = Pool(partial(dial, self._route))
        self._closed = False
        self._impersonate = config.impersonate.headers() if config.impersonate else ()

    def __repr__(self) -> str:
        return f"HttpTransport({self.config!r})"

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Return the whole answer, asking once more with fresh credentials if the old ones were refused."""
        sent = await self._credentials()
        try:
            return await self._call(request, sent)
        except Unauthorized as refused:
            return await self._call(request, await self._fresh_credentials(sent, refused))

    async def _call(self, request: ApiRequest, sent: _Sent) -> ApiResponse:
        self._refuse_if_closed()
        head, tls = self._head(request, sent), self._tls.current(sent.certificate)
        try:
            async with asyncio.timeout(self._timeout):
                connection = await self._calls.take(tls)
                try:
                    answer = await connection.call(head, request.body or b"")
                finally:
                    self._calls.give_back(connection)
        except _FOREIGN as error:
            raise self._failure(request, error) from self._shown(error)
        if answer.status not in _OK:
            raise _error(request, answer, answer.take())
        warnings = tuple(text for header in answer.headers("warning") for text in warning_texts(header))
        return ApiResponse(status=answer.status, body=answer.take(), warnings=warnings)

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Open a streaming answer, asking once more with fresh credentials as `call` does."""
        sent = await self._credentials()
        try:
            connection = await self._open(request, sent)
        except Unauthorized as refused:
            connection = await self._open(request, await self._fresh_credentials(sent, refused))
        # Errors of the reader's own block pass as they are; one that leaves early closes the connection.
        try:
            async with aclosing(self._chunks(request, connection)) as chunks:
                yield chunks
        finally:
            self._streams.give_back(connection)

    async def _open(self, request: ApiRequest, sent: _Sent) -> Connection:
        """Wait for the beginning of an answer within the time of a call; what follows may take as long as it likes."""
        self._refuse_if_closed()
        head, tls = self._head(request, sent), self._tls.current(sent.certificate)
        try:
            async with asyncio.timeout(self._timeout):
                connection = await self._streams.take(tls)
                try:
                    await self._begin(request, head, connection)
                except BaseException:
                    self._streams.give_back(connection)
                    raise
        except _FOREIGN as error:
            raise self._failure(request, error) from self._shown(error)
        return connection

    async def _begin(self, request: ApiRequest, head: bytes, connection: Connection) -> None:
        """Send a request for a stream; raise the answer if it is a no."""
        answer = await connection.open(head, request.body or b"")
        if answer.status in _OK:
            return
        body = b""
        while piece := await connection.read():
            body += piece
        raise _error(request, answer, body)

    async def _chunks(self, request: ApiRequest, connection: Connection) -> AsyncGenerator[bytes]:
        pace = _Pace(connection)
        while True:
            try:
                chunk = await connection.read()
            except _FOREIGN as error:
                raise self._failure(request, error) from self._shown(error)
            if not chunk:
                return
            yield chunk
            await pace.keep()

    async def close(self) -> None:
        """Close all connections; calls under way end with an error, and no socket is open when it returns."""
        self._closed = True
        await self._calls.close()
        await self._streams.close()

    def _failure(self, request: ApiRequest, error: Exception) -> ConnectionFailed:
        """Turn what sockets, TLS and HTTP raise into what this transport promises to raise."""
        return ConnectionFailed(f"{request.operation}: {self._problem(error)}")

    def _shown(self, error: Exception) -> Exception | None:
        """Return the cause to name: none where there is a proxy, whose URL may hold a password."""
        return None if self.config.proxy_url else error

    def _problem(self, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            return f"{self.config.server} did not answer in time"
        if isinstance(error, ProxyFailed):
            return f"the proxy refused: {error}; check proxy-url of the cluster or HTTPS_PROXY"
        if isinstance(error, ssl.SSLCertVerificationError):
            return (
                f"the certificate of {self.config.server} is not trusted: {error}; "
                "check certificate-authority and tls-server-name of the cluster in the kubeconfig"
            )
        return f"no answer from {self.config.server}: {str(error) or type(error).__name__}"

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise RequestError("this client is closed: make a new one")

    def _head(self, request: ApiRequest, sent: _Sent) -> bytes:
        return request_head(request.method, self._route.prefix + request.target, self._headers(request, sent))

    def _headers(self, request: ApiRequest, sent: _Sent) -> list[tuple[str, str]]:
        headers = [
            *self._route.request_headers(),
            ("User-Agent", USER_AGENT),
            # Worth it on loopback too: the server writes a plain list item by item, and each piece costs more here
            # than inflating it. It compresses long answers only, and never a watch.
            ("Accept-Encoding", "identity" if self.config.disable_compression else "gzip"),
            ("Accept", request.accept),
            *request.headers,
        ]
        if not any(name == "Impersonate-User" for name, _ in request.headers):
            headers += self._impersonate  # never mixed: one user's groups must not go along with another
        if request.body is not None:
            headers += [("Content-Type", request.content_type), ("Content-Length", str(len(request.body)))]
        elif request.method not in _BODILESS:
            headers.append(("Content-Length", "0"))
        if sent.authorization is not None:
            headers.append(("Authorization", sent.authorization))
        return headers

    async def _credentials(self) -> _Sent:
        """Return what to authenticate with now."""
        credentials = self.config.credentials
        return _Sent(await credentials.authorization(), await credentials.client_certificate())

    async def _fresh_credentials(self, sent: _Sent, refused: Unauthorized) -> _Sent:
        """Return other credentials than the refused ones, or raise the refusal if there are none.

        Of many calls that are refused at once, the first throws them away; the others find the new ones in place.
        """
        current = await self._credentials()
        if current == sent:
            self.config.credentials.invalidate(sent.authorization)
            current = await self._credentials()
        if current == sent:
            raise refused from None
        return current


@dataclass(frozen=True, slots=True)
class _Sent:
    """What a request authenticated with."""

    authorization: str | None = field(repr=False)
    certificate: ClientCertificate | None = None


def _error(request: ApiRequest, answer: Answer, body: bytes) -> ApiError:
    return error_of(request, answer.status, body, retry_after=retry_seconds(answer.header("retry-after")))


class _Pace:
    """Lets a burst gather: reading a thousand events one by one costs several times what reading them together does.

    A stream that is not in a burst is never delayed: up to a thousand events a second pass as they come.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._last = 0.0
        self._in_a_row = 0

    async def keep(self) -> None:
        """Wait a moment if chunks are coming fast."""
        now = self._loop.time()
        self._in_a_row = self._in_a_row + 1 if now - self._last < _BURST_GAP else 0
        self._last = now
        if self._in_a_row < _BURST or not self._connection.hold():
            return
        try:
            await asyncio.sleep(_GATHER)
        finally:
            self._connection.go_on()
        self._last = self._loop.time()


class _TlsContext:
    """The SSL context of a config, made anew when a file or the client certificate behind it changes."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._context: ssl.SSLContext | None = None
        self._made_of: Any = None
        self._files: Any = None
        self._looked_at = 0.0

    def current(self, certificate: ClientCertificate | None) -> ssl.SSLContext | None:
        """Return the context to use now; None for plain http."""
        if not self._config.server.startswith("https:"):
            return None
        made_of = (certificate, self._fingerprint())
        if self._context is None:
            self._context, self._made_of = self._make(certificate), made_of
        elif made_of != self._made_of:
            self._renew(certificate, made_of)
        return self._context

    def _renew(self, certificate: ClientCertificate | None, made_of: Any) -> None:
        """Take on rotated files; a certificate seen before its key is in place is tried again at the next look."""
        try:
            self._context, self._made_of = self._make(certificate), made_of
        except ConfigError as error:
            _LOG.warning("the TLS files changed and cannot be used yet; going on with the old ones", cause=str(error))

    def _fingerprint(self) -> Any:
        now = asyncio.get_running_loop().time()
        if self._files is None or now - self._looked_at >= _LOOK_AT_FILES_EVERY:
            self._files, self._looked_at = self._config.tls.fingerprint(), now
        return self._files

    def _make(self, certificate: ClientCertificate | None) -> ssl.SSLContext:
        return self._config.tls.ssl_context(client_certificate=certificate)


def retry_seconds(header: str | None) -> float | None:
    """Read a Retry-After in seconds, the only form the API server uses; a date (a proxy's) counts as a second."""
    if header is None:
        return None
    return float(header) if header.isascii() and header.isdigit() else 1.0


def warning_texts(header: str) -> list[str]:
    """Return the texts of a Warning header, `299 - "text"`; a proxy may have joined several."""
    return [re.sub(r"\\(.)", r"\1", text) for text in _WARNING.findall(header)] or [header]
