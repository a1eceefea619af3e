"""The HTTPS edge: a port on which kubectl and any other client reach the core. It knows no resource."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from typing import Final

from konverge.cluster.answering import Handler
from konverge.cluster.http1.connection import Connection

_STOP_WITHIN: Final = 5.0  # seconds for answers under way; then their connections are cut
_BUFFER: Final = 1 << 16  # bytes: what a socket is read by
_LOOK_EVERY: Final = 15.0  # seconds: for clients that ask for nothing, or never come to an end


class HttpEdge:
    """Serves a core on a port; `start` and `stop` it."""

    def __init__(self, server: Handler, tls: ssl.SSLContext) -> None:
        self.handler = server
        self.tls = tls
        self.buffer = memoryview(bytearray(_BUFFER))
        self.tasks: set[asyncio.Task[None]] = set()
        self._connections: dict[Connection, None] = {}
        self._listening: asyncio.Server | None = None
        self._look: asyncio.TimerHandle | None = None
        self._is_stopping = False
        self._is_quiet = asyncio.Event()  # no connection is open
        self._is_quiet.set()

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port, which the system chooses when 0 is asked for. Raises `OSError`."""
        loop = asyncio.get_running_loop()
        self._listening = await loop.create_server(lambda: Connection(self), host, port, backlog=1024)
        self._look_around()
        bound: int = self._listening.sockets[0].getsockname()[1]
        return bound

    async def stop(self) -> None:
        """Take no more connections, let answers under way end, and close; end the core's streams before it."""
        if self._listening is None or self._look is None:
            return
        self._is_stopping = True
        self._look.cancel()
        self._listening.close()
        for connection in tuple(self._connections):
            connection.stop()
        with suppress(TimeoutError):
            async with asyncio.timeout(_STOP_WITHIN):
                await self._is_quiet.wait()
        for connection in tuple(self._connections):
            connection.cut()
        if self.tasks:  # reads end with their connections, and writes go on to their end
            await asyncio.wait(tuple(self.tasks))
        await self._listening.wait_closed()

    def opened(self, connection: Connection) -> None:
        """Take note of a connection."""
        self._connections[connection] = None
        self._is_quiet.clear()
        if self._is_stopping:
            connection.stop()

    def closed(self, connection: Connection) -> None:
        """Forget it."""
        self._connections.pop(connection, None)
        if not self._connections:
            self._is_quiet.set()

    def _look_around(self) -> None:
        """Close the connections of clients that are late; one look at all costs less than a timer for each."""
        loop = asyncio.get_running_loop()
        for connection in tuple(self._connections):
            connection.cut_if_late(loop.time())
        self._look = loop.call_later(_LOOK_EVERY, self._look_around)
