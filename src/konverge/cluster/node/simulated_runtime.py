"""SimulatedRuntime: what the containers of a simulated node say and do when they are asked, which is little."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence

import msgspec

from konverge.cluster.node.behaviour import ANNOTATION, read_behaviour
from konverge.cluster.pod_runtime import Execution, LogOptions, PodRef, RuntimeRefusal

_FAILED = 500
_REMEDY = "run the cluster with a node of processes (konverge up --node process) to have it run"


class SimulatedRuntime:
    """A `PodRuntime` for one pod, of which it knows the annotations."""

    def __init__(self, annotations: Mapping[str, str]) -> None:
        self._annotations = annotations

    async def logs(self, pod: PodRef, container: str, options: LogOptions) -> AsyncIterator[bytes]:
        """Give what the pod's annotation says it says; else say that nothing runs."""
        try:
            behaviour = read_behaviour(self._annotations)
        except msgspec.MsgspecError:
            behaviour = None
        text = behaviour.log if behaviour else ""
        if not text:
            text = f'container {container} of pod {pod} is simulated and says nothing; set "log" in {ANNOTATION}'
        lines = [f"{line}\n".encode() for line in text.splitlines()]
        kept = lines if options.tail is None else lines[len(lines) - min(options.tail, len(lines)) :]
        yield b"".join(kept)[: options.limit_bytes]

    async def execute(self, pod: PodRef, container: str, command: Sequence[str], *, tty: bool = False) -> Execution:  # noqa: ARG002 - nothing of it is run
        """Say that nothing runs."""
        raise RuntimeRefusal(_FAILED, f"container {container} of pod {pod} is simulated: no command runs; {_REMEDY}")

    async def attach(self, pod: PodRef, container: str) -> Execution:
        """Say that nothing runs."""
        raise RuntimeRefusal(_FAILED, f"container {container} of pod {pod} is simulated: nothing runs; {_REMEDY}")

    async def address(self, pod: PodRef) -> str:
        """Say that nothing runs."""
        raise RuntimeRefusal(_FAILED, f"pod {pod} is simulated: nothing listens; {_REMEDY}")
