"""WebhookServer: HTTPS for the API server's questions, each path with its answerer.

A body above 7 MiB, garbage, a handler that raises or is slow: each is an answer, and the server goes on. The TLS
context of a new connection is the one of that moment, so a renewed certificate needs no restart.
"""

from __future__ import annotations

import asyncio
import inspect
import re
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Protocol

from aiohttp import web

from konverge import log
from konverge.certificates import KeyPair
from konverge.errors import BadRequest, ConfigError, KonvergeError
from konverge.webhook import admission, conversion
from konverge.webhook.admission import AdmissionHandler
from konverge.webhook.calling import call_by
from konverge.webhook.certificate import server_context
from konverge.webhook.conversion import Conversions
from konverge.webhook.registration import CONVERT_PATH

LARGEST_BODY: Final = 7 * 1024 * 1024  # two objects of the most that etcd takes, as JSON
_LARGEST_CONVERSION: Final = 64 * 1024 * 1024  # a whole list comes in one request
_LONGEST: Final = 30.0  # seconds; the most that the API server ever waits
_THREADS: Final = 32
_LAST_ANSWERS: Final = 10.0  # seconds for what is under way when it is to end
_JSON: Final = "application/json"
_LOG: Final = log.get("webhook")
_TIMEOUT: Final = re.compile(r"(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")


class HookMetrics(Protocol):
    """Where one path reports to; `konverge.metrics.WebhookMetrics` is one."""

    def started(self) -> None:
        """Count a request as under way."""
        ...

    def finished(self, code: int, seconds: float) -> None:
        """Count a request by its answer."""
        ...

    def panic(self) -> None:
        """Count an admission handler that raised."""
        ...

    def conversion_panic(self) -> None:
        """Count a conversion that raised."""
        ...


class ServerStopped(KonvergeError):
    """The webhook server does not listen."""


class _TooLarge(Exception):
    pass


