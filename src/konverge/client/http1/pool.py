"""`Pool`: keeps connections for the next request, and never has more than its limit.

Who comes first gets the first free place. The connection used last is used next, so that those which a burst needed
grow old and are closed. Cancelling whoever waits for a place, or for a connection, loses neither.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from konverge.client.http1.connection import Connection

_KEEP_IDLE = 60.0  # seconds; less than the server, or a load balancer before it, keeps them
_GOODBYE = 1.0  # seconds, at most, that closing waits for sockets to be closed

Dial = Callable[[ssl.SSLContext | None, Connection], Coroutine[Any, Any, None]]


class Pool:
    """Connections along one route; `take` one for a request, then `give_back` it, whatever came of it."""

    def __init__(self, dial: Dial, *, limit: int = sys.maxsize) -> None:
        self._dial = dial
        self._places = asyncio.Semaphore(limit)
        self._idle: deque[Connection] = deque()  # the one used last at the right
        self._open: set[Connection] = set()  # every one whose socket may be open
        self._dialling: set[asyncio.Task[None]] = set()
        self._cleaning: asyncio.TimerHandle | None = None
        self._closed = False

    async def take(self, context: ssl.SSLContext | None) -> Connection:
        """Return a connection made with this context, an idle or a new one, when there is a place for it."""
        await self._places.acquire()
        try:
            return self._idle_one(context) or await self._new(context)
        except BaseException:
            self._places.release()
            raise

    def give_back(self, connection: Connection) -> None:
        """Keep a connection for the next request, or close it if it cannot carry one."""
        self._places.release()
        if self._closed or not connection.reusable:
            connection.abort()
            return
        loop = asyncio.get_running_loop()
        connection.idle_since = loop.time()
        self._idle.append(connection)
        if self._cleaning is None:
            self._cleaning = loop.call_later(_KEEP_IDLE, self._clean)

    async def close(self) -> None:
        """Close every connection, those in use too; when it returns, their sockets are closed."""
        self._closed = True
        if self._cleaning is not None:
            self._cleaning.cancel()
        self._idle.clear()
        for connection in list(self._open):
            connection.abort(ConnectionAbortedError("the client was closed"))
        for task in self._dialling:
            task.cancel()
        if left := {*(connection.lost for connection in self._open), *self._dialling}:
            await asyncio.wait(left, timeout=_GOODBYE)

    def _idle_one(self, context: ssl.SSLContext | None) -> Connection | None:
        """Return the connection used last; those of a rotated certificate, or too old, are closed on the way."""
        oldest = asyncio.get_running_loop().time() - _KEEP_IDLE
        while self._idle:
            connection = self._idle.pop()
            if connection.reusable and connection.context is context and connection.idle_since > oldest:
                return connection
            connection.abort()
        return None

    async def _new(self, context: ssl.SSLContext | None) -> Connection:
        """Connect in a task of its own, which `close` can end."""
        self._refuse_if_closed()
        connection = Connection()
        self._open.add(connection)
        connection.lost.add_done_callback(lambda _: self._open.discard(connection))
        task = asyncio.create_task(self._dial(context, connection))
        self._dialling.add(task)
        task.add_done_callback(self._dialling.discard)
        try:
            await task
        except BaseException as error:
            connection.abort()
            asking = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and not (asking and asking.cancelling()):
                self._refuse_if_closed()  # it was `close` that ended the dialling, not whoever asked
            raise
        return connection

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise ConnectionAbortedError("the client was closed")

    def _clean(self) -> None:
        """Close what has been idle for too long, and look again when the next will have been."""
        loop = asyncio.get_running_loop()
        while self._idle and loop.time() - self._idle[0].idle_since >= _KEEP_IDLE:
            self._idle.popleft().abort()
        self._cleaning = loop.call_at(self._idle[0].idle_since + _KEEP_IDLE, self._clean) if self._idle else None
