"""LogReader: the part of a container's log that someone asks for, and what follows it.

Files are read in a thread, one at a time. A reader that follows keeps the file open that it reads, so that a log that
is turned over meanwhile loses nothing.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from konverge.cluster.node.process.container_log import MOST_FILES, ContainerLog, older
from konverge.cluster.node.process.log_line import LogLine, read_line
from konverge.cluster.pod_runtime import LogOptions

_PIECE = 1 << 18  # bytes of text that are handed on together


async def read_log(path: Path, options: LogOptions, *, log: ContainerLog | None) -> AsyncIterator[bytes]:
    """Iterate over the log at a path; `log` is its writer, where one is at work, and needed to follow it."""
    budget = _Budget(options.limit_bytes)
    reader = _Reader(path, options)
    news = asyncio.Event()
    stop = log.listen(lambda _stream, _data: news.set()) if log and options.follow else (lambda: None)
    try:
        for piece in await asyncio.to_thread(reader.first):
            yield budget.take(piece)
        while options.follow and log is not None and not budget.is_spent:
            is_last = log.is_closed  # asked before reading: what was written before the end is still read
            for piece in await asyncio.to_thread(reader.more):
                yield budget.take(piece)
            if is_last:
                return
            await news.wait()
            news.clear()
    finally:
        stop()
        reader.close()


class _Budget:
    """How many bytes may still be given."""

    def __init__(self, limit: int | None) -> None:
        self._left = limit

    @property
    def is_spent(self) -> bool:
        return self._left == 0

    def take(self, piece: bytes) -> bytes:
        if self._left is None:
            return piece
        piece = piece[: self._left]
        self._left -= len(piece)
        return piece


class _Reader:
    """Reads a log's files in their order; all of it blocks."""

    def __init__(self, path: Path, options: LogOptions) -> None:
        self._path = path
        self._options = options
        self._file: BinaryIO | None = None
        self._rest = b""  # a line whose end was not there yet

    def first(self) -> list[bytes]:
        """Return what there is now: of all files, from the oldest on."""
        past = (line for number in range(MOST_FILES - 1, 0, -1) for line in _whole_file(older(self._path, number)))
        lines = self._wanted(_chain(past, self._rest_of_current()))
        if self._options.tail is not None:
            lines = iter(deque(lines, maxlen=self._options.tail))
        return list(self._shown(lines))

    def more(self) -> list[bytes]:
        """Return what came since."""
        return list(self._shown(self._wanted(self._rest_of_current())))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _rest_of_current(self) -> Iterator[LogLine]:
        while True:
            if self._file is None and not self._open():
                return
            yield from self._read()
            if not self._was_turned_over():
                return
            self.close()
            self._file = None

    def _open(self) -> bool:
        try:
            self._file = self._path.open("rb")
        except FileNotFoundError:
            return False
        return True

    def _read(self) -> Iterator[LogLine]:
        if self._file is None:
            return
        *lines, self._rest = (self._rest + self._file.read()).split(b"\n")
        yield from filter(None, map(read_line, lines))

    def _was_turned_over(self) -> bool:
        if self._file is None:
            return False
        try:
            current = self._path.stat().st_ino
        except FileNotFoundError:
            return False
        return current != os.fstat(self._file.fileno()).st_ino

    def _wanted(self, lines: Iterable[LogLine]) -> Iterator[LogLine]:
        since, stream = self._options.since, self._options.stream.lower().encode()
        for line in lines:
            if stream not in (b"all", line.stream) or (since is not None and line.is_before(since)):
                continue
            yield line

    def _shown(self, lines: Iterable[LogLine]) -> Iterator[bytes]:
        """What the reader is to see, in pieces that are neither tiny nor huge."""
        piece: list[bytes] = []
        size = 0
        for line in lines:
            text = line.shown(timestamps=self._options.timestamps)
            piece.append(text)
            size += len(text)
            if size >= _PIECE:
                yield b"".join(piece)
                piece, size = [], 0
        if piece:
            yield b"".join(piece)


def _whole_file(path: Path) -> Iterator[LogLine]:
    try:
        with path.open("rb") as file:
            yield from filter(None, map(read_line, file))
    except FileNotFoundError:
        return


def _chain(first: Iterable[LogLine], second: Iterable[LogLine]) -> Iterator[LogLine]:
    yield from first
    yield from second


def last_lines(path: Path, count: int) -> bytes:
    """Return the last lines of a log; blocks."""
    reader = _Reader(path, LogOptions(tail=count))
    try:
        return b"".join(reader.first())
    finally:
        reader.close()
