from __future__ import annotations

import gzip
import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from konverge.client.http1.body import BadAnswer
from konverge.client.http1.wire import Answer, request_head
from konverge.errors import RequestError

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def read(*parts: bytes, tunnel: bool = False, close: bool = False) -> tuple[Answer, bytes]:
    """Feed an answer in parts and return it with its body, taken now and then on the way."""
    answer, body = Answer(tunnel=tunnel), b""
    for number, part in enumerate(parts):
        answer.feed(part)
        body += answer.take() if number % 2 else b""
    if close:
        answer.end()
    return answer, body + answer.take()


def outcome(*parts: bytes) -> tuple[object, ...]:
    """What comes of an answer after which the connection closes: everything that can be seen of it, or that it is none.

    Of several things that are wrong, which one is found first may depend on the cuts.
    """
    try:
        answer, body = read(*parts, close=True)
    except BadAnswer:
        return ("refused",)
    return answer.status, answer.complete, answer.reusable, answer.overrun, answer.headers("x"), body


# --- answers ---

BODIES = st.one_of(st.binary(max_size=60), st.binary(max_size=20).map(lambda part: part + b"\r\n0\r\n\r\n" + part))


@st.composite
def chunked(draw: st.DrawFn, body: bytes) -> bytes:
    """A body in chunks of any sizes, with extensions, zeros before sizes and trailers here and there."""
    parts = []
    while body:
        size = draw(st.integers(1, len(body)))
        extension = draw(st.sampled_from([b"", b";a", b' ; a="b;c"']))
        zeros = b"0" * draw(st.integers(0, 3))
        parts.append(zeros + b"%x" % size + extension + b"\r\n" + body[:size] + b"\r\n")
        body = body[size:]
    trailers = draw(st.sampled_from([b"", b"A: b\r\n", b"A: b\r\nC: d\r\n"]))
    return b"".join(parts) + b"0\r\n" + trailers + b"\r\n"