class WebhookServer:
    """Listens from `start` to `close`; paths are added before."""

    def __init__(self, host: str, port: int, *, metrics: Callable[[str], HookMetrics]) -> None:
        self._host = host
        self._port = port
        self._metrics = metrics
        self._admission: dict[str, AdmissionHandler] = {}
        self.conversions = Conversions()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="konverge-webhook")
        self._context: ssl.SSLContext | None = None
        self._certificate: KeyPair | None = None
        self._runner: web.AppRunner | None = None
        self._busy = 0

    def listen_on(self, host: str, port: int) -> None:
        """Listen at another address, once it starts."""
        self._host, self._port = host, port

    # --- what it serves ---

    def handle(self, path: str, handler: AdmissionHandler) -> None:
        """Answer admission requests at a path."""
        if path in self._admission:
            raise ConfigError(f"the webhook path {path} has a handler already: a kind has one defaulter and validator")
        self._admission[path] = handler

    @property
    def paths(self) -> tuple[str, ...]:
        """All paths that are served."""
        return (*self._admission, *((CONVERT_PATH,) if self.conversions.kinds else ()))

    async def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call a function of the author's: `async def` here, plain `def` in a thread of the server's own."""
        return await call_by(self._threads, self._counted(function), *args)

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(function):
            return function

        def run(*args: Any) -> Any:
            self._busy += 1  # a hint for the end of the process, so an update lost between threads does no harm
            try:
                return function(*args)
            finally:
                self._busy -= 1

        return run

    @property
    def busy_threads(self) -> int:
        """How many plain handlers have not returned: a thread cannot be ended from outside."""
        return self._busy

    # --- its life ---

    @property
    def port(self) -> int:
        """The port that was bound; of use where 0, any free one, was asked for."""
        addresses = self._runner.addresses if self._runner else []
        return int(addresses[0][1]) if addresses else self._port

    def use(self, certificate: KeyPair) -> None:
        """Show this certificate to every client that connects from now on."""
        if certificate != self._certificate:
            self._context = server_context(certificate)
            self._certificate = certificate

    async def start(self) -> None:
        """Take the address; `use` comes before. An address in use is an error that names it."""
        if self._context is None:
            raise ConfigError("the webhook server has no certificate yet: call use() first")
        front = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        front.minimum_version = ssl.TLSVersion.TLSv1_2
        front.sni_callback = self._choose  # called for clients that name no server, too
        app = web.Application(client_max_size=0)
        app.router.add_route("*", "/{path:.*}", self._respond)
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=_LAST_ANSWERS)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._host or None, self._port, ssl_context=front).start()
        except OSError as error:
            await self.close()
            raise ConfigError(
                f"the webhook server cannot listen on {self._host or '*'}:{self._port}: {error.strerror or error}; "
                "give it another address"
            ) from error
        _LOG.info("listening", endpoint="webhook", address=self._host or "*", port=self.port, paths=self.paths)

    def _choose(self, connection: ssl.SSLObject, _name: str | None, _front: ssl.SSLContext) -> None:
        if self._context is not None:
            connection.context = self._context

    async def close(self) -> None:
        """Answer what is under way, and no more."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await _closed(runner)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def check(self) -> None:
        """Raise `ServerStopped` unless it listens; a readiness check."""
        if self._runner is None or not self._runner.addresses:
            raise ServerStopped("the webhook server does not listen: the log says why")

    # --- one request ---

    async def _respond(self, request: web.Request) -> web.Response:
        path = request.path
        if path not in self.paths:
            return web.Response(status=404, text="404 page not found\n")
        metrics, loop = self._metrics(path), asyncio.get_running_loop()
        began, code = loop.time(), 500
        metrics.started()
        try:
            response = await self._answered(request, metrics)
            code = response.status
        except ConnectionError:
            raise  # whoever asked is gone
        except Exception as error:  # noqa: BLE001 - the server must go on, whatever it is
            _LOG.error("the webhook server failed to answer", error, path=path)
            response = web.Response(status=500, text="500 internal error; see the log\n")
        finally:
            metrics.finished(code, loop.time() - began)
        return response

    async def _answered(self, request: web.Request, metrics: HookMetrics) -> web.Response:
        if request.path == CONVERT_PATH:
            return await self._converted(request, metrics)
        return await self._admitted(request, metrics)

    async def _admitted(self, request: web.Request, metrics: HookMetrics) -> web.Response:
        try:
            body = await _body(request, LARGEST_BODY)
        except _TooLarge as error:
            return _json(admission.write_review(admission.errored(413, str(error), reason="RequestEntityTooLarge")))
        except BadRequest as error:
            return _json(admission.write_review(admission.refused(error)))
        handler = self._admission[request.path]
        return _json(await admission.answer(body, handler, timeout=_timeout(request), panicked=metrics.panic))

    async def _converted(self, request: web.Request, metrics: HookMetrics) -> web.Response:
        timeout, panicked = _timeout(request), metrics.conversion_panic
        try:
            body = await _body(request, _LARGEST_CONVERSION)
            answer = await conversion.answer(body, self.conversions, call=self.call, timeout=timeout, panicked=panicked)
        except _TooLarge as error:
            return web.Response(status=413, text=f"{error}\n")
        except BadRequest as error:
            return web.Response(status=400, text=f"{error.message}\n")
        return _json(answer)


async def _closed(runner: web.AppRunner) -> None:
    """Answer what is under way, then end every connection: TLS would wait for the other side's goodbye."""
    connections = runner.server.connections if runner.server else []
    transports = [connection.transport for connection in connections if connection.transport is not None]
    await runner.cleanup()
    for transport in transports:
        transport.abort()
    await asyncio.sleep(0)  # a turn of the loop, in which the sockets are closed


async def _body(request: web.Request, limit: int) -> bytes:
    """Read a body of JSON, and no more of it than is allowed."""
    found = bytearray()
    async for chunk in request.content.iter_any():
        found += chunk
        if len(found) > limit:
            _LOG.warning("a request to a webhook is too large", path=request.path, limit=limit)
            raise _TooLarge(f"request entity is too large; limit is {limit} bytes")
    if not found:
        raise BadRequest("request body is empty")
    if request.content_type != _JSON:
        raise BadRequest(f"contentType={request.content_type}, expected {_JSON}")
    return bytes(found)


def _timeout(request: web.Request) -> float:
    """Return how long the API server waits, as it says in the query."""
    return parse_timeout(request.query.get("timeout", ""))


def parse_timeout(text: str) -> float:
    """Read a duration as Go writes short ones ("10s", "1m0s"); the longest there is where it is none."""
    found = _TIMEOUT.fullmatch(text) if text else None
    if found is None:
        return _LONGEST
    minutes, seconds, millis = (float(part or 0) for part in found.groups())
    return min(minutes * 60 + seconds + millis / 1000, _LONGEST) or _LONGEST


def _json(body: bytes) -> web.Response:
    return web.Response(body=body, content_type=_JSON)
