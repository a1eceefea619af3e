"""A command over SPDY: a stream each for input, output, errors, the outcome and the terminal's size."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from konverge.cluster.apiserver.connecting import Command
from konverge.cluster.pod_runtime import STDERR, STDOUT
from konverge.cluster.streaming.remote_command import Input, Resize, message_of, read_size, status_of
from konverge.cluster.streaming.spdy import SpdyConnection, SpdyStream

PROTOCOLS: Final = ("v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io")
_RESIZING: Final = PROTOCOLS[:2]
_TYPE: Final = "streamtype"
_PATIENCE: Final = 30.0  # seconds for a client to open its streams: a kubelet's
_OUTPUTS: Final = {STDOUT: "stdout", STDERR: "stderr"}


def expected_streams(wanted: Command, protocol: str) -> list[str]:
    """Return the types of the streams that a client of a protocol opens."""
    asked = {"stdin": wanted.stdin, "stdout": wanted.stdout, "stderr": wanted.stderr}
    found = ["error", *(name for name, is_wanted in asked.items() if is_wanted)]
    return [*found, "resize"] if wanted.tty and protocol in _RESIZING else found


class CommandStreams:
    """A client of a command, over SPDY; `open` it first."""

    def __init__(self, connection: SpdyConnection, wanted: Command, protocol: str) -> None:
        self._connection = connection
        self._expected = expected_streams(wanted, protocol)
        self._is_structured = protocol == PROTOCOLS[0]  # how it ended is told as a Status
        self._found: dict[str, SpdyStream] = {}
        self._complete = asyncio.Event()
        self._events: asyncio.Queue[Input | Resize | None] = asyncio.Queue(maxsize=1)
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Wait for the client's streams. Raises `ConnectionError` where they do not come."""
        self._tasks.append(asyncio.create_task(self._collect()))
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._complete.wait()
        except TimeoutError:
            await self.close()
        if len(self._found) < len(self._expected):
            raise ConnectionResetError("timed out waiting for client to create streams")
        for name in ("stdin", "resize"):
            if name in self._found:
                self._tasks.append(asyncio.create_task(self._read(name)))

    async def close(self) -> None:
        """End what reads the connection."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _collect(self) -> None:
        try:
            async for stream in self._connection.streams():
                self._found.setdefault(stream.headers.get(_TYPE, ""), stream)
                if all(name in self._found for name in self._expected):
                    self._complete.set()
        finally:
            self._complete.set()
            await self._events.put(None)  # the client is gone

    async def _read(self, name: str) -> None:
        stream = self._found[name]
        while data := await stream.receive():
            event = Input(data) if name == "stdin" else read_size(data)
            if event is not None:
                await self._events.put(event)
        if name == "stdin":
            await self._events.put(Input(b""))

    async def events(self) -> AsyncIterator[Input | Resize]:
        """Iterate over what the client does, until it goes."""
        while (event := await self._events.get()) is not None:
            yield event

    async def output(self, stream: int, data: bytes) -> None:
        """Send what the program says."""
        await self._found[_OUTPUTS[stream]].send(data)

    async def finish(self, exit_code: int) -> None:
        """Tell how it ended, and end."""
        if self._is_structured:
            await self._found["error"].send(status_of(exit_code))
        elif exit_code:
            await self._found["error"].send(message_of(exit_code).encode())
        for stream in self._found.values():
            await stream.close()
        await self._connection.go_away()
