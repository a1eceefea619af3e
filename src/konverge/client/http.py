"""The HTTP form of the transport: aiohttp, TLS, and credentials that may change under way.

Short calls share a small pool of connections; each stream has one of its own, so that no number of watches can keep
a write waiting. A rotated certificate or token is picked up without a restart: connections made with the old one are
not used for new calls.
"""

from __future__ import annotations

import asyncio
import io
import re
import socket
import ssl
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from yarl import URL

from konverge import log
from konverge.api.request import ApiRequest
from konverge.client.config import ClientCertificate, Config
from konverge.client.transport import ApiResponse, error_of
from konverge.errors import ApiError, ConfigError, ConnectionFailed, RequestError, Unauthorized
from konverge.version import USER_AGENT

# One connection carries one call at a time (HTTP/1.1), and each new one costs a TLS handshake.
_POOL = 32
_KEEP_IDLE = 60.0  # seconds; less than the server, or a load balancer before it, keeps them
_LOOK_AT_FILES_EVERY = 10.0  # seconds between looks at certificate files, which rotate hourly at most
_GOODBYE = 1.0  # seconds, at most, that closing waits for the server's side of it
_GOODBYE_POLL = 0.002  # seconds; on loopback one look is enough
_BUFFER = 1 << 18
_BURST = 8  # chunks in a row, each within this many seconds of the one before, are a burst …
_BURST_GAP = 0.001
_GATHER = 0.005  # … in which the socket is left alone for so many seconds between two reads
_LARGE = 1 << 20
_OK = range(200, 300)
_WARNING = re.compile(r'\d{3} \S+ "((?:[^"\\]|\\.)*)"')

_LOG = log.get("client")


class HttpTransport:
    """Carries requests to the server of a `Config`; open it inside a running loop, close it in the same one."""

    def __init__(self, config: Config, *, timeout: float = 60.0) -> None:
        self.config = config
        self._timeout = timeout
        self._tls = _TlsContext(config)
        self._calls: aiohttp.ClientSession | None = None
        self._streams: aiohttp.ClientSession | None = None
        self._closed = False
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
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
        session = self._calls = self._calls or self._session(_POOL)
        with self._converting(request):
            async with await self._send(session, request, sent, limit=self._timeout) as response:
                body = await response.read()
        if response.status not in _OK:
            raise _error(request, response, body)
        warnings = tuple(text for header in response.headers.getall("Warning", ()) for text in warning_texts(header))
        return ApiResponse(status=response.status, body=body, warnings=warnings)

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Open a streaming answer, asking once more with fresh credentials as `call` does."""
        sent = await self._credentials()
        try:
            response = await self._open(request, sent)
        except Unauthorized as refused:
            response = await self._open(request, await self._fresh_credentials(sent, refused))
        # Errors of the reader's own block pass as they are; one that leaves early closes the connection.
        async with response, aclosing(self._chunks(request, response)) as chunks:
            try:
                yield chunks
            finally:
                _cut_off(response)

    async def _open(self, request: ApiRequest, sent: _Sent) -> aiohttp.ClientResponse:
        """Wait for the beginning of an answer within the time of a call; what follows may take as long as it likes."""
        self._refuse_if_closed()
        session = self._streams = self._streams or self._session(0)
        with self._converting(request):
            async with asyncio.timeout(self._timeout):
                response = await self._send(session, request, sent, limit=None)
                if response.status in _OK:
                    return response
                async with response:
                    body = await response.read()
        raise _error(request, response, body)

    async def _chunks(self, request: ApiRequest, response: aiohttp.ClientResponse) -> AsyncGenerator[bytes]:
        pace = _Pace(response)
        while True:
            with self._converting(request):
                chunk = await response.content.readany()
            if not chunk:
                return
            yield chunk
            await pace.keep()

    async def close(self) -> None:
        """Close all connections."""
        self._closed = True
        for session in (self._calls, self._streams):
            if session is not None:
                await session.close()
        await self._goodbyes()

    async def _goodbyes(self) -> None:
        """Wait for connections that were given up under way: aiohttp forgets them while TLS still says goodbye."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_GOODBYE):
                while any(opened.fileno() != -1 for opened in self._sockets):  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(_GOODBYE_POLL)

    def _socket(self, address: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, _ = address
        opened = socket.socket(family, kind, protocol)
        self._sockets.add(opened)
        return opened

    async def _send(
        self, session: aiohttp.ClientSession, request: ApiRequest, sent: _Sent, *, limit: float | None
    ) -> aiohttp.ClientResponse:
        tls = self._tls.current(sent.certificate)
        return await session.request(
            request.method,
            URL(self.config.server + request.target, encoded=True),
            data=_payload(request.body),
            headers=self._headers(request, sent.authorization),
            timeout=aiohttp.ClientTimeout(total=limit),
            ssl=True if tls is None else tls,
            server_hostname=self.config.tls.tls_server_name or None,
            proxy=self.config.proxy_url,
            allow_redirects=False,
        )

    @contextmanager
    def _converting(self, request: ApiRequest) -> Iterator[None]:
        """Turn what aiohttp, sockets and TLS raise into what this transport promises to raise."""
        try:
            yield
        except (aiohttp.ClientError, OSError) as error:
            # Where there is a proxy, errors carry its URL, and that may hold a password: not chained then.
            shown = None if self.config.proxy_url else error
            raise ConnectionFailed(f"{request.operation}: {self._problem(error)}") from shown

    def _problem(self, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            return f"{self.config.server} did not answer in time"
        if isinstance(error, (aiohttp.ClientHttpProxyError, aiohttp.ClientProxyConnectionError)):
            return f"the proxy refused: {_proxy_problem(error)}"
        if isinstance(error, aiohttp.ClientConnectorCertificateError):
            return (
                f"the certificate of {self.config.server} is not trusted: {error.certificate_error}; "
                "check certificate-authority and tls-server-name of the cluster in the kubeconfig"
            )
        return f"no answer from {self.config.server}: {str(error) or type(error).__name__}"

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise RequestError("this client is closed: make a new one")

    def _session(self, limit: int) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=limit, keepalive_timeout=_KEEP_IDLE, socket_factory=self._socket),
            cookie_jar=aiohttp.DummyCookieJar(),
            # Worth it on loopback too: the server writes a plain list item by item, and each piece costs more here
            # than inflating it. It compresses long answers only, and never a watch.
            headers=[("User-Agent", USER_AGENT), ("Accept-Encoding", "gzip")],
            middlewares=(_send_once,),
            read_bufsize=_BUFFER,
        )

    def _headers(self, request: ApiRequest, authorization: str | None) -> list[tuple[str, str]]:
        headers = [("Accept", request.accept), *request.headers]
        if not any(name == "Impersonate-User" for name, _ in request.headers):
            headers += self._impersonate  # never mixed: one user's groups must not go along with another
        if request.body is not None:
            headers.append(("Content-Type", request.content_type))
        if authorization is not None:
            headers.append(("Authorization", authorization))
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


