"""From the bytes of a watch to its events: the first station of the way of the data.

A watch sends one JSON object per line. Chunks come as the network cuts them, inside a line or inside a character; the
decoder gives each event once its line is complete. It never joins or searches the same bytes twice, so a line of any
length costs time in proportion to it. Nothing of the event's object is decoded here, and it is copied out of its
chunk, so that a stored object does not keep a page of others alive. ERROR events are events here; the client turns
them into errors. An object that is nested too deeply to be read is an event as well: it fails where it is read, alone.
"""

from __future__ import annotations

import re

import msgspec

from konverge.errors import DecodeError

_SHOWN = 120  # bytes of a bad line that an error quotes, if it is no JSON: enough to tell a proxy's HTML


class RawEvent(msgspec.Struct, frozen=True, gc=False):
    """What happened (ADDED, MODIFIED, DELETED, BOOKMARK, ERROR) and the object's JSON."""

    type: str
    object: bytes


class _Line(msgspec.Struct, gc=False):
    type: str
    object: msgspec.Raw


# A line as every server writes it, for one that cannot be parsed.
_DEEP = re.compile(rb'\{"type":"([A-Z]+)","object":(\{.*\})\}\s*', re.DOTALL)
_decode_lines = msgspec.json.Decoder(_Line).decode_lines


class WatchDecoder:
    """Turns chunks of one watch into events; `max_line` bounds what an unfinished line may hold in memory.

    After an error the stream is out of step: throw the decoder and the watch away.
    """

    __slots__ = ("_max_line", "_parts", "_size")

    def __init__(self, *, max_line: int | None = None) -> None:
        self._max_line = max_line
        self._parts: list[bytes] = []  # the unfinished line; none of them has a newline
        self._size = 0  # of the parts together

    @property
    def pending(self) -> int:
        """How many bytes of an unfinished line wait for the rest."""
        return self._size

    def feed(self, chunk: bytes) -> list[RawEvent]:
        """Take the next bytes and return the events they complete."""
        end = chunk.rfind(b"\n") + 1
        if not end:
            self._keep(chunk)
            return []
        lines = chunk if end == len(chunk) else chunk[:end]
        if self._parts:
            lines = b"".join((*self._parts, lines))
            self._parts.clear()
            self._size = 0
        if self._max_line is not None:
            self._check_lines(lines)
        if end != len(chunk):
            self._keep(chunk[end:])
        return _events(lines)

    def close(self) -> int:
        """End the stream and return how many bytes of an unfinished line were dropped: 0 if it ended cleanly."""
        dropped = self._size
        self._parts.clear()
        self._size = 0
        return dropped

    def _keep(self, part: bytes) -> None:
        if not part:
            return
        self._parts.append(part)
        self._size += len(part)
        self._check(self._size)

    def _check_lines(self, lines: bytes) -> None:
        start = 0
        while (end := lines.find(b"\n", start)) >= 0:
            self._check(end - start)
            start = end + 1

    def _check(self, size: int) -> None:
        if self._max_line is not None and size > self._max_line:
            raise DecodeError(f"the watch sent a line of more than {self._max_line} bytes: raise max_line to read it")


def _events(lines: bytes) -> list[RawEvent]:
    try:
        decoded = _decode_lines(lines)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _complaint(lines) from error
    except RecursionError:
        return [event for line in lines.split(b"\n") for event in _events_of_line(line)]
    return [RawEvent(line.type, bytes(line.object)) for line in decoded]


def _events_of_line(line: bytes) -> list[RawEvent]:
    """The event of one line of a chunk that has a line nested too deeply to be parsed: that one is cut by its text."""
    try:
        return [RawEvent(found.type, bytes(found.object)) for found in _decode_lines(line)]
    except RecursionError:
        match = _DEEP.fullmatch(line)
        if match is None:
            raise DecodeError(f"the watch sent a line that is nested too deeply: {_quoted(line)}") from None
        return [RawEvent(match[1].decode(), match[2])]
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _complaint(line) from error


def _complaint(lines: bytes) -> DecodeError:
    """Find the first line that is no event, for the message."""
    for line in lines.split(b"\n"):
        try:
            _decode_lines(line)
        except RecursionError:
            continue
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            return DecodeError(f"the watch sent something that is no event ({error}): {_quoted(line)}")
    return DecodeError(f"the watch sent something that is no event: {_quoted(lines)}")


def _quoted(line: bytes) -> str:
    """Show the beginning of a line, unless it may be that of an object: a Secret's must not get into a log."""
    return f"a JSON object, or a part of one, of {len(line)} bytes" if b"{" in line[:_SHOWN] else repr(line[:_SHOWN])
