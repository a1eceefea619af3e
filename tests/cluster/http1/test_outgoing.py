from __future__ import annotations

from datetime import UTC, datetime

import pytest

from konverge.cluster.http1 import outgoing
from konverge.cluster.http1.incoming import BadRequest


def lines(head: bytes) -> list[str]:
    """Return the lines of a head, which must end as one."""
    assert head.endswith(b"\r\n\r\n")
    return head.decode().split("\r\n")[:-2]


def test_a_head_has_its_lines() -> None:
    """The status, who answers and when, the headers in order, and whether it is the last answer."""
    status, server, date, *rest = lines(outgoing.head(201, [("A", "1"), ("A", "2")], is_last=True))
    assert (status, server.partition("/")[0]) == ("HTTP/1.1 201 Created", "Server: konverge")
    assert date.startswith("Date: ")
    assert rest == ["A: 1", "A: 2", "Connection: close"]
    assert lines(outgoing.head(299, [], is_last=False))[0] == "HTTP/1.1 299 Unknown"
    assert "Connection: close" not in lines(outgoing.head(200, [], is_last=False))


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: x", "a\nb", "a\rb"])
def test_a_value_cannot_begin_a_line(value: str) -> None:
    """Whatever an object holds, it adds no header."""
    found = lines(outgoing.head(200, [("Warning", value)], is_last=False))
    assert len(found) == 4
    assert found[3].startswith("Warning: a ")


def test_a_date_is_written_as_http_does() -> None:
    """In English and in UTC, wherever it runs."""
    assert outgoing._date(datetime(2026, 3, 1, 4, 5, 6, tzinfo=UTC)) == "Sun, 01 Mar 2026 04:05:06 GMT"
    assert outgoing._date(datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)) == "Thu, 31 Dec 2026 23:59:59 GMT"


def test_a_refusal_says_its_status_twice() -> None:
    """In plain text, as Go does."""
    answer = outgoing.refusal(BadRequest(431, "Request Header Fields Too Large"))
    assert answer.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")
    assert answer.endswith(b"Connection: close\r\n\r\n431 Request Header Fields Too Large")


def test_a_chunk_has_its_size() -> None:
    """In hexadecimal digits."""
    assert outgoing.chunk(b"x" * 26) == b"1a\r\n" + b"x" * 26 + b"\r\n"
