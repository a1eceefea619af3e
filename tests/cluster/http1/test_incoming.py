from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.http1.incoming import LARGEST_BODY, BadRequest, Incoming

GET = b"GET /api?x=1 HTTP/1.1\r\nHost: h\r\n\r\n"
POST = b"POST /api HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nx-a:\t2 \r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: 1\r\n\r\n"


def fed(*pieces: bytes) -> Incoming:
    """Return a request that was fed with these."""
    incoming = Incoming()
    for piece in pieces:
        incoming.feed(piece)
    return incoming


def head(*lines: str, first: str = "POST /api HTTP/1.1") -> bytes:
    """Return a head of these lines."""
    return "\r\n".join([first, "Host: h", *lines, "", ""]).encode()


@given(cuts=st.lists(st.integers(0, len(CHUNKED)), max_size=8), message=st.sampled_from([GET, POST, CHUNKED]))
def test_however_it_is_cut_it_reads_the_same(cuts: list[int], message: bytes) -> None:
    """The network decides where a piece ends."""
    edges = [0, *sorted(cuts), len(message)]
    incoming = fed(*(message[start:end] for start, end in pairwise(edges)))
    whole = fed(message)
    assert (incoming.method, incoming.target, incoming.headers) == (whole.method, whole.target, whole.headers)
    assert (incoming.body, incoming.complete, incoming.rest) == (whole.body, True, b"")


def test_a_request_has_its_parts() -> None:
    """Names in lower case, values without the space around them, and what stands twice as one."""
    incoming = fed(POST)
    assert (incoming.method, incoming.target, incoming.body) == ("POST", "/api", b"hello")
    assert incoming.headers == {"host": "h", "x-a": "1, 2", "content-length": "5"}
    assert (incoming.is_persistent, incoming.is_chunkable, incoming.is_whole) == (True, True, True)
    assert fed(CHUNKED).body == b"abcde"
    assert fed(GET).target == "/api?x=1"


def test_what_follows_is_kept_for_the_next() -> None:
    """A client may send its next request before it has the answer."""
    assert fed(POST + GET).rest == GET
    assert fed(b"\r\n\r\n" + GET).complete
    assert not fed(b"\r\n").has_begun


@pytest.mark.parametrize(
    ("message", "is_persistent", "is_chunkable"),
    [
        (head(), True, True),
        (head("Connection: close"), False, True),
        (head("Connection: x, Close"), False, True),
        (head("Content-Length: 5", "Transfer-Encoding: chunked"), False, True),
        (b"GET / HTTP/1.0\r\n\r\n", False, False),
    ],
)
def test_it_says_what_may_follow(message: bytes, is_persistent: bool, is_chunkable: bool) -> None:
    """Not on the word of the client alone: where its end can be seen in two ways, nothing follows."""
    incoming = fed(message)
    assert (incoming.is_persistent, incoming.is_chunkable) == (is_persistent, is_chunkable)


@pytest.mark.parametrize(
    ("message", "status"),
    [
        (b"\x16\x03\x01 x\r\n\r\n", 400),
        (b"GET /\r\n\r\n", 400),
        (b"GET / x HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        (b"GET  HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        (b"GET api HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        (b"G\x01T / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\n", 505),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (head("X"), 400),
        (head("X : 1"), 400),
        (head(" folded: 1"), 400),
        (head("X: a\nY: b"), 400),
        (head("X: a\rb"), 400),
        (head("X: a\0b"), 400),
        (head("Content-Length: -1"), 400),
        (head("Content-Length: +1"), 400),
        (head("Content-Length: 1_0"), 400),
        (head("Content-Length: 1", "Content-Length: 2"), 400),
        (head("Transfer-Encoding: gzip, chunked"), 501),
        (head("Transfer-Encoding: chunked") + b"x\r\n", 400),
        (head("Transfer-Encoding: chunked") + b"1\r\nab\r\n\r\n", 400),
        (head("Expect: 200-ok"), 417),
        (b"GET /" + b"x" * (1 << 20), 431),
    ],
)
def test_what_is_no_request_is_refused(message: bytes, status: int) -> None:
    """Whatever two readers could take for two different requests is one to none."""
    with pytest.raises(BadRequest) as caught:
        fed(message)
    assert caught.value.status == status


@pytest.mark.parametrize(("target", "expected"), [("https://h:1/a?b", "/a?b"), ("http://h", "/"), ("/a", "/a")])
def test_a_whole_address_is_taken_for_its_path(target: str, expected: str) -> None:
    """As proxies are sent it."""
    assert fed(f"GET {target} HTTP/1.1\r\nHost: h\r\n\r\n".encode()).target == expected


@pytest.mark.parametrize("framing", ["Content-Length: 9000000", "Transfer-Encoding: chunked"])
def test_of_a_body_that_is_too_large_only_so_much_is_read(framing: str) -> None:
    """It is complete as soon as that can be seen, and nothing may follow it."""
    data = b"x" * (LARGEST_BODY + 7)
    incoming = fed(head(framing))
    incoming.feed(data if "Length" in framing else b"%x\r\n" % (len(data) + 1) + data)
    assert (incoming.complete, incoming.is_whole, incoming.is_persistent) == (True, False, False)
    assert len(incoming.body) == LARGEST_BODY + 1


def test_it_knows_who_waits_to_be_told_to_send() -> None:
    """Only as long as nothing of the body is there."""
    assert fed(head("Expect: 100-Continue", "Content-Length: 3")).waits_for_go
    assert not fed(head("Expect: 100-continue", "Content-Length: 3") + b"a").waits_for_go
    assert not fed(head("Expect: 100-continue")).waits_for_go