def _payload(body: bytes | None) -> bytes | io.BytesIO | None:
    """Return a body as aiohttp wants it: a large one in pieces, so that it does not hold up the loop."""
    return io.BytesIO(body) if body is not None and len(body) > _LARGE else body


class _Broken(aiohttp.ClientError):
    """A connection broke under a request that was on it."""


async def _send_once(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Keep aiohttp from repeating a PUT, DELETE or GET by itself: what may be repeated is `retry`'s to decide."""
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise _Broken(str(error)) from error


def _error(request: ApiRequest, response: aiohttp.ClientResponse, body: bytes) -> ApiError:
    return error_of(request, response.status, body, retry_after=retry_seconds(response.headers.get("Retry-After")))


def _cut_off(response: aiohttp.ClientResponse) -> None:
    """Drop the connection of an answer that was not read to its end, without a TLS goodbye.

    That would wait for a server which is still sending; one that was read to its end has given its connection back.
    """
    if response.connection is not None and response.connection.transport is not None:
        response.connection.transport.abort()


class _Pace:
    """Lets a burst gather: reading a thousand events one by one costs several times what reading them together does.

    A stream that is not in a burst is never delayed: up to a thousand events a second pass as they come.
    """

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self._loop = asyncio.get_running_loop()
        self._last = 0.0
        self._in_a_row = 0

    async def keep(self) -> None:
        """Wait a moment if chunks are coming fast."""
        now = self._loop.time()
        self._in_a_row = self._in_a_row + 1 if now - self._last < _BURST_GAP else 0
        self._last = now
        connection = self._response.connection
        if self._in_a_row < _BURST or connection is None or connection.protocol is None:
            return
        protocol = connection.protocol
        protocol.pause_reading()
        try:
            await asyncio.sleep(_GATHER)
        finally:
            protocol.resume_reading()
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


def _proxy_problem(error: Exception) -> str:
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return f"it answered {error.status}; check proxy-url of the cluster or HTTPS_PROXY"
    return "no connection to it; check proxy-url of the cluster or HTTPS_PROXY"


def retry_seconds(header: str | None) -> float | None:
    """Read a Retry-After in seconds, the only form the API server uses; a date (a proxy's) counts as a second."""
    if header is None:
        return None
    return float(header) if header.isascii() and header.isdigit() else 1.0


def warning_texts(header: str) -> list[str]:
    """Return the texts of a Warning header, `299 - "text"`; a proxy may have joined several."""
    return [re.sub(r"\\(.)", r"\1", text) for text in _WARNING.findall(header)] or [header]
