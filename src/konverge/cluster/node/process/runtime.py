"""ProcessRuntime: what the API server's edge asks of a node of processes: logs, commands, addresses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence

from konverge.cluster.node.process.container_record import ContainerRecord
from konverge.cluster.node.process.execution import Attachment, CommandExecution
from konverge.cluster.node.process.log_reader import read_log
from konverge.cluster.node.process.pod_folder import PodFolder
from konverge.cluster.node.process.pod_run import PodRun
from konverge.cluster.pod_runtime import Execution, LogOptions, PodRef, RuntimeRefusal

_BAD_REQUEST, _NOT_FOUND, _FAILED = 400, 404, 500


class ProcessRuntime:
    """A `PodRuntime` over the pods that a node runs, by their uid."""

    def __init__(self, runs: Mapping[str, PodRun]) -> None:
        self._runs = runs

    async def logs(self, pod: PodRef, container: str, options: LogOptions) -> AsyncIterator[bytes]:
        """Iterate over a log."""
        run, record = self._find(pod, container)
        number = record.runs - (2 if options.previous else 1)
        if number < 0:
            raise RuntimeRefusal(_BAD_REQUEST, _no_log(pod, record, previous=options.previous))
        current = record.run
        writer = current.log if current is not None and current.number == number else None
        async for piece in read_log(run.folder.log(container, number), options, log=writer):
            yield piece

    async def execute(self, pod: PodRef, container: str, command: Sequence[str], *, tty: bool = False) -> Execution:
        """Start a program beside a container's."""
        record = self._find_running(pod, container)
        if record.beside is None or not command:
            raise RuntimeRefusal(_BAD_REQUEST, "you must specify at least one command for the container")
        line = record.beside.command(command)
        try:
            return await CommandExecution.start(line, mark=record.beside.next_mark(), tty=tty)
        except (OSError, ValueError) as error:
            what = getattr(error, "strerror", None) or str(error)
            raise RuntimeRefusal(_FAILED, f'exec: "{line.argv[0]}": {what}') from error

    async def attach(self, pod: PodRef, container: str) -> Execution:
        """Listen to a container from now on."""
        run = self._find_running(pod, container).live
        if run is None:
            raise RuntimeRefusal(_FAILED, f"container {container} is not running")
        return Attachment(run)

    async def address(self, pod: PodRef) -> str:
        """Return the address at which a pod is reached."""
        run = self._runs.get(pod.uid)
        if run is None or not run.pod.status.pod_ip:
            raise RuntimeRefusal(_NOT_FOUND, f'pod not found ("{pod.name}_{pod.namespace}")')
        return run.pod.status.pod_ip

    def folder_of(self, pod: PodRef) -> PodFolder:
        """Return where a pod's things are."""
        return self._pod(pod).folder

    def _pod(self, pod: PodRef) -> PodRun:
        run = self._runs.get(pod.uid)
        if run is None:
            raise RuntimeRefusal(_NOT_FOUND, f'pod "{pod.name}" not found')
        return run

    def _find(self, pod: PodRef, container: str) -> tuple[PodRun, ContainerRecord]:
        run = self._pod(pod)
        record = run.records.get(container)
        if record is None:
            raise RuntimeRefusal(_BAD_REQUEST, f"container {container} is not valid for pod {pod.name}")
        return run, record

    def _find_running(self, pod: PodRef, container: str) -> ContainerRecord:
        _, record = self._find(pod, container)
        if record.live is None:
            raise RuntimeRefusal(_FAILED, f'container not found ("{container}")')
        return record


def _no_log(pod: PodRef, record: ContainerRecord, *, previous: bool) -> str:
    """Why there is nothing to read, in a kubelet's words."""
    if previous:
        return f'previous terminated container "{record.name}" in pod "{pod.name}" not found'
    reason = record.waiting.reason if record.waiting else "ContainerCreating"
    return f'container "{record.name}" in pod "{pod.name}" is waiting to start: {reason}'
