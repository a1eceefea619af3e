"""Ends a node's containers when the node's own process is gone, however it ended.

A process of its own, whose standard input is a pipe that only the node holds. Lines `+pid` and `-pid` tell it which
process groups there are; the end of the pipe means that the node is gone, by SIGKILL too. Then it kills the groups and,
where the process table can be read, whatever carries the node's mark.

It is run by path with `python -I -S`, so it may import the standard library alone.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

_LOOKS, _PAUSE = 10, 0.1  # one that was being started when the node died shows its mark a moment later


def main() -> None:
    """Wait for the end of the pipe, and clean up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the node ends it, by closing the pipe
    groups = _groups_at_the_end()
    for pid in groups:
        with suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
    mark = sys.argv[1].encode()
    for _ in range(_LOOKS):
        for pid in _marked(mark):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE)


def _groups_at_the_end() -> list[int]:
    groups: dict[int, None] = {}
    for line in sys.stdin:
        pid = int(line[1:])
        if line[0] == "+":
            groups[pid] = None
        else:
            groups.pop(pid, None)
        if line.startswith("-0"):  # the node has ended everything itself
            sys.exit()
    return list(groups)


def _marked(mark: bytes) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if any(each.startswith(mark) for each in (folder / "environ").read_bytes().split(b"\0")):
                found.append(int(folder.name))
    return found


if __name__ == "__main__":
    main()
