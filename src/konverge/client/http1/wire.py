"""HTTP/1.1 as bytes, without I/O: `request_head` writes a request, `Answer` reads what comes back, cut anywhere.

An answer is read strictly: where two readers could differ about its end, it is a `BadAnswer`, so that no connection
goes on to the next request with bytes of the last. A request never carries more lines than it should.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from konverge.client.http1.body import BadAnswer, Body, Chunked, Counted, Gunzip, UntilClose
from konverge.errors import RequestError

_HEAD_LIMIT: Final = 1 << 16  # bytes; the API server's heads have under a thousand
_STATUS_DIGITS: Final = 3
_LENGTH_DIGITS: Final = 18
_INTERIM = range(100, 200)
_SWITCHED: Final = 101  # the interim answer that is none: another protocol follows
_WITHOUT_BODY = (204, 304)
_TUNNEL = range(200, 300)

Headers = Iterable[tuple[str, str]]


def request_head(method: str, target: str, headers: Headers) -> bytes:
    """Return a request up to its body; refuse one whose parts would end a line, naming no value: it may be secret."""
    lines = [f"{method} {target} HTTP/1.1", *[f"{name}: {value}" for name, value in headers], "", ""]
    text = "\r\n".join(lines)
    breaks = len(lines) - 1
    if text.count("\r") != breaks or text.count("\n") != breaks or "\0" in text or " " in target:
        raise _refusal(target, headers)
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise _refusal(target, headers) from None


def _refusal(target: str, headers: Headers) -> RequestError:
    if " " in target or not _sendable(target):
        return RequestError(f"the path {target!r} cannot be sent: quote what is in it (urllib.parse.quote)")
    names = [name for name, value in headers if not _sendable(name + value)]
    return RequestError(
        f"the header {', '.join(map(repr, names))} cannot be sent: a line break or half a character is in it"
    )


def _sendable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return {"\r", "\n", "\0"}.isdisjoint(text)


class Answer:
    """One answer as it comes: `status` is 0 until its head is there, `take` gives what has come of the body."""

    __slots__ = (
        "_body", "_gunzip", "_headers", "_pieces", "_rest", "_tunnel", "complete", "overrun", "reusable", "status"
    )  # fmt: skip

    def __init__(self, *, tunnel: bool = False) -> None:
        self.status = 0
        self.complete = False
        self.reusable = False  # whether the connection can carry another request once this is complete
        self.overrun = False  # whether more came than belongs to it
        self._tunnel = tunnel  # an answer to CONNECT: if it is a yes, no body follows, whatever its head says
        self._headers: dict[str, list[str]] = {}  # by names in lower case
        self._body: Body = UntilClose()
        self._gunzip: Gunzip | None = None
        self._pieces: list[bytes] = []
        self._rest = b""  # the beginning of a head

    def header(self, name: str) -> str | None:
        """Return a header by its name in lower case; the first, if there are several."""
        found = self._headers.get(name)
        return found[0] if found else None

    def headers(self, name: str) -> list[str]:
        """Return all headers of this name, in lower case."""
        return self._headers.get(name, [])

    @property
    def header_names(self) -> list[str]:
        """The names of all headers, in lower case."""
        return list(self._headers)

    def take(self) -> bytes:
        """Return what has come of the body since the last time."""
        pieces, self._pieces = self._pieces, []
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def feed(self, data: bytes) -> None:
        """Take the next bytes; the connection is not for reuse if they go on after the end."""
        if not self.status:
            self._rest += data
            while (end := self._head_end()) >= 0:
                head, self._rest = self._rest[:end], self._rest[end + 4 :]
                if self._read_head(head):
                    break
            else:
                return
            data, self._rest = self._rest, b""
        if self._feed_body(data):
            self.overrun, self.reusable = True, False

    def end(self) -> None:
        """Take note that nothing follows."""
        if self.complete:
            return
        if not self.status:
            raise BadAnswer("the connection was closed before an answer")
        if not isinstance(self._body, UntilClose):
            raise BadAnswer("the connection was closed inside an answer")
        self._complete()

    def _feed_body(self, data: bytes) -> bytes:
        """Return what is no part of the body."""
        if self.complete:
            return data
        fresh: list[bytes] = []
        more = self._body.feed(data, fresh)
        if self._gunzip is not None:
            fresh = [self._gunzip.unpack(b"".join(fresh))]
        self._pieces += fresh
        if self._body.complete:
            self._complete()
        return more

    def _complete(self) -> None:
        if self._gunzip is not None and not self._gunzip.whole:
            raise BadAnswer("the packed answer is not whole")
        self.complete = True

    def _head_end(self) -> int:
        end = self._rest.find(b"\r\n\r\n")
        if (end if end >= 0 else len(self._rest) - 3) > _HEAD_LIMIT:
            raise BadAnswer("the head of the answer is too long")
        return end

    def _read_head(self, head: bytes) -> bool:
        """Read a head, and say whether it is the answer's: after an interim one the next follows."""
        text = head.decode(errors="replace")
        first, *lines = text.split("\r\n")
        if text.count("\r") != len(lines) or text.count("\n") != len(lines):
            raise BadAnswer("a line of the answer's head does not end as it should")
        version, status = _status_line(first)
        if status in _INTERIM and status != _SWITCHED:
            return False
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon or not name or " " in name or "\t" in name:
                raise BadAnswer("a line of the answer's head is no header")
            self._headers.setdefault(name.lower(), []).append(value.strip(" \t"))
        self.status = status
        self._choose_body()
        self.reusable = version != "HTTP/1.0" and self._may_be_reused()
        return True

    def _choose_body(self) -> None:
        if self.status == _SWITCHED:
            raise BadAnswer("the server changed to a protocol that nobody asked for")
        if self.status in _WITHOUT_BODY or (self._tunnel and self.status in _TUNNEL):
            self._body = Counted(0)
        elif codings := self._headers.get("transfer-encoding"):
            if [coding.lower() for coding in codings] != ["chunked"]:
                raise BadAnswer("the answer is transferred in a way that was not asked for")
            self._body = Chunked()
        elif lengths := self._headers.get("content-length"):
            self._body = Counted(_length(lengths))
        self.complete = self._body.complete
        if not self.complete:
            self._gunzip = self._choose_gunzip()

    def _choose_gunzip(self) -> Gunzip | None:
        coding = ", ".join(self._headers.get("content-encoding", ())).lower()
        if coding in ("", "identity"):
            return None
        if coding not in ("gzip", "x-gzip"):
            raise BadAnswer("the answer is packed in a way that was not asked for")
        return Gunzip()

    def _may_be_reused(self) -> bool:
        """Not if the server says so, or if the end of the answer could be seen in two ways, or is the connection's."""
        if isinstance(self._body, UntilClose) or {"transfer-encoding", "content-length"} <= self._headers.keys():
            return False
        options = self._headers.get("connection")
        return options is None or "close" not in [word.strip() for word in ",".join(options).lower().split(",")]


def _status_line(line: str) -> tuple[str, int]:
    version, _, rest = line.partition(" ")
    status = rest.partition(" ")[0]
    if version not in ("HTTP/1.1", "HTTP/1.0") or len(status) != _STATUS_DIGITS or not _is_number(status):
        raise BadAnswer("what came is not HTTP/1.1")
    if status < "100":
        raise BadAnswer(f"{status} is no status")
    return version, int(status)


def _length(lengths: list[str]) -> int:
    length = lengths[0]
    if len(set(lengths)) > 1 or not _is_number(length) or len(length) > _LENGTH_DIGITS:
        raise BadAnswer("the length of the answer is no number")
    return int(length)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()
