"""State files: which process each container is, written where the next start of the node looks for it.

A node that is killed leaves its containers behind, if its reaper was killed too. The next one ends them before it
starts anything: what a pod is to run is started anew, as after a reboot.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from konverge.cluster.node.process.disk import Disk
from konverge.cluster.node.process.process_table import kill_marked, started_at


class _State(msgspec.Struct, frozen=True, rename="camel"):
    pid: int
    started_at: int | None  # by the kernel's clock: a pid alone may be another's by now
    mark: str


def write_state(disk: Disk, path: Path, *, pid: int, mark: str) -> None:
    """Write down which process a container is; blocks. Raises `OSError`."""
    disk.replace(path, msgspec.json.encode(_State(pid, started_at(pid), mark)), 0o600)


def end_leftovers(folder: Path, mark: str) -> list[int]:
    """End what containers of an earlier run of this node left; return the processes that were found. Blocks."""
    found: list[int] = []
    for path in sorted(folder.glob("pods/*/containers/*/process.json")):
        state = _read(path)
        if state is not None and state.started_at is not None and started_at(state.pid) == state.started_at:
            found += kill_marked(state.mark, session=state.pid)
        path.unlink(missing_ok=True)
    return [*found, *kill_marked(mark)]


def _read(path: Path) -> _State | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_State)
    except (OSError, msgspec.DecodeError):
        return None  # cut off by a crash: the mark in the process's environment is found all the same
