"""The body of an answer in its three forms, and gzip around it; fed with bytes as they come, cut anywhere.

Each form's `feed` appends what belongs to the body and returns what came after its end.
"""

from __future__ import annotations

import zlib
from typing import Final, Protocol

_LINE_LIMIT: Final = 1 << 12  # bytes of the line that a chunk begins with
_TRAILER_LIMIT: Final = 1 << 16  # bytes of what may follow the last chunk
_SIZE_DIGITS: Final = 15  # of a chunk: more than any machine holds
_HEX_DIGITS: Final = b"0123456789abcdefABCDEF"
_GZIP: Final = 31  # zlib's number for "with a gzip header and the largest window"


class BadAnswer(Exception):
    """What came is no answer, or ended before it was whole."""


class Body(Protocol):
    """What the connection's bytes after the head mean."""

    complete: bool

    def feed(self, data: bytes, into: list[bytes]) -> bytes:
        """Append what belongs to the body; return what came after its end."""
        ...


class Counted:
    """A body whose length is known."""

    def __init__(self, length: int) -> None:
        self._left = length
        self.complete = length == 0

    def feed(self, data: bytes, into: list[bytes]) -> bytes:
        """Take as many bytes as are left."""
        piece = data[: self._left]
        if piece:
            into.append(piece)
            self._left -= len(piece)
        self.complete = self._left == 0
        return data[len(piece) :]


class UntilClose:
    """A body that ends with its connection."""

    complete = False

    def feed(self, data: bytes, into: list[bytes]) -> bytes:
        """Take everything."""
        if data:
            into.append(data)
        return b""


class Chunked:
    """A body in chunks, each with its size before it; the server sends every event of a watch as one.

    So hundreds may stand in what arrives together: they are found and cut, and joined once by who takes them.
    """

    def __init__(self) -> None:
        self.complete = False
        self._left = 0  # bytes of the current chunk that are to come
        self._gap = 0  # bytes between a chunk and the line of the next: none before the first
        self._rest = b""  # the beginning of a line whose end has not come; empty inside a chunk

    def feed(self, data: bytes, into: list[bytes]) -> bytes:
        """Take whole chunks and the beginning of the next."""
        if self._rest:
            data, self._rest = self._rest + data, b""
        at = 0
        while True:
            if self._left:
                stop = at + self._left
                if piece := data[at:stop]:
                    into.append(piece)
                if stop > len(data):
                    self._left = stop - len(data)
                    return b""
                at, self._left, self._gap = stop, 0, 2
            end = self._line_end(data, at)
            if end < 0:
                self._rest = data[at:]
                return b""
            self._left = _chunk_size(data[at + self._gap : end])
            if not self._left:
                return self._last(data, at, end)
            at = end + 2

    def _line_end(self, data: bytes, at: int) -> int:
        """Find the end of the line that a chunk begins with; -1 if it has not come."""
        end = data.find(b"\r\n", at + self._gap)
        if (end if end >= 0 else len(data)) - at > _LINE_LIMIT:
            raise BadAnswer("a chunk begins with a line without end")
        if end >= 0 and self._gap and not data.startswith(b"\r\n", at):
            raise BadAnswer("a chunk is longer than it said")
        return end

    def _last(self, data: bytes, at: int, end: int) -> bytes:
        """Skip what follows the last chunk, up to an empty line; without that, begin at its own line once more."""
        finish = data.find(b"\r\n\r\n", end)
        if (finish if finish >= 0 else len(data)) - end > _TRAILER_LIMIT:
            raise BadAnswer("too much follows the last chunk")
        if finish < 0:
            self._rest = data[at:]
            return b""
        self.complete = True
        return data[finish + 4 :]


def _chunk_size(line: bytes) -> int:
    """Read the size of a chunk; int() alone would take signs, spaces and underscores too."""
    if line.translate(None, _HEX_DIGITS):
        line = line.partition(b";")[0].rstrip(b" \t")  # an extension, which nobody here knows
    if not line or len(line) > _SIZE_DIGITS or line.translate(None, _HEX_DIGITS):
        raise BadAnswer("a chunk without a size")
    return int(line, 16)


class Gunzip:
    """Unpacks a body as it comes, so that no long answer holds up the loop at its end."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP)
        self.whole = True  # whether it may end here: before the first byte, and after the end of a packed part

    def unpack(self, data: bytes) -> bytes:
        """Return what these bytes hold."""
        found = []
        while data:
            if self._stream.eof:
                self._stream = zlib.decompressobj(_GZIP)
            try:
                found.append(self._stream.decompress(data))
            except zlib.error as error:
                raise BadAnswer(f"the answer cannot be unpacked: {error}") from error
            data, self.whole = self._stream.unused_data, self._stream.eof
        return b"".join(found)