@st.composite
def answers(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """An answer with the body it carries."""
    body = draw(BODIES)
    packed = draw(st.booleans())
    sent = gzip.compress(body) if packed else body
    interim = draw(st.sampled_from([b"", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early\r\nX: no\r\n\r\n" * 2]))
    head = interim + OK + b"X: 1\r\nx:\t2 \r\n" + (b"Content-Encoding: gzip\r\n" if packed else b"")
    form = draw(st.sampled_from(["length", "chunks", "close"]))
    if form == "length":
        return head + b"Content-Length: %d\r\n\r\n" % len(sent) + sent, body
    if form == "chunks":
        return head + b"Transfer-Encoding: Chunked\r\n\r\n" + draw(chunked(sent)), body
    return head + b"\r\n" + sent, body


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """Cut data at these places, taken round its length."""
    marks = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in itertools.pairwise(marks)]


PLACES = st.lists(st.integers(0, 400), max_size=8)


@given(answers(), PLACES)
def test_an_answer_cut_anywhere(made: tuple[bytes, bytes], places: list[int]) -> None:
    """Whatever the form of an answer and however the network cuts it, the same comes out."""
    data, body = made
    assert outcome(*cut(data, places))[-2:] == (["1", "2"], body)
    assert outcome(*cut(data, places)) == outcome(data) == outcome(*cut(data, list(range(len(data)))))


@given(answers(), PLACES, st.integers(0, 400), st.binary(max_size=5))
@example((CHUNKED + b"5\r\nhello\r\n0\r\n\r\n", b"hello"), [], 52, b"-")
def test_a_broken_answer_cut_anywhere(made: tuple[bytes, bytes], places: list[int], at: int, noise: bytes) -> None:
    """An answer with noise in it, or its end missing, is refused or read, and never depends on how it was cut."""
    data = made[0]
    at %= len(data)
    for broken in (data[:at] + noise + data[at + len(noise) :], data[:at]):
        assert outcome(*cut(broken, places)) == outcome(broken)


def test_many_small_chunks() -> None:
    """A buffer full of events is one body; the last of them may be incomplete."""
    events = [b'{"n":%d}\n' % number for number in range(20_000)]
    data = CHUNKED + b"".join(b"%x\r\n%s\r\n" % (len(event), event) for event in events)
    answer, body = read(data[:200_001], data[200_001:-7])
    assert body == b"".join(events)[:-5]
    assert not answer.complete


def test_reuse() -> None:
    """A connection is used again only when the end of its answer is beyond doubt and the server keeps it open."""
    length = b"Content-Length: 1\r\n\r\n"
    chunk = b"1\r\na\r\n0\r\n\r\n"
    kept = [OK + length + b"a", CHUNKED + chunk, b"HTTP/1.1 204 No\r\n\r\n", OK + b"Connection: x\r\n" + length + b"a"]
    closed = [
        OK + length + b"ab",
        CHUNKED + chunk + b"x",
        OK + b"\r\na",
        OK + b"Connection: x, CLOSE\r\n" + length + b"a",
        OK + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk,
        b"HTTP/1.0 200 OK\r\n" + length + b"a",
    ]
    assert [read(data, close=True)[0].reusable for data in kept + closed] == [True] * 4 + [False] * 6


def test_a_tunnel() -> None:
    """A yes to CONNECT has no body, whatever it says; a no has one."""
    for line in (OK, b"HTTP/1.0 200 Connection established\r\n"):
        answer, body = read(line + b"Content-Length: 7\r\n\r\n", tunnel=True)
        assert (answer.complete, answer.overrun, body) == (True, False, b"")
    answer, body = read(b"HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno", tunnel=True)
    assert (answer.status, answer.complete, body) == (407, True, b"no")


def test_headers() -> None:
    """Headers are found by their name in lower case, and bytes that are no text do no harm."""
    answer, _ = read(OK + b"Warning: a\r\nWARNING: \xff\r\nRetry-After:3\r\nContent-Length: 0\r\n\r\n")
    assert (answer.headers("warning"), answer.header("retry-after")) == (["a", "\ufffd"], "3")
    assert (answer.headers("none"), answer.header("none")) == ([], None)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "before an answer"),
        (b"HTTP/1.1 200", "before an answer"),
        (OK + b"Content-Length: 5\r\n\r\nhell", "inside"),
        (CHUNKED + b"5\r\nhello\r\n", "inside"),
        (CHUNKED + b"5\r\nhello\r\n0\r\n", "inside"),
        (b"hello\r\n\r\n", "not HTTP"),
        (b"HTTP/2 200\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 20\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 2000 X\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 \xc2\xb2\xc2\xb2\xc2\xb2 X\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 099 X\r\n\r\n", "no status"),
        (b"HTTP/1.1 101 Switching\r\n\r\n", "protocol"),
        (OK + b"X: " + b"a" * 70_000, "too long"),
        (OK + b"X: " + b"a" * 70_000 + b"\r\n\r\n", "too long"),
        (OK + b"X: a\nY: b\r\n\r\n", "does not end"),
        (OK + b"X: a\rY: b\r\n\r\n", "does not end"),
        (OK + b"X\r\n\r\n", "no header"),
        (OK + b": a\r\n\r\n", "no header"),
        (OK + b"Content-Length : 5\r\n\r\n", "no header"),
        (OK + b"X: a\r\n b: c\r\n\r\n", "no header"),
        (OK + b"Content-Length: -1\r\n\r\n", "no number"),
        (OK + b"Content-Length: +1\r\n\r\n", "no number"),
        (OK + b"Content-Length: 1_0\r\n\r\n", "no number"),
        (OK + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", "no number"),
        (OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "no number"),
        (OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n", "not asked for"),
        (OK + b"Content-Encoding: br\r\n\r\n", "not asked for"),
        (OK + b"Content-Encoding: gzip\r\n\r\nplain", "cannot be unpacked"),
        (OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"a", mtime=0)[:-1], "not whole"),
        (CHUNKED + b"\r\n", "without a size"),
        (CHUNKED + b"-5\r\n", "without a size"),
        (CHUNKED + b"0x5\r\n", "without a size"),
        (CHUNKED + b"1_0\r\n", "without a size"),
        (CHUNKED + b" 5\r\n", "without a size"),
        (CHUNKED + b";a\r\n", "without a size"),
        (CHUNKED + b"f" * 16 + b"\r\n", "without a size"),
        (CHUNKED + b"5;" + b"a" * 5000, "without end"),
        (CHUNKED + b"5;" + b"a" * 5000 + b"\r\n", "without end"),
        (CHUNKED + b"2\r\nhello\r\n", "longer than it said"),
        (CHUNKED + b"0\r\n" + b"A: b\r\n" * 20_000, "too much follows"),
        (CHUNKED + b"0\r\n" + b"A: b\r\n" * 20_000 + b"\r\n", "too much follows"),
    ],
)
def test_hostile_answers(data: bytes, problem: str) -> None:
    """What breaks the rules is refused with what is wrong about it, whole or byte by byte."""
    with pytest.raises(BadAnswer, match=problem):
        read(data, close=True)
    with pytest.raises(BadAnswer, match=problem):
        read(*(data[at : at + 997] for at in range(0, len(data), 997)), close=True)


def test_gzip_in_parts() -> None:
    """Several packed parts in a row are one body, and nothing at all is an empty one."""
    head = OK + b"Content-Encoding: gzip\r\nContent-Length: "
    data = gzip.compress(b"hel") + gzip.compress(b"lo")
    assert read(head + b"%d\r\n\r\n" % len(data), data)[1] == b"hello"
    assert read(head + b"0\r\n\r\n")[0].complete


# --- requests ---


def test_a_request() -> None:
    """A request is its line, its headers in UTF-8 and an empty line."""
    head = request_head("GET", "/a?b=c", [("Host", "x"), ("Impersonate-User", "jörg")])
    assert head == "GET /a?b=c HTTP/1.1\r\nHost: x\r\nImpersonate-User: jörg\r\n\r\n".encode()


@pytest.mark.parametrize("text", ["a\r\nX: y", "a\nb", "a\rb", "a\0b", "\r\n", "\ud800"])
def test_header_injection(text: str) -> None:
    """A value or name that would end its line is refused by its name; a value, which may be secret, is not shown."""
    with pytest.raises(RequestError, match="'Authorization'") as caught:
        request_head("GET", "/", [("Host", "x"), ("Authorization", f"hush{text}")])
    assert "hush" not in f"{caught.value!r}{caught.value.__cause__!r}"
    with pytest.raises(RequestError, match="header"):
        request_head("GET", "/", [(f"X{text}", "y")])
    with pytest.raises(RequestError, match="path"):
        request_head("GET", f"/{text}", [])


def test_a_path_with_a_space() -> None:
    """A space would end the path, and the rest be taken for the version."""
    with pytest.raises(RequestError, match="quote"):
        request_head("GET", "/a b", [])
