"""ContainerRecord: a container of a pod over all its runs: what runs, what ended, what it waits for.

`start` is where a plan becomes a process; whatever keeps it from that becomes the reason that the status shows.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Final

from konverge import clock
from konverge.cluster.node.process.backoff import Backoff
from konverge.cluster.node.process.beside import Beside
from konverge.cluster.node.process.container_log import ContainerLog, remove_log
from konverge.cluster.node.process.container_run import ContainerRun, Watcher
from konverge.cluster.node.process.container_view import ContainerView, Ended, Role, Waiting
from konverge.cluster.node.process.host import Host
from konverge.cluster.node.process.last_words import port_problem, termination_message
from konverge.cluster.node.process.pod_folder import PodFolder
from konverge.cluster.node.process.pod_sources import ConfigProblem
from konverge.cluster.node.process.prepared import Prepared, Surroundings, prepare
from konverge.cluster.node.process.prober import Target
from konverge.cluster.node.process.problem import disk_sentence
from konverge.cluster.node.process.process import Process
from konverge.cluster.node.process.state_file import write_state
from konverge.models import core_v1

_TRY_AGAIN: Final = 2.0  # seconds after something that only others can mend
_NOT_STARTED: Final = 128  # the exit code of what could not be executed
_KILLED: Final = 137


class ContainerRecord:
    """One container of a pod."""

    def __init__(self, container: core_v1.Container, role: Role, *, host: Host, folder: PodFolder) -> None:
        self.container = container
        self.role = role
        self.run: ContainerRun | None = None
        self.beside: Beside | None = None  # the place of the latest run
        self.runs = 0
        self.waiting: Waiting | None = None
        self._ended: Ended | None = None
        self._try_at: datetime | None = None
        self._backoff = Backoff()
        self._host = host
        self._folder = folder

    @property
    def name(self) -> str:
        """The container's name."""
        return self.container.name

    @property
    def live(self) -> ContainerRun | None:
        """The run under way."""
        return self.run if self.run is not None and self.run.ended is None else None

    def restore(self, status: core_v1.ContainerStatus, now: datetime) -> None:
        """Know what was before this start of the node; what ran then was ended with the node."""
        if not status.container_id:
            return
        self.runs = (status.restart_count or 0) + 1
        state = status.state or core_v1.ContainerState()
        known = state.terminated or (status.last_state.terminated if state.waiting and status.last_state else None)
        started = state.running.started_at if state.running else None
        self._ended = _ended_before(known, self.runs - 1) or Ended(
            number=self.runs - 1,
            code=_KILLED,
            reason="Error",
            message="the node was stopped while the container ran",
            started_at=started,
            finished_at=now,
        )

    def view(self, now: datetime) -> ContainerView:
        """Return what is known of it."""
        live = self.live
        ended = self.run.ended if self.run is not None and self.run.ended is not None else self._ended
        left = self._backoff.left(ended.finished_at, now) if ended is not None and live is None else 0.0
        if self._try_at is not None:
            left = max(left, (self._try_at - now).total_seconds())
        return ContainerView(
            container=self.container,
            role=self.role,
            running_since=live.started_at if live else None,
            is_started=bool(live and live.is_started),
            is_ready=bool(live and live.is_ready),
            runs=self.runs,
            ended=ended,
            waiting=self.waiting,
            pause_left=left,
            pause=self._backoff.pause,
        )

    # --- a run's beginning ---

    async def start(self, around: Surroundings, watcher: Watcher) -> None:
        """Start a run, or know why not."""
        try:
            prepared = await self._prepare(around)
        except _Kept as kept:
            self._wait(kept.waiting, watcher)
            return
        if self.run is not None and self.run.ended is not None:
            self._ended = self.run.ended
        number = self.runs
        if self._ended is not None:
            self._backoff.note_restart(clock.now())
        self.runs, self.waiting, self._try_at = number + 1, None, None
        await self._run(prepared, around, number, watcher)

    def _wait(self, waiting: Waiting, watcher: Watcher) -> None:
        if waiting != self.waiting:
            watcher.warn("Failed", f"Error: {waiting.message or waiting.reason}")
        self.waiting = waiting
        self._try_at = clock.now() + timedelta(seconds=_TRY_AGAIN)

    def try_now(self) -> None:
        """Let what it waits for be looked at again: something has changed."""
        self._try_at = None

    async def _prepare(self, around: Surroundings) -> Prepared:
        name = self.container.image or ""
        catalogue = self._host.catalogue
        image = catalogue.find(name)
        if image is None:
            message = (
                f'image "{name}" is not in {catalogue.place}: add it there with the command that runs in its place, '
                f'as in "{name}": [python3, app.py]'
            )
            raise _Kept(Waiting("ErrImageNeverPull", message))
        try:
            prepared = prepare(self.container, image, around)
        except ConfigProblem as problem:
            raise _Kept(Waiting("CreateContainerConfigError", str(problem))) from problem
        try:
            await asyncio.to_thread(self._make_places, prepared)
        except OSError as error:
            raise _Kept(Waiting("CreateContainerError", disk_sentence(error))) from error
        return prepared

    def _make_places(self, prepared: Prepared) -> None:
        disk, name = self._host.disk, self.name
        disk.make_folder(self._folder.work(name))
        prepared.mounts.make_folders(disk)
        if prepared.kubeconfig is not None:
            disk.replace(self._folder.kubeconfig(name), prepared.kubeconfig, 0o600)
        disk.replace(self._folder.termination_message(name), b"", 0o666)
        if self.runs > 1:
            remove_log(self._folder.log(name, self.runs - 2))  # the one before the last is kept

    async def _run(self, prepared: Prepared, around: Surroundings, number: int, watcher: Watcher) -> None:
        meta = around.pod.metadata
        mark = f"{self._host.mark}{meta.uid}/{meta.namespace}_{meta.name}/{self.name}/{number}/"
        log = ContainerLog(
            self._host.disk, self._folder.log(self.name, number), failed=lambda error: self._log_failed(error, watcher)
        )
        try:
            process = await Process.start(
                prepared.command, mark=mark, output=log.feed, stdin=bool(self.container.stdin)
            )
        except (OSError, ValueError) as error:
            log.close()
            self._could_not_start(error, prepared, watcher)
            return
        self._host.reaper.note_start(process.pid)
        self.beside = Beside(prepared, mark)
        target = Target(around.where.pod_ip, _named_ports(self.container), self.beside.execute)

        async def last_words(code: int) -> str:
            return await self._last_words(code, around.where.pod_ip, watcher)

        self.run = ContainerRun(
            self.container,
            number=number,
            process=process,
            log=log,
            target=target,
            watcher=watcher,
            last_words=last_words,
        )
        watcher.inform("Created", "Container created")
        watcher.inform("Started", "Container started")
        self._host.spawn(self._live(self.run, mark), f"container {self.name} of {meta.namespace}/{meta.name}")

    async def _live(self, run: ContainerRun, mark: str) -> None:
        path = self._folder.state(self.name)
        try:
            await asyncio.to_thread(write_state, self._host.disk, path, pid=run.process.pid, mark=mark)
        except OSError as error:  # the mark in its environment finds it, too
            self._host.problems.tell(str(path), disk_sentence(error))
        try:
            await run.live()
        finally:
            self._host.reaper.note_end(run.process.pid)
            path.unlink(missing_ok=True)

    def _could_not_start(self, error: Exception, prepared: Prepared, watcher: Watcher) -> None:
        program = prepared.command.argv[0]
        what = getattr(error, "strerror", None) or str(error)
        message = f'the command "{program}" of image "{self.container.image}" cannot be run here: {what}'
        watcher.warn("Failed", f"Error: {message}")
        now = clock.now()
        self.run = None
        self._ended = Ended(
            number=self.runs - 1,
            code=_NOT_STARTED,
            reason="StartError",
            message=message,
            started_at=now,
            finished_at=now,
        )
        watcher.changed()

    # --- its end ---

    async def _last_words(self, code: int, address: str, watcher: Watcher) -> str:
        log = self._folder.log(self.name, self.runs - 1)
        message = await asyncio.to_thread(
            termination_message,
            self.container,
            code,
            message=self._folder.termination_message(self.name),
            log=log,
        )
        if not code:
            return message
        mark = self._host.mark
        problem = await asyncio.to_thread(port_problem, self.container, log=log, address=address, mark=mark)
        if problem:
            watcher.warn("PortInUse", problem)
        return problem or message

    def _log_failed(self, error: OSError, watcher: Watcher) -> None:
        watcher.warn("FailedLog", f"its log cannot be written: {disk_sentence(error)}")


class _Kept(Exception):
    """Why a container is not started."""

    def __init__(self, waiting: Waiting) -> None:
        super().__init__(waiting.reason)
        self.waiting = waiting


def _named_ports(container: core_v1.Container) -> dict[str, int]:
    return {each.name: each.container_port for each in container.ports or () if each.name}


def _ended_before(known: core_v1.ContainerStateTerminated | None, number: int) -> Ended | None:
    if known is None or known.finished_at is None:
        return None
    return Ended(
        number=number,
        code=known.exit_code,
        reason=known.reason or "Error",
        message=known.message or "",
        started_at=known.started_at,
        finished_at=known.finished_at,
    )
