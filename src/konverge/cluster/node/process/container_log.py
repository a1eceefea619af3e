"""ContainerLog: what one run of a container says, written to disk as it comes, with a limit.

A file that is full becomes `.1`, that one `.2`, and so on; the oldest goes. Where nothing can be written, the container
goes on, its words are counted, and a line says how many were lost once there is room again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from konverge import clock
from konverge.cluster.node.process.disk import Disk
from konverge.cluster.node.process.log_line import LONGEST, LogLine, stamp
from konverge.cluster.pod_runtime import STDERR, STDOUT

MOST_BYTES: Final = 10 * 1024 * 1024  # of one file; a kubelet's own numbers
MOST_FILES: Final = 5
_STREAMS: Final = {STDOUT: b"stdout", STDERR: b"stderr"}


class ContainerLog:
    """A log that is written. Listeners are called after each piece and at the end."""

    def __init__(
        self, disk: Disk, path: Path, *, failed: Callable[[OSError], None], most_bytes: int = MOST_BYTES
    ) -> None:
        self.path = path
        self.is_closed = False
        self._disk = disk
        self._failed = failed
        self._most_bytes = most_bytes
        self._descriptor: int | None = None
        self._size = 0
        self._pending: dict[int, bytes] = {}  # the beginning of a line, by stream
        self._lost = 0  # lines that could not be written
        self._listeners: dict[object, Callable[[int, bytes], None]] = {}

    def feed(self, stream: int, data: bytes) -> None:
        """Take what came from a stream."""
        *whole, rest = (self._pending.pop(stream, b"") + data).split(b"\n")
        lines = [line for text in whole for line in self._lines(stream, text)]
        while len(rest) > LONGEST:
            lines.append(self._line(stream, rest[:LONGEST], is_whole=False))
            rest = rest[LONGEST:]
        if rest:
            self._pending[stream] = rest
        self._write(lines)
        self._tell(stream, data)

    def close(self) -> None:
        """Write what has no end of line, and say that no more comes."""
        self._write([self._line(stream, text, is_whole=False) for stream, text in sorted(self._pending.items())])
        self._pending.clear()
        self._close_file()
        self.is_closed = True
        self._tell(STDOUT, b"")

    def listen(self, listener: Callable[[int, bytes], None]) -> Callable[[], None]:
        """Call a listener with each piece that comes, with an empty one at the end; return what ends that."""
        key = object()
        self._listeners[key] = listener
        return lambda: self._listeners.pop(key, None) and None

    def _tell(self, stream: int, data: bytes) -> None:
        for listener in tuple(self._listeners.values()):
            listener(stream, data)

    def _lines(self, stream: int, text: bytes) -> list[LogLine]:
        parts = [text[at : at + LONGEST] for at in range(0, len(text), LONGEST)] or [b""]
        return [self._line(stream, part, is_whole=part is parts[-1]) for part in parts]

    @staticmethod
    def _line(stream: int, text: bytes, *, is_whole: bool) -> LogLine:
        return LogLine(stamp(clock.now()), _STREAMS[stream], is_whole, text)

    def _write(self, lines: list[LogLine]) -> None:
        if not lines:
            return
        if self._lost:
            note = f"konverge: {self._lost} lines could not be written here".encode()
            lines = [self._line(STDERR, note, is_whole=True), *lines]
        try:
            self._append(b"".join(line.encoded() for line in lines))
        except OSError as error:
            if not self._lost:
                self._failed(error)
            self._lost += len(lines) - (1 if self._lost else 0)
        else:
            self._lost = 0

    def _append(self, data: bytes) -> None:
        if self._descriptor is None:
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._disk.append(self._descriptor, data)
        self._size += len(data)
        if self._size >= self._most_bytes:
            self._rotate()

    def _rotate(self) -> None:
        self._close_file()
        for number in range(MOST_FILES - 1, 0, -1):
            newer = older(self.path, number - 1)
            with suppress(FileNotFoundError):
                newer.replace(older(self.path, number))
        self._size = 0

    def _close_file(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def older(path: Path, number: int) -> Path:
    """Return the file that was filled so many files ago."""
    return path.with_name(f"{path.name}.{number}") if number else path


def remove_log(path: Path) -> None:
    """Remove a log with its older files."""
    for number in range(MOST_FILES):
        older(path, number).unlink(missing_ok=True)
