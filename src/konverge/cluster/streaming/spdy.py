"""SpdyConnection: the streams of one SPDY connection, server's side.

Kubernetes' SPDY has no windows: a stream that nobody reads holds up its whole connection, here as in the real one,
once so much of it waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Final

from konverge.cluster.apiserver.exchange import Duplex
from konverge.cluster.streaming.spdy_frames import (
    BadSpdy,
    Data,
    Frame,
    GoAway,
    Ping,
    Reset,
    RstStream,
    SpdyReader,
    SpdyWriter,
    SynReply,
    SynStream,
)

PROTOCOL: Final = "SPDY/3.1"
_PIECE: Final = 1 << 15  # bytes of one data frame, so that streams take turns
_MOST_WAITING: Final = 1 << 20  # bytes of a stream that may wait to be read
_MOST_STREAMS: Final = 4096  # that are open at a time


class SpdyStream:
    """One stream: bytes both ways, each of which ends by itself."""

    def __init__(self, connection: SpdyConnection, id_: int, headers: Mapping[str, str]) -> None:
        self.id = id_
        self.headers = headers
        self._connection = connection
        self._pieces: list[bytes] = []
        self._waiting = 0
        self._changed = asyncio.Event()  # set whenever something has come, was taken, or has ended
        self._is_ended = False  # nothing more comes
        self._is_closed = False  # nothing more is sent

    @property
    def is_done(self) -> bool:
        """Whether both sides have ended."""
        return self._is_ended and self._is_closed

    # --- in ---

    async def receive(self) -> bytes:
        """Return what has come, when something has; nothing at the end."""
        while not self._pieces and not self._is_ended:
            self._changed.clear()
            await self._changed.wait()
        taken = b"".join(self._pieces)
        self._pieces, self._waiting = [], 0
        self._changed.set()
        return taken

    async def put(self, data: bytes) -> None:
        """Take what has come for it; waits while too much does already."""
        while self._waiting > _MOST_WAITING and not self._is_ended:
            self._changed.clear()
            await self._changed.wait()
        if data and not self._is_ended:
            self._pieces.append(data)
            self._waiting += len(data)
            self._changed.set()

    def end(self) -> None:
        """Nothing more comes."""
        self._is_ended = True
        self._changed.set()

    # --- out ---

    async def send(self, data: bytes) -> None:
        """Send bytes. Raises `ConnectionError` where nobody takes them any more."""
        for start in range(0, len(data), _PIECE):
            if self._is_closed:
                raise ConnectionResetError("the stream is closed")
            await self._connection.write(Data(self.id, data[start : start + _PIECE]))

    async def close(self) -> None:
        """Send nothing more."""
        if not self._is_closed:
            self._is_closed = True
            with suppress(ConnectionError):
                await self._connection.write(Data(self.id, b"", is_last=True))
            self._connection.forget_done(self)

    async def reset(self, status: Reset = Reset.INTERNAL_ERROR) -> None:
        """End it at once, both ways."""
        self.abort()
        with suppress(ConnectionError):
            await self._connection.write(RstStream(self.id, status))
        self._connection.forget_done(self)

    def abort(self) -> None:
        """Be over, with what has come unread."""
        self._pieces, self._waiting, self._is_closed = [], 0, True
        self.end()


class SpdyConnection:
    """Streams that the client opens; iterate over `streams` to serve it."""

    def __init__(self, connection: Duplex) -> None:
        self._connection = connection
        self._reader = SpdyReader()
        self._writer = SpdyWriter()
        self._streams: dict[int, SpdyStream] = {}
        self._newest = 0
        self._turn = asyncio.Lock()  # headers are one compressed flow: what is written first must be sent first

    async def streams(self) -> AsyncIterator[SpdyStream]:
        """Iterate over the streams that the client opens, until it goes; what it sends is read by this alone."""
        try:
            while data := await self._connection.receive():
                for frame in self._reader.feed(data):
                    if isinstance(frame, GoAway):
                        return
                    stream = await self._take(frame)
                    if stream is not None:
                        yield stream
        except BadSpdy:
            await self.go_away(1)
        finally:
            for stream in tuple(self._streams.values()):
                stream.end()

    async def write(self, frame: Frame) -> None:
        """Send a frame. Raises `ConnectionError`."""
        async with self._turn:
            await self._connection.send(self._writer.write(frame))

    async def go_away(self, status: int = 0) -> None:
        """Say that no more streams are taken."""
        with suppress(ConnectionError):
            await self.write(GoAway(self._newest, status))

    def forget_done(self, stream: SpdyStream) -> None:
        """Forget a stream if it is over."""
        if stream.is_done:
            self._streams.pop(stream.id, None)

    async def _take(self, frame: Frame) -> SpdyStream | None:
        if isinstance(frame, SynStream):
            return await self._open(frame)
        if isinstance(frame, Ping):
            if frame.id % 2:  # a client's own; one of ours would come back
                await self.write(frame)
        elif isinstance(frame, (Data, RstStream)):
            await self._pass_on(frame)
        return None

    async def _open(self, frame: SynStream) -> SpdyStream | None:
        if frame.stream <= self._newest or not frame.stream % 2:
            await self.write(RstStream(frame.stream, Reset.PROTOCOL_ERROR))
            return None
        if len(self._streams) >= _MOST_STREAMS:
            await self.write(RstStream(frame.stream, Reset.REFUSED_STREAM))
            return None
        self._newest = frame.stream
        stream = self._streams[frame.stream] = SpdyStream(self, frame.stream, frame.headers)
        if frame.is_last:
            stream.end()
        await self.write(SynReply(frame.stream))
        return stream

    async def _pass_on(self, frame: Data | RstStream) -> None:
        stream = self._streams.get(frame.stream)
        if stream is None:
            return  # it was closed meanwhile
        if isinstance(frame, RstStream):
            stream.abort()
        else:
            await stream.put(frame.payload)
            if frame.is_last:
                stream.end()
        self.forget_done(stream)
