"""SPDY/3.1 frames, as far as Kubernetes uses them: bytes cut anywhere in, frames out, and the other way. No I/O.

Headers are compressed by one zlib stream for the whole connection, primed with the protocol's dictionary; so a block
that cannot be read makes all that follow it unreadable, and ends the connection.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

LARGEST_DATA: Final = (1 << 24) - 1
_LARGEST_HEADERS: Final = 1 << 20  # of one block, decompressed
_MOST_HEADERS: Final = 1000
_VERSION: Final = 3
_CONTROL: Final = 0x80000000
_ID: Final = 0x7FFFFFFF
_HEAD: Final = 8
FIN: Final = 0x01

_WORDS: Final = (  # noqa: SIM905 - a list of words is read more easily so
    "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow "
    "authorization cache-control connection content-base content-encoding content-language content-length "
    "content-location content-md5 content-range content-type date etag expect expires from host if-match "
    "if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma "
    "proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade "
    "user-agent vary via warning www-authenticate method get status"
).split()
_WORDS_TOO: Final = ("200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin")
_REST: Final = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden"
    "404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable"
    "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT"
    "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,"
    "publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0."
)
DICTIONARY: Final = b"".join(len(word).to_bytes(4) + word.encode() for word in (*_WORDS, *_WORDS_TOO)) + _REST.encode()
"""The SPDY/3 specification's, section 2.6.10.1."""


class BadSpdy(Exception):
    """What came is no SPDY that can be gone on with."""


class _Type(IntEnum):
    SYN_STREAM = 1
    SYN_REPLY = 2
    RST_STREAM = 3
    PING = 6
    GOAWAY = 7


class Reset(IntEnum):
    """Why a stream is reset."""

    PROTOCOL_ERROR = 1
    INVALID_STREAM = 2
    REFUSED_STREAM = 3
    CANCEL = 5
    INTERNAL_ERROR = 6


@dataclass(frozen=True, slots=True)
class SynStream:
    """A stream begins."""

    stream: int
    headers: Mapping[str, str] = field(default_factory=dict)  # names in lower case
    is_last: bool = False  # nothing follows from this side


@dataclass(frozen=True, slots=True)
class SynReply:
    """A stream is accepted."""

    stream: int
    headers: Mapping[str, str] = field(default_factory=dict)
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class RstStream:
    """A stream ends at once, both ways."""

    stream: int
    status: int


@dataclass(frozen=True, slots=True)
class Ping:
    """Is anybody there; sent back as it is."""

    id: int


@dataclass(frozen=True, slots=True)
class GoAway:
    """The connection takes no more streams."""

    last_stream: int
    status: int = 0


@dataclass(frozen=True, slots=True)
class Data:
    """Bytes of a stream."""

    stream: int
    payload: bytes
    is_last: bool = False


Frame = SynStream | SynReply | RstStream | Ping | GoAway | Data


