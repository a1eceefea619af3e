"""A program that opens idle watches on a server of its own, over TLS, and prints how much memory each one costs."""

from __future__ import annotations

import resource
import socket
import subprocess
import sys
from os import getpid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from edge import Edge

WATCH = b"GET /api/v1/configmaps?watch=true HTTP/1.1\r\nHost: a\r\n\r\n"


def _resident() -> int:
    """Return the kilobytes of this process, as `ps` tells them."""
    shown = subprocess.run(["ps", "-o", "rss=", "-p", str(getpid())], capture_output=True, check=True, text=True)
    return int(shown.stdout)


def _watch(edge: Edge) -> socket.socket:
    wire = edge.wire()
    wire.sendall(WATCH)
    head = wire.recv(65536)
    assert head.startswith(b"HTTP/1.1 200 "), head
    return wire


def play(count: int) -> None:
    """Open so many, and say what they cost and whether others are answered."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 2 * count + 200  # both ends of each, and some
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, needed)), hard))
    edge = Edge()
    kept = [_watch(edge) for _ in range(10)]  # what is loaded with the first ones is not theirs
    before = _resident()
    kept += [_watch(edge) for _ in range(count)]
    print((_resident() - before) / count, edge.is_alive())  # noqa: T201 - what it is for
    for wire in kept:
        wire.close()
    edge.close()


if __name__ == "__main__":
    play(int(sys.argv[1]))
