"""A request as its bytes come, cut anywhere; read strictly, so that no two readers differ about where it ends.

What is refused here never reaches the core; the words are those of Go's HTTP server, which stands before the real one.
"""

from __future__ import annotations

import re
from typing import Final

from konverge.client.http1.body import BadAnswer, Body, Chunked, Counted

LARGEST_BODY: Final = 3 * 1024 * 1024  # beyond it the core says 413
_LARGEST_HEAD: Final = 1 << 20  # Go's http.DefaultMaxHeaderBytes
_LENGTH_DIGITS: Final = 18
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_VERSIONS: Final = ("HTTP/1.1", "HTTP/1.0")


class BadRequest(Exception):
    """What came is no request: `status` and the text of its answer; the connection is then closed."""

    def __init__(self, status: int = 400, text: str = "Bad Request") -> None:
        super().__init__(f"{status} {text}")
        self.status = status


class Incoming:
    """One request. `feed` it until it is `complete`; `rest` is what came after its end."""

    def __init__(self) -> None:
        self.method = ""  # empty until the head is there
        self.target = ""
        self.headers: dict[str, str] = {}  # names in lower case; those given twice, joined
        self.is_persistent = True  # another request may follow it
        self.is_chunkable = True  # its sender can read an answer whose length is not known
        self.is_whole = True  # False: the body went on beyond what the core takes
        self.complete = False
        self.rest = b""
        self._head = b""  # the beginning of a head
        self._body: Body | None = None
        self._pieces: list[bytes] = []
        self._size = 0  # of the body, so far

    @property
    def has_begun(self) -> bool:
        """Whether anything of it has come."""
        return bool(self.method or self._head)

    @property
    def waits_for_go(self) -> bool:
        """Whether its sender wants to be told to send the body."""
        return not self.complete and not self._size and self.headers.get("expect", "").lower() == "100-continue"

    @property
    def body(self) -> bytes:
        """The body; where it is not whole, as much as shows that it is too large."""
        joined = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        return joined if self.is_whole else joined[: LARGEST_BODY + 1]

    def feed(self, data: bytes) -> None:
        """Take the next bytes. Raises `BadRequest`."""
        if not self.method:
            data = self._feed_head(data)
        if self._body is not None:
            self._feed_body(data)

    # --- the head ---

    def _feed_head(self, data: bytes) -> bytes:
        """Return what comes after the head."""
        searched = max(0, len(self._head) - 3)
        head = self._head + data if self._head else data.lstrip(b"\r\n")  # RFC 9112: empty lines before it are skipped
        end = head.find(b"\r\n\r\n", searched)
        if (end if end >= 0 else len(head)) > _LARGEST_HEAD:
            raise BadRequest(431, "Request Header Fields Too Large")
        if end < 0:
            self._head = head
            return b""
        self._head = b""
        self._read_head(head[:end].decode(errors="replace"))
        return head[end + 4 :]

    def _read_head(self, text: str) -> None:
        first, *lines = text.split("\r\n")
        method, _, rest = first.partition(" ")
        target, _, version = rest.partition(" ")
        if not _TOKEN.fullmatch(method) or not target or _CONTROL.search(first):
            raise BadRequest
        if version not in _VERSIONS:
            if version.startswith("HTTP/"):
                raise BadRequest(505, "HTTP Version Not Supported: unsupported protocol version")
            raise BadRequest
        self._read_headers(lines)
        if version == "HTTP/1.0":
            self.is_persistent = self.is_chunkable = False
        elif "host" not in self.headers:
            raise BadRequest(400, "Bad Request: missing required Host header")
        elif self.headers.get("expect", "100-continue").lower() != "100-continue":
            raise BadRequest(417, "Expectation Failed")
        if "close" in _words(self.headers.get("connection", "")):
            self.is_persistent = False
        self._body = self._choose_body()
        self.method, self.target = method, _origin_form(target)

    def _read_headers(self, lines: list[str]) -> None:
        headers = self.headers
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon or not _TOKEN.fullmatch(name) or _CONTROL.search(value):
                raise BadRequest
            name, value = name.lower(), value.strip(" \t")
            headers[name] = f"{headers[name]}, {value}" if name in headers else value

    # --- the body ---

    def _choose_body(self) -> Body:
        length = self.headers.get("content-length")
        coding = self.headers.get("transfer-encoding")
        if coding is None:
            return Counted(0 if length is None else _length(length))
        if coding.lower() != "chunked":
            raise BadRequest(501, "Not Implemented: unsupported transfer encoding")
        if length is not None or not self.is_chunkable:
            self.is_persistent = False  # another reader may see its end elsewhere: nothing may follow it
        return Chunked()

    def _feed_body(self, data: bytes) -> None:
        if self._body is None:
            return
        fresh: list[bytes] = []
        try:
            self.rest = self._body.feed(data, fresh)
        except BadAnswer:
            raise BadRequest from None
        self._size += sum(map(len, fresh))
        self._pieces += fresh
        self.complete = self._body.complete
        if self._size > LARGEST_BODY:
            self.complete, self.is_whole, self.is_persistent, self.rest = True, False, False, b""


def _words(value: str) -> list[str]:
    return [word.strip() for word in value.lower().split(",")] if value else []


def _length(value: str) -> int:
    lengths = {each.strip() for each in value.split(",")}  # two that agree are one
    length = lengths.pop()
    if lengths or not (length.isascii() and length.isdigit()) or len(length) > _LENGTH_DIGITS:
        raise BadRequest
    return int(length)


def _origin_form(target: str) -> str:
    """Return the path and query of a target; proxies are sent whole addresses."""
    if target.startswith("/"):
        return target
    _, scheme, rest = target.partition("://")
    if not scheme:
        raise BadRequest
    _, slash, path = rest.partition("/")
    return slash + path or "/"
