"""The node's end of its reaper: the process that ends all containers when the node is killed."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

from konverge.cluster.node.process.process_table import MARK


class ReaperPipe:
    """A reaper at work, from `start` to `close`."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, mark: str) -> None:
        """Start a reaper of all that is marked so."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            str(Path(__file__).with_name("reaper.py")),
            f"{MARK}={mark}",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C is for the node, which then closes the pipe
        )

    def note_start(self, pid: int) -> None:
        """Tell it of a process group."""
        self._write(f"+{pid}\n")

    def note_end(self, pid: int) -> None:
        """Tell it that a process group is gone."""
        self._write(f"-{pid}\n")

    def _write(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(line.encode())

    async def close(self) -> None:
        """Let it end: nothing is left for it to do."""
        process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        with suppress(ConnectionError):  # somebody killed it
            process.stdin.write(b"-0\n")
            process.stdin.close()
            await process.stdin.wait_closed()
        await process.wait()
