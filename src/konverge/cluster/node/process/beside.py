"""Beside: commands that run beside a container's own, in its folder and with its environment."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count
from typing import Final

import msgspec

from konverge.cluster.node.process.archive_names import named_as_asked
from konverge.cluster.node.process.prepared import Prepared
from konverge.cluster.node.process.process import Command, Process

_MOST_OUTPUT: Final = 10 * 1024  # bytes of a probe's or a hook's words


class Beside:
    """The place of one run of a container; what runs there ends with the run, whose mark it carries."""

    def __init__(self, prepared: Prepared, mark: str) -> None:
        self.prepared = prepared
        self._mark = mark
        self._numbers = count()

    def next_mark(self) -> str:
        """Return a mark for one command, so that its end takes nobody else along."""
        return f"{self._mark}{next(self._numbers)}/"

    def command(self, argv: Sequence[str]) -> Command:
        """Return a command there, with its paths mapped."""
        mapped = tuple(self.prepared.places(each) for each in argv)
        return msgspec.structs.replace(self.prepared.command, argv=named_as_asked(argv, mapped))

    async def execute(self, argv: Sequence[str], limit: float) -> tuple[int, str]:
        """Run a command within seconds; return its exit code and what it said. Raises `OSError`, `TimeoutError`."""
        words = bytearray()

        def listen(_stream: int, data: bytes) -> None:
            words.extend(data[: _MOST_OUTPUT - len(words)])

        process = await Process.start(self.command(argv), mark=self.next_mark(), output=listen)
        try:
            async with asyncio.timeout(limit):
                code = await process.wait()
        finally:
            process.kill()
        return code, words.decode(errors="replace").strip()
