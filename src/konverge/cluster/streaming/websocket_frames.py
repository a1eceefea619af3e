"""WebSocket frames (RFC 6455), server's side: bytes cut anywhere in, whole messages out. No I/O."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

LARGEST_MESSAGE: Final = 1 << 26  # bytes; beyond it the client is not waited for
_MASKED: Final = 0x80
_FINAL: Final = 0x80
_RESERVED: Final = 0x70
_SHORT: Final = 125  # the longest payload whose length stands in the second byte
_TWO_BYTES: Final = 126
_EIGHT_BYTES: Final = 127
_MASK: Final = 4


class Opcode(IntEnum):
    """What a frame is."""

    CONTINUATION = 0
    TEXT = 1
    BINARY = 2
    CLOSE = 8
    PING = 9
    PONG = 10


class BadFrame(Exception):
    """What came is no frame, or none that a client may send; `code` says so to the client."""

    def __init__(self, why: str, code: int = 1002) -> None:
        super().__init__(why)
        self.code = code


@dataclass(frozen=True, slots=True)
class Message:
    """A whole message, or a control frame."""

    opcode: Opcode
    payload: bytes

    @property
    def is_control(self) -> bool:
        """Whether it is about the connection, and may stand between the parts of another message."""
        return self.opcode >= Opcode.CLOSE


class Frames:
    """What a client sends, as messages."""

    def __init__(self) -> None:
        self._buffer = b""
        self._parts: list[bytes] = []  # of the message under way
        self._opcode: Opcode | None = None  # of it

    def feed(self, data: bytes) -> list[Message]:
        """Take the next bytes; return the messages that they complete. Raises `BadFrame`."""
        self._buffer += data
        found: list[Message] = []
        start = 0
        while (frame := _frame_at(self._buffer, start)) is not None:
            is_final, opcode, payload, start = frame
            message = self._take(opcode, payload, is_final=is_final)
            if message is not None:
                found.append(message)
        self._buffer = self._buffer[start:]
        return found

    def _take(self, opcode: Opcode, payload: bytes, *, is_final: bool) -> Message | None:
        if opcode >= Opcode.CLOSE:
            return Message(opcode, payload)
        if (opcode is Opcode.CONTINUATION) != (self._opcode is not None):
            raise BadFrame("a message begins within another, or goes on that has not begun")
        self._opcode = self._opcode or opcode
        self._parts.append(payload)
        if sum(map(len, self._parts)) > LARGEST_MESSAGE:
            raise BadFrame("the message is too long", 1009)
        if not is_final:
            return None
        message = Message(self._opcode, b"".join(self._parts))
        self._parts, self._opcode = [], None
        return message


def _frame_at(buffer: bytes, start: int) -> tuple[bool, Opcode, bytes, int] | None:
    """Return the frame that begins here and where it ends; None while a part of it is missing."""
    if len(buffer) < start + 2:
        return None
    first, second = buffer[start], buffer[start + 1]
    opcode = _opcode(first)
    size, after = _size_at(buffer, start + 2, second & ~_MASKED)
    _check(first, second, opcode, size)
    end = after + _MASK + size
    if after > len(buffer) or end > len(buffer):
        return None
    payload = _masked(buffer[after + _MASK : end], buffer[after : after + _MASK])
    return bool(first & _FINAL), opcode, payload, end


def _opcode(first: int) -> Opcode:
    try:
        return Opcode(first & 0x0F)
    except ValueError:
        raise BadFrame("a frame of an unknown kind") from None


def _size_at(buffer: bytes, start: int, short: int) -> tuple[int, int]:
    """Return the length of a payload, 0 while it is not there yet, and where its mask begins."""
    width = {_TWO_BYTES: 2, _EIGHT_BYTES: 8}.get(short, 0)
    if not width:
        return short, start
    return int.from_bytes(buffer[start : start + width]) if len(buffer) >= start + width else 0, start + width


def _check(first: int, second: int, opcode: Opcode, size: int) -> None:
    if first & _RESERVED:
        raise BadFrame("an extension is used that was not agreed on")
    if not second & _MASKED:
        raise BadFrame("a client's frame is not masked")
    if opcode >= Opcode.CLOSE and (second & ~_MASKED > _SHORT or not first & _FINAL):
        raise BadFrame("a control frame is cut or too long")
    if size > LARGEST_MESSAGE:
        raise BadFrame("the frame is too long", 1009)


def _masked(payload: bytes, mask: bytes) -> bytes:
    """Return a payload with its mask laid on or taken off; as one large number, which Python does quickly."""
    size = len(payload)
    laid = (mask * (size // _MASK + 1))[:size]
    return (int.from_bytes(payload) ^ int.from_bytes(laid)).to_bytes(size)


def frame(opcode: Opcode, payload: bytes, *, mask: bytes = b"") -> bytes:
    """Return a whole message as one frame; `mask` (four bytes) is laid on by clients only."""
    bit = _MASKED if mask else 0
    size = len(payload)
    if size <= _SHORT:
        head = bytes((_FINAL | opcode, bit | size))
    elif size < 1 << 16:
        head = bytes((_FINAL | opcode, bit | _TWO_BYTES)) + size.to_bytes(2)
    else:
        head = bytes((_FINAL | opcode, bit | _EIGHT_BYTES)) + size.to_bytes(8)
    return head + (mask + _masked(payload, mask) if mask else payload)


def close_payload(code: int, why: str = "") -> bytes:
    """Return what a close frame says."""
    return code.to_bytes(2) + why.encode()[: _SHORT - 2]
