"""An embedded server behind its HTTPS edge, on a loop in a thread of its own, for tests that send bytes to it."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import tempfile
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from konverge.certificates import Authority
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.credentials import Credentials
from konverge.cluster.http import HttpEdge

T = TypeVar("T")
PATIENCE: Final = 30.0  # seconds for anything
_ALIVE: Final = b"GET /version HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

# What the real server answers with 500 too: it takes these for faults of its own.
_AS_THE_REAL_ONE: Final = (
    b"failed to create typed patch object",
    b"to proper version",
    b"strconv.ParseUint",
    b"failed to convert",
    b"target.name: Required value",
    b"target.kind: Unsupported value",
)


def is_as_the_real_one(body: bytes) -> bool:
    """Whether an answer of 500 is the real server's too."""
    return any(words in body for words in _AS_THE_REAL_ONE)


class Failures(logging.Handler):
    """Collects what a server logs with a stack: a fault of its own code."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep what has a stack."""
        if record.exc_info:
            self.found.append(record)


@contextmanager
def failures() -> Iterator[list[logging.LogRecord]]:
    """Collect the faults of all code meanwhile."""
    handler = Failures()
    logging.getLogger().addHandler(handler)
    try:
        yield handler.found
    finally:
        logging.getLogger().removeHandler(handler)


class Edge:
    """The server; `wire` opens connections to it."""

    def __init__(self) -> None:
        self._authority = Authority.create()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.tls = self._administrator()
        self.port = self._run(self._start())

    def _administrator(self) -> ssl.SSLContext:
        """Return how one connects who may do anything: what is refused to others is not even read."""
        pair = self._authority.client("admin", groups=["system:masters"])
        context = ssl.create_default_context(cadata=self._authority.certificate.decode())
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "client.pem"
            file.write_bytes(pair.certificate + pair.key)
            context.load_cert_chain(file)
        return context

    async def _start(self) -> int:
        self._server = ApiServer(Storage.in_memory())
        await self._server.start()
        self._edge = HttpEdge(self._server, Credentials(self._authority).identity("127.0.0.1").tls())
        return await self._edge.start("127.0.0.1", 0)

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    async def _stop(self) -> None:
        await self._server.close()
        await self._edge.stop()

    def close(self) -> None:
        """Stop the server and its loop."""
        self._run(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def wire(self, *, is_secure: bool = True) -> socket.socket:
        """Return a connection, with TLS established or bare."""
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        return self.tls.wrap_socket(plain, server_hostname="127.0.0.1") if is_secure else plain

    def send(self, data: bytes, *, is_secure: bool = True) -> bytes:
        """Send bytes, say that there are no more, and return all that is answered."""
        with self.wire(is_secure=is_secure) as wire:
            with suppress(OSError):  # it may have heard enough
                wire.sendall(data)
                if not is_secure:
                    wire.shutdown(socket.SHUT_WR)
            return b"" if is_secure else _all(wire)

    def ask(self, data: bytes) -> bytes:
        """Send a request that says that it is the last one, and return the answer."""
        with self.wire() as wire:
            with suppress(OSError):
                wire.sendall(data)
            return _all(wire)

    def is_alive(self) -> bool:
        """Whether an ordinary request is answered."""
        return self.ask(_ALIVE).startswith(b"HTTP/1.1 200 ")


def _all(wire: socket.socket) -> bytes:
    parts: list[bytes] = []
    with suppress(ConnectionError, ssl.SSLError):
        while part := wire.recv(65536):
            parts.append(part)
    return b"".join(parts)
