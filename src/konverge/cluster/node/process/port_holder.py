"""Who holds a TCP port that a container could not bind, as far as the machine tells; for a clear status.

Each pod has an address of its own, so two servers on one port get on well as long as each binds its own. One that
binds every address keeps the port from all the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

_LISTENING: Final = "0A"  # the kernel's name for the state
_TABLES: Final = ("/proc/net/tcp", "/proc/net/tcp6")
_IN_USE: Final = re.compile(rb"address already in use|EADDRINUSE|address in use", re.IGNORECASE)
_PORT: Final = re.compile(rb"(?:port[ =:]*|:)(\d{2,5})\b", re.IGNORECASE)
_HIGHEST: Final = 65535


def says_in_use(text: bytes) -> bool:
    """Whether a program's last words say that a port was taken."""
    return _IN_USE.search(text) is not None


def suspects(text: bytes, declared: Iterable[int]) -> list[int]:
    """Return the ports that may be meant: those that the container declares, else what its last words name."""
    found = list(declared)
    if not found:
        lines = [line for line in text.splitlines() if _IN_USE.search(line)]
        found = [int(each) for line in lines for each in _PORT.findall(line) if int(each) <= _HIGHEST]
    return list(dict.fromkeys(found))


def in_use_sentence(ports: list[int], *, address: str, name_of: Callable[[int], str | None]) -> str:
    """Return what keeps a container from its port, and what helps; blocks for a moment."""
    for port in ports:
        for pid, is_everywhere in holders(port):
            who = name_of(pid) or f"process {pid}"
            where = "every address" if is_everywhere else "an address that this one wants too"
            return (
                f"port {port} is in use: {who} listens on it at {where}; let each server bind the address of its pod, "
                f'here {address} ("{{ip}}" in the catalogue, POD_IP in the environment)'
            )
    what = f"port {ports[0]}" if ports else "a port that it wants"
    return (
        f"{what} is in use on this machine; let the server bind the address of its pod, here {address} "
        '("{ip}" in the catalogue, POD_IP in the environment)'
    )


def holders(port: int) -> list[tuple[int, bool]]:
    """Return who listens on a port, as (pid, on every address); those of other users stay unseen."""
    sockets: dict[str, bool] = {}
    for table in _TABLES:
        with suppress(OSError):
            sockets.update(_listening(Path(table).read_text().splitlines()[1:], port))
    return [(pid, is_everywhere) for inode, is_everywhere in sockets.items() for pid in _owners(inode)]


def _listening(rows: Iterable[str], port: int) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for row in rows:
        fields = row.split()
        address, _, number = fields[1].rpartition(":")
        if fields[3] == _LISTENING and int(number, 16) == port:
            found[fields[9]] = not address.strip("0")
    return found


def _owners(inode: str) -> list[int]:
    wanted = f"socket:[{inode}]"
    found = []
    for folder in Path("/proc").glob("[0-9]*/fd"):
        with suppress(OSError):
            if any(_target(each) == wanted for each in folder.iterdir()):
                found.append(int(folder.parent.name))
    return sorted(found)


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""
