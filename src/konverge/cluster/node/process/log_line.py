"""LogLine: one line of a container's log on disk, in the form that container runtimes use; pure.

    2026-11-15T15:30:00.000001000Z stdout F what it said

`P` in the place of `F`: the line goes on in the next one of the same stream.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

from konverge.api.time import parse_time

LONGEST: Final = 16 * 1024  # bytes; a longer line is cut into parts
_FIELDS: Final = 4


class LogLine(msgspec.Struct, frozen=True):
    """A line, or a part of one."""

    time: bytes
    stream: bytes
    is_whole: bool
    text: bytes

    def encoded(self) -> bytes:
        """Return it as it lies on disk."""
        return b"%s %s %s %s\n" % (self.time, self.stream, b"F" if self.is_whole else b"P", self.text)

    def shown(self, *, timestamps: bool) -> bytes:
        """Return it as its reader is to see it."""
        stamp = self.time + b" " if timestamps else b""
        return stamp + self.text + (b"\n" if self.is_whole else b"")

    def is_before(self, moment: datetime) -> bool:
        """Whether it was said before a moment."""
        return parse_time(self.time.decode()) < moment


def stamp(moment: datetime) -> bytes:
    """Return a moment as it stands in front of a line."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f000Z").encode()


def read_line(data: bytes) -> LogLine | None:
    """Read a line from disk; None if it is none: the end of one that a full disk cut off."""
    fields = data.rstrip(b"\n").split(b" ", 3)
    if len(fields) < _FIELDS or fields[2] not in (b"F", b"P"):
        return None
    return LogLine(fields[0], fields[1], fields[2] == b"F", fields[3])
