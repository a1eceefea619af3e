"""Answers as bytes: a head and what is around a body."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from http import HTTPStatus
from typing import Final

from konverge import clock
from konverge.cluster.http1.incoming import BadRequest
from konverge.version import USER_AGENT

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
NOT_TLS: Final = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"  # Go's words
LAST_CHUNK: Final = b"0\r\n\r\n"
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LINES: Final = {status.value: f"HTTP/1.1 {status.value} {status.phrase}" for status in HTTPStatus}


def head(status: int, headers: Iterable[tuple[str, str]], *, is_last: bool) -> bytes:
    """Return an answer up to its body; `is_last`: the connection is closed after it."""
    lines = [_LINES.get(status) or f"HTTP/1.1 {status} Unknown", f"Server: {USER_AGENT}", f"Date: {_date(clock.now())}"]
    lines += [f"{name}: {value}" for name, value in headers]
    if is_last:
        lines.append("Connection: close")
    text = "\r\n".join(lines)
    if text.count("\r") != len(lines) - 1 or text.count("\n") != len(lines) - 1:
        text = "\r\n".join(" ".join(line.splitlines()) for line in lines)  # no value may begin a line of its own
    return f"{text}\r\n\r\n".encode()


def chunk(data: bytes) -> bytes:
    """Return a part of a body whose length is not known."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def refusal(error: BadRequest) -> bytes:
    """Return the answer to what is no request."""
    body = str(error).encode()
    headers = (("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body))))
    return head(error.status, headers, is_last=True) + body


_dates: dict[int, str] = {}  # the last one written, by its second


def _date(now: datetime) -> str:
    second = int(now.timestamp())
    found = _dates.get(second)
    if found is None:
        _dates.clear()
        day, month = _DAYS[now.weekday()], _MONTHS[now.month - 1]
        found = _dates[second] = f"{day}, {now.day:02} {month} {now.year} {now:%H:%M:%S} GMT"
    return found
