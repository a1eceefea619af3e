"""The status of one container of a simulated pod, as a kubelet writes it; pure."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

import msgspec

from konverge.cluster.node.run_history import History, Run
from konverge.models import core_v1


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be shown of a container."""

    pod: core_v1.Pod
    start: datetime  # of the pod: what its histories count from
    container: core_v1.Container
    history: History
    is_ready: bool
    waits: str  # why it waits, where it never ran


def container_status(shown: Shown) -> core_v1.ContainerStatus:
    """Return the status of a container."""
    history, container = shown.history, shown.container
    image = container.image or ""
    return core_v1.ContainerStatus(
        name=container.name,
        image=image,
        image_id=f"konverge.dev/simulated/{image}" if history.runs else "",
        container_id=_container_id(shown, len(history.runs)) if history.runs else None,
        ready=shown.is_ready,
        started=history.is_running,
        restart_count=max(len(history.runs) - 1, 0),
        state=_state(shown),
        last_state=_last_state(shown),
        resources=granted(container) if history.is_running else None,
        allocated_resources=granted(container).requests if history.is_running else None,
    )


def granted(container: core_v1.Container) -> core_v1.ResourceRequirements:
    """Return what a container has while it runs: what it asks for, at once, which lets a pod be resized."""
    asked = container.resources or core_v1.ResourceRequirements()
    return core_v1.ResourceRequirements(limits=asked.limits, requests=asked.requests)


def _state(shown: Shown) -> core_v1.ContainerState:
    history = shown.history
    if history.current is not None:
        since = _at(shown.start, history.current.start)
        return core_v1.ContainerState(running=core_v1.ContainerStateRunning(started_at=since))
    if history.is_over:
        return core_v1.ContainerState(terminated=_terminated(shown, len(history.runs), history.runs[-1]))
    return core_v1.ContainerState(waiting=_waiting(shown))


def _last_state(shown: Shown) -> core_v1.ContainerState:
    """The run before this one; while it waits to be started again, the last there was."""
    history = shown.history
    if history.ended is None or history.is_over:
        return core_v1.ContainerState()
    number = len(history.runs) - (1 if history.is_running else 0)
    return core_v1.ContainerState(terminated=_terminated(shown, number, history.ended))


def _waiting(shown: Shown) -> core_v1.ContainerStateWaiting:
    if not shown.history.runs:
        return core_v1.ContainerStateWaiting(reason=shown.waits)
    meta, name = shown.pod.metadata, shown.container.name
    pause = _duration(shown.history.pause)
    message = f"back-off {pause} restarting failed container={name} pod={meta.name}_{meta.namespace}({meta.uid})"
    return core_v1.ContainerStateWaiting(reason="CrashLoopBackOff", message=message)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"


def _terminated(shown: Shown, number: int, run: Run) -> core_v1.ContainerStateTerminated:
    return core_v1.ContainerStateTerminated(
        exit_code=run.code,
        reason="Error" if run.code else "Completed",
        started_at=_at(shown.start, run.start),
        finished_at=_at(shown.start, run.start if run.end is None else run.end),
        container_id=_container_id(shown, number),
    )


def _container_id(shown: Shown, number: int) -> str:
    """An id as a runtime gives it: another for each run, the same each time it is asked for."""
    what = f"{shown.pod.metadata.uid}/{shown.container.name}/{number}"
    return "simulated://" + hashlib.sha256(what.encode()).hexdigest()


def _at(start: datetime, seconds: float) -> datetime:
    return (start + timedelta(seconds=seconds)).replace(microsecond=0)
