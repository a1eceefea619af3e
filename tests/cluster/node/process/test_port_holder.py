from __future__ import annotations

import asyncio
import os

import pytest

from konverge.cluster.node.process.port_holder import holders, in_use_sentence, says_in_use, suspects


@pytest.mark.parametrize(
    ("words", "ports"),
    [
        (b"OSError: [Errno 98] Address already in use", []),
        (b"listen tcp 127.0.0.1:8080: bind: address already in use", [8080]),
        (b"Error: listen EADDRINUSE: address already in use :::3000", [3000]),
        (b"nginx: bind() to 0.0.0.0:80 failed (98: Address already in use)", [80]),
    ],
)
def test_last_words(words: bytes, ports: list[int]) -> None:
    """Programs of all sorts say it, and some name the port; one that the container declares comes first."""
    assert says_in_use(words)
    assert suspects(words, []) == ports
    assert suspects(words, [1234]) == [1234]
    assert not says_in_use(b"all is well")


async def test_who_listens() -> None:
    """This process does, on one address or on all; the sentence names who and the remedy."""
    for host, is_everywhere in (("127.0.0.1", False), ("0.0.0.0", True)):
        server = await asyncio.start_server(lambda _reader, writer: writer.close(), host, 0)
        port = server.sockets[0].getsockname()[1]
        assert (os.getpid(), is_everywhere) in holders(port)
        sentence = in_use_sentence([port], address="127.64.0.2", name_of=lambda _pid: "container a of pod b/c")
        assert sentence.startswith(f"port {port} is in use: container a of pod b/c listens on it at ")
        assert "127.64.0.2" in sentence
        server.close()
        await server.wait_closed()
