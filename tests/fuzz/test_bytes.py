"""Whatever bytes come, before TLS and inside it: the server answers or hangs up, and serves the next client."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from typing import Final

import pytest
from edge import Edge, failures
from hypothesis import given
from hypothesis import strategies as st

_LINES: Final = st.sampled_from(
    (
        *(b"GET / HTTP/1.1\r\n", b"POST /api/v1/namespaces HTTP/1.1\r\n", b"GET /\r\n", b"PRI * HTTP/2.0\r\n"),
        *(b"Host: a\r\n", b"Content-Length: 5\r\n", b"Content-Length: -1\r\n", b"Content-Length: 99999999999\r\n"),
        *(b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: gzip, chunked\r\n", b"Expect: 100-continue\r\n"),
        *(b"Connection: Upgrade\r\nUpgrade: websocket\r\n", b"Content-Type: application/json\r\n", b": x\r\n"),
        *(b"\r\n", b"\n\n", b"5\r\nhello\r\n", b"ffffffffffffffff\r\n", b"0\r\n\r\n", b"-1\r\n", b" folded\r\n"),
    )
)
_BYTES: Final = st.one_of(
    st.binary(max_size=300), st.lists(st.one_of(_LINES, st.binary(max_size=20)), max_size=12).map(b"".join)
)


@pytest.fixture(scope="module")
def edge() -> Iterator[Edge]:
    """A server that listens on loopback."""
    started = Edge()
    yield started
    started.close()


@given(data=_BYTES)
def test_bytes_before_tls_harm_nobody(edge: Edge, data: bytes) -> None:
    """What is no TLS ends its own connection, and no code fails over it."""
    with failures() as failed:
        edge.send(data, is_secure=False)
    assert not failed


@given(data=_BYTES)
def test_bytes_inside_tls_harm_nobody(edge: Edge, data: bytes) -> None:
    """What is no HTTP is refused, or waited for no longer than its client is there."""
    with failures() as failed:
        edge.send(data)
    assert not failed


def test_the_server_is_alive_after_it_all(edge: Edge) -> None:
    """After all those bytes an ordinary request is answered."""
    assert edge.is_alive()


def _post(body: bytes, kind: str = "application/json", *, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    head = f"POST /api/v1/namespaces HTTP/1.1\r\nHost: a\r\nContent-Type: {kind}\r\nConnection: close\r\n"
    return f"{head}Content-Length: {size}\r\n\r\n".encode() + body


def test_a_client_that_is_half_there_holds_up_nobody(edge: Edge) -> None:
    """Fifty clients send half a request, and half of them close their side: others are answered meanwhile."""
    wires = [edge.wire(is_secure=index % 5 != 0) for index in range(50)]
    try:
        for index, wire in enumerate(wires):
            wire.sendall(_post(b"{", length=100)[: 20 + 7 * index])
            if index % 2:
                wire.shutdown(socket.SHUT_WR)
        begun = time.monotonic()
        assert edge.is_alive()
        assert time.monotonic() - begun < 5
    finally:
        for wire in wires:
            wire.close()


@pytest.mark.parametrize("length", [None, 10**15], ids=["sent", "announced"])
def test_a_body_over_three_mebibytes_is_refused(edge: Edge, length: int | None) -> None:
    """One byte too many is 413, whether it is sent or only announced."""
    answer = edge.ask(_post(b"x" * (3 * 1024 * 1024 + 1), length=length))
    assert answer.startswith(b"HTTP/1.1 413 "), answer[:300]
    assert edge.is_alive()


@pytest.mark.parametrize("kind", ["application/json", "application/yaml"])
@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
        b"[" * 50_000 + b"]" * 50_000,
        b'{"a": "' + b"x" * 2_900_000 + b'"}',
        json.dumps({str(number): number for number in range(200_000)}).encode(),
        b"9" * 1_000_000,
        b"a: &a [x]\n" + b"".join(b"b%d: &b%d [*a, *a]\n" % (n, n) for n in range(1000)),
        b"- " * 50_000 + b"x",
    ],
    ids=["lists", "objects", "closed objects", "closed lists", "text", "keys", "digits", "aliases", "dashes"],
)
def test_deep_and_huge_bodies_are_answered(edge: Edge, kind: str, body: bytes) -> None:
    """An answer comes, it is no failure of the server, and the next client is served."""
    with failures() as failed:
        answer = edge.ask(_post(body, kind))
    assert 400 <= int(answer.split(b" ")[1]) < 500, answer[:300]
    assert not failed
    assert edge.is_alive()
