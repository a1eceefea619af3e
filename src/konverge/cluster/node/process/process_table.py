"""The machine's process table, as far as a node must know it: what is still there of containers that it started.

A pid is used again, so a process is known by its pid and the moment it was started. Children that leave their session
are found by a variable in their environment, which they inherit. Linux tells both; elsewhere nothing is found here, and
the reaper alone ends what is left. Everything blocks for a moment; a look at all processes is for a thread.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Final

MARK: Final = "KONVERGE_CONTAINER"
_PROC: Final = Path("/proc")
_STATE, _SESSION, _START_TIME = 0, 3, 19  # fields of stat after the name, which may hold anything


def started_at(pid: int) -> int | None:
    """Return when a process was started, in the kernel's ticks; None if it is gone or cannot be asked."""
    fields = _stat(pid)
    return int(fields[_START_TIME]) if fields and fields[_STATE] != "Z" else None


def marked(prefix: str, *, session: int = 0) -> list[int]:
    """Return the processes whose mark begins so, or that are of a session; those of other users stay unseen."""
    own = os.getpid()
    pids = sorted(int(each.name) for each in _PROC.iterdir() if each.name.isdigit()) if _PROC.is_dir() else []
    return [pid for pid in pids if pid != own and _is_wanted(pid, prefix, session)]


def mark_of(pid: int) -> str | None:
    """Return the mark of a process; None if it has none, or is another user's."""
    with suppress(OSError):
        for each in (_PROC / str(pid) / "environ").read_bytes().split(b"\0"):
            if each.startswith(f"{MARK}=".encode()):
                return each.decode(errors="replace").partition("=")[2]
    return None


def _is_wanted(pid: int, wanted: str, session: int) -> bool:
    fields = _stat(pid)
    if fields is None or fields[_STATE] == "Z":
        return False
    if session and int(fields[_SESSION]) == session:
        return True
    mark = mark_of(pid)
    return mark is not None and mark.startswith(wanted)


def _stat(pid: int) -> list[str] | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()


def kill(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process; one that is gone is no error."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def kill_group(pid: int) -> None:
    """End a process group at once; one that is gone is no error."""
    if pid <= 1:
        raise ValueError(f"{pid} is no process group of a container")  # 0 would be our own
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def kill_marked(prefix: str, *, session: int = 0) -> list[int]:
    """End at once whatever is marked so or is of a session, with what it starts meanwhile; return whom it found."""
    killed: list[int] = []
    while found := [pid for pid in marked(prefix, session=session) if pid not in killed]:
        for pid in found:
            kill(pid, signal.SIGKILL)
        killed += found
    return killed
