"""Host: what all pods of a process node share: its folder, catalogue, reaper, tasks, and who is to be woken."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from konverge import log
from konverge.cluster.node.process.catalogue import Catalogue
from konverge.cluster.node.process.disk import Disk
from konverge.cluster.node.process.pod_folder import PodFolder
from konverge.cluster.node.process.prepared import INHERITED
from konverge.cluster.node.process.problem import Problems
from konverge.cluster.node.process.process_table import started_at
from konverge.cluster.node.process.reaper_pipe import ReaperPipe
from konverge.cluster.pod_runtime import PodRef

_LOG = log.get("node")


class Host:
    """One for each node."""

    def __init__(
        self, catalogue: Catalogue, *, folder: Path, disk: Disk, server: Callable[[], str], environ: Mapping[str, str]
    ) -> None:
        self.catalogue = catalogue
        self.folder = folder
        self.disk = disk
        self.server = server
        self.inherited = {name: environ[name] for name in INHERITED if name in environ}
        self.problems = Problems()
        self.reaper = ReaperPipe()
        # All processes of this node carry it; the second part tells this run of the node from those before.
        self.node_mark = node_mark(folder)
        self.mark = f"{self.node_mark}{os.getpid()}-{started_at(os.getpid()) or 0}/"
        self.wake: Callable[[PodRef], None] = lambda _pod: None
        self._group: asyncio.TaskGroup | None = None
        self._starting = 0  # containers that are being started at this moment
        self._is_quiet = asyncio.Event()
        self._is_quiet.set()
        self.is_stopping = False

    def pod_folder(self, uid: str) -> PodFolder:
        """Return where a pod's things are."""
        return PodFolder(self.folder / "pods" / uid)

    def use(self, group: asyncio.TaskGroup | None) -> None:
        """Run tasks in a group from now on; None: no more."""
        self._group = group

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Count what is being started, so that a node that stops can wait for it and end it, too."""
        self._starting += 1
        self._is_quiet.clear()
        try:
            yield
        finally:
            self._starting -= 1
            if not self._starting:
                self._is_quiet.set()

    async def stop_starting(self) -> None:
        """Start nothing more; return when all that was being started has been."""
        self.is_stopping = True
        await self._is_quiet.wait()

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run something as long as the node runs."""
        if self._group is None:
            work.close()
        else:
            self._group.create_task(_guarded(work, name), name=name)


def node_mark(folder: Path) -> str:
    """Return what the marks of all processes begin with that a node in this folder ever started."""
    return hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:16] + "/"


async def _guarded(work: Coroutine[Any, Any, None], name: str) -> None:
    """A fault of one container's care is no reason to end the others."""
    try:
        await work
    except Exception as error:  # noqa: BLE001 - logged with its stack
        _LOG.error("a task of the node failed", error, task=name)
