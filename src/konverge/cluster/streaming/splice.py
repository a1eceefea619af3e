"""Splicing: the bytes of a client's side passed on to a TCP connection, and back."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final, Protocol

_PIECE: Final = 1 << 16


class Side(Protocol):
    """One side of it."""

    @property
    def is_done(self) -> bool:
        """Whether nothing comes from it any more, nor can be sent to it."""
        ...

    async def receive(self) -> bytes:
        """Return what has come; nothing at the end."""
        ...

    async def send(self, data: bytes) -> None:
        """Send bytes; raises `ConnectionError`."""
        ...


async def splice(side: Side, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on both ways until the TCP side has ended; that the client has sent all does not end what it receives."""
    sending = asyncio.ensure_future(_send(side, writer))
    try:
        with suppress(ConnectionError):
            while data := await reader.read(_PIECE):
                await side.send(data)
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def _send(side: Side, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await side.receive():
            writer.write(data)
            await writer.drain()
        if side.is_done:
            writer.transport.abort()  # nobody waits for an answer
        elif writer.can_write_eof():
            writer.write_eof()