class SpdyReader:
    """What the other side sends, as frames."""

    def __init__(self) -> None:
        self._buffer = b""
        self._inflate = zlib.decompressobj(zdict=DICTIONARY)

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes; return the frames that they complete. Raises `BadSpdy`."""
        self._buffer += data
        found: list[Frame] = []
        start = 0
        while len(self._buffer) >= start + _HEAD:
            word, sized = struct.unpack_from(">II", self._buffer, start)
            end = start + _HEAD + (sized & 0xFFFFFF)
            if len(self._buffer) < end:
                break
            frame = self._frame(word, sized >> 24, self._buffer[start + _HEAD : end])
            start = end
            if frame is not None:
                found.append(frame)
        self._buffer = self._buffer[start:]
        return found

    def _frame(self, word: int, flags: int, payload: bytes) -> Frame | None:
        """Return a frame; None of a kind that nothing depends on here, such as settings and windows."""
        is_last = bool(flags & FIN)
        if not word & _CONTROL:
            return Data(_stream_id(word), payload, is_last)
        if word >> 16 & 0x7FFF != _VERSION:
            raise BadSpdy("a frame of another version of SPDY")
        try:
            return self._control(word & 0xFFFF, payload, is_last=is_last)
        except struct.error:
            raise BadSpdy("a control frame is too short") from None

    def _control(self, kind: int, payload: bytes, *, is_last: bool) -> Frame | None:
        if kind == _Type.SYN_STREAM:
            stream, _ = struct.unpack_from(">II", payload)
            return SynStream(_stream_id(stream), self._headers(payload[10:]), is_last)
        if kind == _Type.SYN_REPLY:
            return SynReply(_stream_id(*struct.unpack_from(">I", payload)), self._headers(payload[4:]), is_last)
        if kind == _Type.RST_STREAM:
            stream, status = struct.unpack_from(">II", payload)
            return RstStream(_stream_id(stream), status)
        if kind == _Type.PING:
            return Ping(*struct.unpack_from(">I", payload))
        if kind == _Type.GOAWAY:
            return GoAway(*struct.unpack_from(">II", payload))
        return None

    def _headers(self, block: bytes) -> dict[str, str]:
        try:
            text = self._inflate.decompress(block, _LARGEST_HEADERS)
        except zlib.error:
            raise BadSpdy("headers that cannot be decompressed") from None
        if self._inflate.unconsumed_tail:
            raise BadSpdy("headers that are too long")
        return _read_headers(text)


def _stream_id(word: int) -> int:
    stream = word & _ID
    if not stream:
        raise BadSpdy("a frame of no stream")
    return stream


def _read_headers(block: bytes) -> dict[str, str]:
    (count,) = struct.unpack_from(">I", block)
    if count > _MOST_HEADERS:
        raise BadSpdy("too many headers")
    texts: list[str] = []
    at = 4
    for _ in range(2 * count):
        (size,) = struct.unpack_from(">I", block, at)
        if at + 4 + size > len(block):
            raise BadSpdy("a header that is cut")
        texts.append(block[at + 4 : at + 4 + size].decode(errors="replace"))
        at += 4 + size
    return {name.lower(): value for name, value in zip(texts[::2], texts[1::2], strict=True)}


class SpdyWriter:
    """Frames as bytes; of one connection, in the order in which they are sent."""

    def __init__(self) -> None:
        self._deflate = zlib.compressobj(zdict=DICTIONARY)

    def write(self, frame: Frame) -> bytes:
        """Return a frame's bytes."""
        if isinstance(frame, Data):
            return struct.pack(">II", frame.stream, _sized(frame.payload, is_last=frame.is_last)) + frame.payload
        if isinstance(frame, SynStream):
            body = struct.pack(">IIH", frame.stream, 0, 0) + self._headers(frame.headers)
            return _control(_Type.SYN_STREAM, body, is_last=frame.is_last)
        if isinstance(frame, SynReply):
            body = struct.pack(">I", frame.stream) + self._headers(frame.headers)
            return _control(_Type.SYN_REPLY, body, is_last=frame.is_last)
        return _control(*_plain(frame))

    def _headers(self, headers: Mapping[str, str]) -> bytes:
        parts = [len(headers).to_bytes(4)]
        for name, value in headers.items():
            for text in (name.lower().encode(), value.encode()):
                parts += [len(text).to_bytes(4), text]
        return self._deflate.compress(b"".join(parts)) + self._deflate.flush(zlib.Z_SYNC_FLUSH)


def _plain(frame: RstStream | Ping | GoAway) -> tuple[_Type, bytes]:
    """Return the type and the body of a frame without headers."""
    if isinstance(frame, RstStream):
        return _Type.RST_STREAM, struct.pack(">II", frame.stream, frame.status)
    if isinstance(frame, Ping):
        return _Type.PING, struct.pack(">I", frame.id)
    return _Type.GOAWAY, struct.pack(">II", frame.last_stream, frame.status)


def _control(kind: _Type, body: bytes, *, is_last: bool = False) -> bytes:
    word = _CONTROL | _VERSION << 16 | kind
    return struct.pack(">II", word, _sized(body, is_last=is_last)) + body


def _sized(body: bytes, *, is_last: bool) -> int:
    return (FIN if is_last else 0) << 24 | len(body)
