"""Process: one local process in a session of its own, on the running loop.

What it writes is handed on as it comes; when it ends, all that it started ends with it, as in a container.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping
from typing import Final, cast

import msgspec

from konverge.cluster.node.process.process_table import MARK, kill, kill_group, kill_marked
from konverge.cluster.pod_runtime import STDERR, STDOUT

_LAST_WORDS: Final = 2.0  # seconds for what is still in its pipes after its end
_LONG: Final = 0.001  # seconds that the loop may be busy with what it wrote
_PATIENCE: Final = 3.0  # times that long are then left to everybody else
Output = Callable[[int, bytes], None]


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """What to run; its environment may hold secrets, so it never shows."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    folder: str

    def __repr__(self) -> str:
        return f"Command({self.argv[0] if self.argv else ''!r}, in {self.folder!r})"


class Process(asyncio.SubprocessProtocol):
    """A process that runs, or has run; made by `start`."""

    def __init__(self, output: Output, mark: str) -> None:
        self.pid = 0
        self._output = output
        self._mark = mark
        self._transport: asyncio.SubprocessTransport | None = None
        self._exited = asyncio.Event()
        self._is_silent = asyncio.Event()  # its pipes are closed
        self._is_held = False  # who takes its output is behind
        self._can_write = asyncio.Event()
        self._can_write.set()

    @classmethod
    async def start(
        cls, command: Command, *, mark: str, output: Output, stdin: bool = False, terminal: int | None = None
    ) -> Process:
        """Start a process; `terminal` is the descriptor of one, in the place of its pipes. Raises `OSError`."""
        pipe = asyncio.subprocess.PIPE
        made = cls(output, mark)
        await asyncio.get_running_loop().subprocess_exec(
            lambda: made,
            *command.argv,
            stdin=terminal if terminal is not None else (pipe if stdin else asyncio.subprocess.DEVNULL),
            stdout=pipe if terminal is None else terminal,
            stderr=pipe if terminal is None else terminal,
            env={**command.env, MARK: mark},
            cwd=command.folder,
            start_new_session=True,
        )
        return made

    # --- what asyncio calls ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Know its pid, before its end can come."""
        self._transport = cast("asyncio.SubprocessTransport", transport)
        self.pid = self._transport.get_pid()

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """Hand on what it wrote; one that writes without end must wait, so that it has a part of the loop alone."""
        loop = asyncio.get_running_loop()
        begin = loop.time()
        self._output(STDERR if fd == STDERR else STDOUT, data if isinstance(data, bytes) else data.encode())
        took = loop.time() - begin
        if took > _LONG and not self.is_over:
            self.pause_output()
            loop.call_later(took * _PATIENCE, self._go_on)

    def _go_on(self) -> None:
        if not self._is_held:
            self.resume_output()

    def process_exited(self) -> None:
        """Note that it has ended, and end what it leaves behind in its group."""
        kill_group(self.pid)
        self._exited.set()
        self._can_write.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - its end shows by other means
        """Note that its pipes are closed."""
        self._is_silent.set()
        if self._transport is not None:
            self._transport.close()

    def pause_writing(self) -> None:
        """Let writers wait."""
        self._can_write.clear()

    def resume_writing(self) -> None:
        """Let writers go on."""
        self._can_write.set()

    # --- its output ---

    def hold_output(self) -> None:
        """Read nothing more until `release_output`: whoever takes it is behind."""
        self._is_held = True
        self.pause_output()

    def release_output(self) -> None:
        """Read on."""
        self._is_held = False
        self.resume_output()

    def pause_output(self) -> None:
        """Stop reading its pipes."""
        for pipe in self._outputs():
            if pipe.is_reading():
                pipe.pause_reading()

    def resume_output(self) -> None:
        """Read its pipes again."""
        for pipe in self._outputs():
            if not pipe.is_closing() and not pipe.is_reading():
                pipe.resume_reading()

    def _outputs(self) -> list[asyncio.ReadTransport]:
        pipes = [self._transport.get_pipe_transport(fd) for fd in (STDOUT, STDERR)] if self._transport else []
        return [cast("asyncio.ReadTransport", pipe) for pipe in pipes if pipe is not None]

    # --- its life ---

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._exited.is_set()

    @property
    def exit_code(self) -> int:
        """How it ended; 128 + n where signal n ended it."""
        code = self._transport.get_returncode() if self._transport else None
        return 0 if code is None else (code if code >= 0 else 128 - code)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, if it runs."""
        if not self.is_over:
            kill(self.pid, number)

    def kill(self) -> None:
        """End it and its group at once."""
        if not self.is_over:
            kill_group(self.pid)

    async def wait(self) -> int:
        """Return its exit code when it has ended, nothing of it is left and its last words are handed on."""
        await self._exited.wait()
        await asyncio.to_thread(kill_marked, self._mark, session=self.pid)
        await self._hear_last_words()
        if self._transport is not None:
            self._transport.close()
        return self.exit_code

    async def _hear_last_words(self) -> None:
        """Wait until its pipes are empty; for one that somebody else still holds open not for ever."""
        while not self._is_silent.is_set():
            try:
                async with asyncio.timeout(_LAST_WORDS):
                    await self._is_silent.wait()
            except TimeoutError:
                if not self._is_held:
                    return

    async def write(self, data: bytes) -> None:
        """Give it input; waits while its pipe is full. Without a pipe, or after its end, nothing happens."""
        await self._can_write.wait()
        if (pipe := self._input()) is not None and not pipe.is_closing():
            pipe.write(data)

    def close_input(self) -> None:
        """Let its input end."""
        if (pipe := self._input()) is not None:
            pipe.close()

    def _input(self) -> asyncio.WriteTransport | None:
        if self._transport is None or self.is_over:
            return None
        return cast("asyncio.WriteTransport | None", self._transport.get_pipe_transport(0))
