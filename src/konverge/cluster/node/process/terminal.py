"""Terminal: a pseudo-terminal for a command that someone sits in front of."""

from __future__ import annotations

import asyncio
import fcntl
import os
import struct
import termios
from contextlib import suppress

from konverge.cluster.node.process.process import Output
from konverge.cluster.pod_runtime import STDOUT

_PIECE = 1 << 16


class Terminal:
    """The owner's end of one; what the program writes is handed on as it comes."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._owner, self.program = os.openpty()
        os.set_blocking(self._owner, False)
        self._is_open = True
        self._is_drained = False  # there was nothing to read when it was last looked
        asyncio.get_running_loop().add_reader(self._owner, self._read)

    def started(self) -> None:
        """Let go of the program's end: it has its own copy."""
        os.close(self.program)

    def _read(self) -> None:
        try:
            data = os.read(self._owner, _PIECE)
        except BlockingIOError:
            self._is_drained = True
            return
        except OSError:  # nobody has its other end any more
            data = b""
        self._is_drained = False
        if data:
            self._output(STDOUT, data)
        else:
            self.close()

    def hold_output(self) -> None:
        """Read nothing more until `release_output`: whoever takes it is behind."""
        if self._is_open:
            asyncio.get_running_loop().remove_reader(self._owner)

    def release_output(self) -> None:
        """Read on."""
        if self._is_open:
            asyncio.get_running_loop().add_reader(self._owner, self._read)

    async def write(self, data: bytes) -> None:
        """Type."""
        view = memoryview(data)
        while view and self._is_open:
            try:
                view = view[os.write(self._owner, view) :]
            except BlockingIOError:
                await self._wait_until_writable()
            except OSError:
                return

    async def _wait_until_writable(self) -> None:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        loop.add_writer(self._owner, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_writer(self._owner)

    def end_input(self) -> None:
        """Say that no more is typed: the character that ends a line's input at a terminal."""
        if self._is_open:
            with suppress(OSError):
                os.write(self._owner, b"\x04")

    def resize(self, *, columns: int, rows: int) -> None:
        """Set its size."""
        if self._is_open:
            fcntl.ioctl(self._owner, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def drain(self) -> None:
        """Hand on what is left after the program's end, and close."""
        while self._is_open:
            self._read()
            if self._is_drained:
                self.close()

    def close(self) -> None:
        """Hang up."""
        if self._is_open:
            self._is_open = False
            asyncio.get_running_loop().remove_reader(self._owner)
            os.close(self._owner)
