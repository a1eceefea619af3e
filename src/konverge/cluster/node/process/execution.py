"""Executions: what `kubectl exec` and `attach` talk to."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final

import msgspec

from konverge.cluster.node.process.container_run import ContainerRun
from konverge.cluster.node.process.process import Command, Process
from konverge.cluster.node.process.terminal import Terminal

_END: Final = (0, b"")
_MOST: Final = 1 << 20  # bytes that wait for a slow reader; then the program must wait, too
_TAKE_TERMINAL: Final = (sys.executable, "-I", "-S", str(Path(__file__).with_name("controlling_terminal.py")))


class _Words:
    """What was said and not yet read, in order; `hold` and `release` are called when it is too much, and no longer."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[tuple[int, bytes]] = asyncio.Queue()
        self._size = 0
        self._is_held = False
        self.hold: Callable[[], None] = lambda: None
        self.release: Callable[[], None] = lambda: None

    def put(self, stream: int, data: bytes) -> None:
        self._queue.put_nowait((stream, data))
        self._size += len(data)
        if self._size > _MOST and not self._is_held:
            self._is_held = True
            self.hold()

    def end(self) -> None:
        self._queue.put_nowait(_END)

    def let_go(self) -> None:
        """Hold nothing up any more: nobody reads."""
        self.release()
        self.hold = lambda: None

    async def read(self) -> AsyncIterator[tuple[int, bytes]]:
        while (piece := await self._queue.get()) != _END:
            self._size -= len(piece[1])
            if self._is_held and self._size < _MOST // 2:
                self._is_held = False
                self.release()
            yield piece


class CommandExecution:
    """A command that was started for someone; made by `start`."""

    def __init__(self, words: _Words, terminal: Terminal | None) -> None:
        self._words = words
        self._terminal = terminal
        self._process: Process | None = None
        self._ending: asyncio.Task[int] | None = None

    @classmethod
    async def start(cls, command: Command, *, mark: str, tty: bool) -> CommandExecution:
        """Start a command; raises `OSError` and `ValueError` where it cannot be run."""
        words = _Words()
        terminal = Terminal(words.put) if tty else None
        line = msgspec.structs.replace(command, argv=(*_TAKE_TERMINAL, *command.argv)) if tty else command
        made = cls(words, terminal)
        try:
            made._process = await Process.start(
                line, mark=mark, output=words.put, stdin=not tty, terminal=terminal.program if terminal else None
            )
        except BaseException:
            if terminal is not None:
                terminal.close()
            raise
        finally:
            if terminal is not None:
                terminal.started()
        source: Process | Terminal = terminal or made._process
        words.hold, words.release = source.hold_output, source.release_output
        made._ending = asyncio.create_task(made._end(made._process), name=f"exec {command.argv[0]}")
        return made

    async def _end(self, process: Process) -> int:
        code = await process.wait()
        if self._terminal is not None:
            self._terminal.drain()
        self._words.end()
        return code

    async def write(self, data: bytes) -> None:
        """Give it input."""
        if self._terminal is not None:
            await self._terminal.write(data)
        elif self._process is not None:
            await self._process.write(data)

    def close_input(self) -> None:
        """Let its input end."""
        if self._terminal is not None:
            self._terminal.end_input()
        elif self._process is not None:
            self._process.close_input()

    def output(self) -> AsyncIterator[tuple[int, bytes]]:
        """Iterate over what it says."""
        return self._words.read()

    async def wait(self) -> int:
        """Return its exit code when it has ended."""
        return await asyncio.shield(self._ending) if self._ending is not None else 0

    def resize(self, *, columns: int, rows: int) -> None:
        """Tell its terminal its size."""
        if self._terminal is not None:
            self._terminal.resize(columns=columns, rows=rows)

    async def close(self) -> None:
        """End it; what it still says is for nobody."""
        if self._process is not None:
            self._process.kill()
            self._words.let_go()
        await self.wait()


class Attachment:
    """Someone who listens to a container."""

    def __init__(self, run: ContainerRun) -> None:
        self._run = run
        self._words = _Words()
        self._stop = run.log.listen(self._hear)

    def _hear(self, stream: int, data: bytes) -> None:
        if data:
            self._words.put(stream, data)
        if self._run.log.is_closed:
            self._words.end()

    async def write(self, data: bytes) -> None:
        """Give the container input, where it asked for a standard input."""
        await self._run.process.write(data)

    def close_input(self) -> None:
        """Let the container's input end, where it asked for one that ends with the first who attaches."""
        if self._run.container.stdin_once:
            self._run.process.close_input()

    def output(self) -> AsyncIterator[tuple[int, bytes]]:
        """Iterate over what it says from now on."""
        return self._words.read()

    async def wait(self) -> int:
        """Return its exit code when it has ended."""
        await self._run.wait()
        return self._run.ended.code if self._run.ended else 0

    def resize(self, *, columns: int, rows: int) -> None:
        """Do nothing: a container has no terminal."""

    async def close(self) -> None:
        """Listen no longer; the container goes on."""
        self._stop()
        self._words.end()
