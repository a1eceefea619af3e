"""A connection in memory, and a program that a test plays: what streaming is tested with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from konverge.cluster.pod_runtime import STDOUT, PodRef


class Wire:
    """One end of a connection; `other` is the other one."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[bytes] = asyncio.Queue()
        self.other: Wire = self
        self.is_cut = False

    async def receive(self) -> bytes:
        """Return what has come; nothing once the other end is closed."""
        return b"" if self.is_cut else await self._queue.get()

    async def send(self, data: bytes) -> None:
        """Send bytes."""
        await asyncio.sleep(0)  # others may have their turn, as on a wire
        if self.is_cut:
            raise ConnectionResetError("cut")
        self.other._queue.put_nowait(data)

    def close(self) -> None:
        """Send nothing more."""
        self.other._queue.put_nowait(b"")

    def cut(self) -> None:
        """Be gone, both ways."""
        self.is_cut = self.other.is_cut = True
        self._queue.put_nowait(b"")
        self.other._queue.put_nowait(b"")


class Program:
    """An `Execution`: echoes its input until that ends, unless it is told to do something else."""

    def __init__(self, said: tuple[tuple[int, bytes], ...] = (), *, code: int = 0, echoes: bool = False) -> None:
        self._queue: asyncio.Queue[tuple[int, bytes] | None] = asyncio.Queue()
        self._code = code
        self._echoes = echoes
        self.sizes: list[tuple[int, int]] = []
        self.is_input_closed = asyncio.Event()
        self.is_closed = asyncio.Event()
        for piece in said:
            self._queue.put_nowait(piece)
        if not echoes:
            self._queue.put_nowait(None)

    async def write(self, data: bytes) -> None:
        """Say it."""
        self._queue.put_nowait((STDOUT, data))

    def close_input(self) -> None:
        """End."""
        self.is_input_closed.set()
        if self._echoes:
            self._queue.put_nowait(None)

    async def output(self) -> AsyncIterator[tuple[int, bytes]]:
        """Iterate over what it says."""
        while (piece := await self._queue.get()) is not None:
            yield piece

    async def wait(self) -> int:
        """Return its exit code."""
        return self._code

    def resize(self, *, columns: int, rows: int) -> None:
        """Take note."""
        self.sizes.append((columns, rows))

    async def close(self) -> None:
        """Be ended."""
        self.is_closed.set()
        self._queue.put_nowait(None)


class Runtime:
    """A `PodRuntime` of one pod at an address, of which a test says what it does."""

    def __init__(self, program: Callable[[], Program] = Program, address: str = "127.0.0.1") -> None:
        self._program = program
        self._address = address
        self.asked: list[Any] = []
        self.pieces: tuple[bytes, ...] = ()
        self.follows = asyncio.Event()

    async def logs(self, pod: PodRef, container: str, options: Any) -> AsyncIterator[bytes]:
        """Iterate over the pieces; where it is followed, for ever."""
        self.asked.append((pod.name, container, options))
        for piece in self.pieces:
            yield piece
        if options.follow:
            self.follows.set()
            await asyncio.Event().wait()

    async def execute(self, pod: PodRef, container: str, command: Any, *, tty: bool = False) -> Program:
        """Run the program."""
        self.asked.append((pod.name, container, tuple(command), tty))
        return self._program()

    async def attach(self, pod: PodRef, container: str) -> Program:
        """Run the program."""
        self.asked.append((pod.name, container))
        return self._program()

    async def address(self, pod: PodRef) -> str:
        """Return the address."""
        self.asked.append(pod.name)
        return self._address


@pytest.fixture
def wire() -> Any:
    """Return a function that makes a connection: the client's end and the server's."""

    def make() -> tuple[Wire, Wire]:
        client, server = Wire(), Wire()
        client.other, server.other = server, client
        return client, server

    return make


@pytest.fixture
def program() -> Any:
    """The class of a program that a test plays."""
    return Program


@pytest.fixture
def runtime() -> Any:
    """The class of a runtime that a test plays."""
    return Runtime
