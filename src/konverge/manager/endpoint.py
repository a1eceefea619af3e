"""The HTTP endpoints of a manager: probes and metrics, on threads of their own.

The standard library's server, since what it has to do is small and what matters is that it does not share the loop:
probes and scrapes are answered while a reconcile blocks it. Nothing is bound that was not asked for.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from konverge import log
from konverge.errors import ConfigError
from konverge.manager.health import Answer, Checks
from konverge.manager.runnable import Group
from konverge.metrics import CONTENT_TYPE, Metrics

_PLAIN = "text/plain; charset=utf-8"
_READ_TIMEOUT = 10.0  # seconds a client may take to send its request
_STOP_POLL = 0.05  # seconds; the server looks this often whether it is to end
_LOG = log.get("manager")

Page = Callable[[str, Mapping[str, list[str]]], tuple[Answer | bytes, str]]
"""Answers a request: the rest of its path and its query in, the body and its content type out."""


class Endpoint:
    """One listening address with its pages; a runnable of the group HTTP."""

    group = Group.HTTP

    def __init__(self, name: str, address: str, pages: Mapping[str, Page]) -> None:
        self.name = name
        self._address = parse_address(address)
        self._pages = dict(pages)
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """The port that was bound; of use where 0, any free one, was asked for."""
        return int(self._server.server_address[1]) if self._server else self._address[1]

    def bind(self) -> None:
        """Take the address and answer from now on; an address in use is an error that names it."""
        host, port = self._address
        try:
            self._server = _Server((host, port), self._pages)
        except OSError as error:
            raise ConfigError(
                f"the {self.name} endpoint cannot listen on {host or '*'}:{port}: {error.strerror or error}; "
                "give it another address, or None for no endpoint"
            ) from error
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_STOP_POLL,), name=f"konverge-{self.name}", daemon=True
        )
        self._thread.start()
        _LOG.info("listening", endpoint=self.name, address=host or "*", port=self.port)

    async def run(self) -> None:
        """Serve until cancelled."""
        if self._server is None:
            self.bind()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.close()

    async def ready(self) -> None:
        """Wait for nothing: what cannot be bound fails at once."""
        await asyncio.sleep(0)

    def close(self) -> None:
        """Answer no more."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


def parse_address(address: str) -> tuple[str, int]:
    """Read `host:port`; without a host (`:8080`) it means all of this machine's addresses."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:  # noqa: PLR2004 - the highest port
        raise ConfigError(f'{address!r} is no address to listen on: write "127.0.0.1:8080", or ":8080" for all')
    return host.strip("[]"), int(port)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], pages: Mapping[str, Page]) -> None:
        self.pages = pages
        if ":" in address[0] or (not address[0] and socket.has_dualstack_ipv6()):
            self.address_family = socket.AF_INET6
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """Bind; without a host, for both families."""
        if self.address_family == socket.AF_INET6 and not self.server_address[0]:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        # Not http.server's own, which asks the resolver for this machine's name and may wait for it.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the standard library's
        """Say nothing of clients that went away; anything else is a bug."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            _LOG.error("an endpoint failed", error)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _READ_TIMEOUT
    server_version = "konverge"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer from the page that fits the first part of the path."""
        parts = urlsplit(self.path)
        first, _, rest = parts.path.strip("/").partition("/")
        page = self.server.pages.get(first)
        if page is None:
            self._send(404, b"404 page not found\n", _PLAIN)
            return
        try:
            answer, content_type = page(rest, parse_qs(parts.query, keep_blank_values=True))
        except Exception as error:  # noqa: BLE001 - whatever it is, whoever asked gets an answer
            _LOG.error("a page of an endpoint failed", error, page=first)
            answer, content_type = Answer(500, "500 internal error; see the log\n"), _PLAIN
        if isinstance(answer, Answer):
            self._send(answer.status, answer.text.encode(), content_type)
        else:
            self._send(200, answer, content_type)

    do_HEAD = do_GET  # noqa: N815 - the standard library's name

    def _send(self, status: int, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the standard library's
        """Keep probes, which come every few seconds, out of the log."""


def checks_page(checks: Checks) -> Page:
    """Return the page of an endpoint's checks."""

    def page(name: str, query: Mapping[str, list[str]]) -> tuple[Answer, str]:
        return checks.answer(name, verbose="verbose" in query, exclude=tuple(query.get("exclude", ()))), _PLAIN

    return page


def metrics_page(metrics: Metrics) -> Page:
    """Return the page of the metrics."""

    def page(name: str, query: Mapping[str, list[str]]) -> tuple[Answer | bytes, str]:  # noqa: ARG001 - a Page
        return (metrics.scrape(), CONTENT_TYPE) if not name else (Answer(404, "404 page not found\n"), _PLAIN)

    return page
