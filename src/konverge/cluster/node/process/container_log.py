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
        whole, end, rest = (self._pending.pop(stream, b"") + data).rpartition(b"\n")
        encoded = _encoded(stream, whole) if end else b""
        while len(rest) > LONGEST:
            encoded += _part(stream, rest[:LONGEST])
            rest = rest[LONGEST:]
        if rest:
            self._pending[stream] = rest
        self._write(encoded)
        self._tell(stream, data)

    def close(self) -> None:
        """Write what has no end of line, and say that no more comes."""
        self._write(b"".join(_part(stream, text) for stream, text in sorted(self._pending.items())))
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

    def _write(self, encoded: bytes) -> None:
        if not encoded:
            return
        note = b""
        if self._lost:
            note = _encoded(STDERR, f"konverge: {self._lost} lines could not be written here".encode())
        try:
            self._append(note + encoded)
        except OSError as error:
            if not self._lost:
                self._failed(error)
            self._lost += encoded.count(b"\n")
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


def _encoded(stream: int, text: bytes) -> bytes:
    """Whole lines as they lie on disk. A container may say thousands at a time, so no line is looked at by itself."""
    if len(text) > LONGEST and max(map(len, text.split(b"\n"))) > LONGEST:
        return b"".join(_long_line(stream, line) for line in text.split(b"\n"))
    begin = b"%s %s F " % (stamp(clock.now()), _STREAMS[stream])
    return begin + text.replace(b"\n", b"\n" + begin) + b"\n"


def _long_line(stream: int, text: bytes) -> bytes:
    parts = [text[at : at + LONGEST] for at in range(0, len(text), LONGEST)] or [b""]
    time, name = stamp(clock.now()), _STREAMS[stream]
    return b"".join(LogLine(time, name, part is parts[-1], part).encoded() for part in parts)


def _part(stream: int, text: bytes) -> bytes:
    return LogLine(stamp(clock.now()), _STREAMS[stream], False, text).encoded()


def older(path: Path, number: int) -> Path:
    """Return the file that was filled so many files ago."""
    return path.with_name(f"{path.name}.{number}") if number else path


def remove_log(path: Path) -> None:
    """Remove a log with its older files."""
    for number in range(MOST_FILES):
        older(path, number).unlink(missing_ok=True)
