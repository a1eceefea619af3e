from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import msgspec

from konverge.cluster.node.process.disk import Disk
from konverge.cluster.node.process.process_table import kill_group, started_at
from konverge.cluster.node.process.state_file import end_leftovers, write_state


async def sleeper() -> asyncio.subprocess.Process:
    """Return a process with a child, in a session of its own and without a mark."""
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", "sleep 300 & echo up; wait", start_new_session=True, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    return process


def state_path(folder: Path, name: str) -> Path:
    """Return where a container's state is kept."""
    path = folder / "pods" / "uid" / "containers" / name / "process.json"
    path.parent.mkdir(parents=True)
    return path


def files_in(folder: Path) -> list[Path]:
    """Return the state files that are left."""
    return list(folder.rglob("process.json"))


async def test_what_is_written_down_is_ended_and_nobody_else(tmp_path: Path) -> None:
    """A process is ended with its session; one that has a pid of old, but was started later, is another's."""
    left, other = await sleeper(), await sleeper()
    write_state(Disk(), state_path(tmp_path, "left"), pid=left.pid, mark="none/")
    path = state_path(tmp_path, "old")
    write_state(Disk(), path, pid=other.pid, mark="none/")
    state = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode({**state, "startedAt": state["startedAt"] - 1}))
    state_path(tmp_path, "cut").write_bytes(b'{"pid"')
    found = await asyncio.to_thread(end_leftovers, tmp_path, "none/")
    assert left.pid in found
    assert len(found) == 2
    assert await left.wait() == -signal.SIGKILL
    assert started_at(other.pid) is not None
    assert not files_in(tmp_path)
    kill_group(other.pid)
    await other.wait()
