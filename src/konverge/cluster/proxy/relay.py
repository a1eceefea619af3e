"""Relay: one client's connection, passed on to a pod and back.

Where a pod takes no connection the next one is tried. A pod that ends may still take a connection and never answer it:
then what the client sent is given to the next one, if nothing was answered and it may be asked twice (nothing was sent,
or a GET or HEAD). So a rolling update need not lose a request.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from konverge.cluster.proxy.plan import Target

_PIECE: Final = 1 << 16
_CONNECT_WITHIN: Final = 5.0  # seconds; all of it is on this machine
_MOST_KEPT: Final = 1 << 16  # bytes of a request that are kept to be sent again
_SAFE: Final = (b"GET ", b"HEAD ")  # RFC 9110: a proxy may ask again
_AT_ONCE: Final = struct.pack("ii", 1, 0)  # to linger for no time sends a reset

Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Relay:
    """Passes on one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._sent = b""  # what the client has said so far, while it may be needed again
        self._is_answered = False
        self._is_ended = False  # the client has said all

    async def run(self, targets: Sequence[Target], connected: Callable[[Target], None]) -> bool:
        """Serve the client by the first target that will; return whether one did. The client is closed after it.

        `connected` is told of each that takes the connection.
        """
        try:
            for target in targets:
                try:
                    async with asyncio.timeout(_CONNECT_WITHIN):
                        pod = await asyncio.open_connection(target.address, target.port)
                except OSError:  # TimeoutError is one
                    continue
                connected(target)
                if await self._exchange(pod):
                    return True
            self._reset()  # as if nobody listened
            return False
        finally:
            self._writer.close()
            with suppress(OSError):
                await self._writer.wait_closed()

    async def _exchange(self, pod: Ends) -> bool:
        """Pass on both ways until the pod has ended; return False where another one may be asked instead."""
        sending = asyncio.ensure_future(self._send(pod[1]))
        try:
            return await self._receive(pod[0])
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            pod[1].close()
            with suppress(OSError):
                await pod[1].wait_closed()

    async def _receive(self, pod: asyncio.StreamReader) -> bool:
        try:
            while data := await pod.read(_PIECE):
                self._is_answered, self._sent = True, b""
                self._writer.write(data)
                await self._writer.drain()
        except ConnectionError:
            if self._is_answered:
                self._reset()  # half an answer must not pass for a whole one
        return self._is_answered or not self._may_be_asked_again()

    def _reset(self) -> None:
        """Cut the client off in a way that it can tell from an end."""
        self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self._writer.transport.abort()

    def _may_be_asked_again(self) -> bool:
        if self._is_ended or len(self._sent) > _MOST_KEPT:
            return False
        return not self._sent or self._sent.startswith(_SAFE)

    async def _send(self, pod: asyncio.StreamWriter) -> None:
        """Pass on what the client sends; a client that is gone for good takes its connection to the pod along."""
        try:
            if self._sent:
                pod.write(self._sent)
            while data := await self._reader.read(_PIECE):
                if not self._is_answered and len(self._sent) <= _MOST_KEPT:
                    self._sent += data
                pod.write(data)
                await pod.drain()
            self._is_ended = True
            if pod.can_write_eof():
                pod.write_eof()
        except ConnectionError:
            pod.transport.abort()
