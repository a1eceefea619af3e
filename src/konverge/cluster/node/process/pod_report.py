"""The status of a pod of processes, as a kubelet writes it; pure, from what is known of its containers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime

import msgspec

from konverge.cluster.node.condition_facts import Fact, conditions_of, with_gates
from konverge.cluster.node.container_status import granted
from konverge.cluster.node.process.container_view import ContainerView, Ended, Role, of_role
from konverge.cluster.node.process.plan import is_initialized, is_over
from konverge.models import core_v1

_TERMINAL = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a pod at a moment."""

    views: tuple[ContainerView, ...]
    start: datetime
    host_ip: str
    pod_ip: str  # empty: it has none yet
    waits: str = ""  # why none of its containers can be started
    failed: tuple[str, str] | None = None  # reason and message, where the node itself ended it
    is_ending: bool = False  # it was deleted: nothing runs again


def write_report(pod: core_v1.Pod, report: Report, now: datetime) -> None:
    """Make a pod's status say what is known."""
    policy = "Never" if report.is_ending or report.failed else (pod.spec.restart_policy or "Always")
    status = pod.status
    status.phase = phase(report, policy)
    status.start_time = report.start
    status.observed_generation = pod.metadata.generation
    status.host_ip, status.host_ips = report.host_ip, [core_v1.HostIP(ip=report.host_ip)]
    if report.pod_ip:
        status.pod_ip, status.pod_ips = report.pod_ip, [core_v1.PodIP(ip=report.pod_ip)]
    if report.failed is not None:
        status.reason, status.message = report.failed
    if pod.spec.init_containers:
        inits = of_role(report.views, Role.INIT, Role.SIDECAR)
        status.init_container_statuses = [_container(pod, each, report, policy) for each in inits]
    mains = of_role(report.views, Role.MAIN)
    status.container_statuses = [_container(pod, each, report, policy) for each in mains]
    status.conditions = conditions_of(pod, _facts(pod, report), now)


def phase(report: Report, policy: str) -> str:
    """Return the phase of a pod."""
    mains = of_role(report.views, Role.MAIN)
    if is_over(report.views, policy) and not any(each.is_running for each in report.views):
        well = not report.failed and all(each.ended_well for each in mains)
        return "Succeeded" if well else "Failed"
    if not is_initialized(report.views) or any(not each.runs for each in mains):
        return "Pending"
    return "Running"


def _container(pod: core_v1.Pod, view: ContainerView, report: Report, policy: str) -> core_v1.ContainerStatus:
    image = view.container.image or ""
    state = _state(pod, view, report, policy)
    is_last = state.terminated is not None
    return core_v1.ContainerStatus(
        name=view.name,
        image=image,
        image_id=f"konverge.dev/process/{image}" if view.runs else "",
        container_id=_container_id(pod, view.name, view.runs - 1) if view.runs else None,
        ready=view.ended_well if view.role is Role.INIT else (view.is_running and view.is_ready),
        started=view.is_running and view.is_started,
        restart_count=max(view.runs - 1, 0),
        state=state,
        last_state=core_v1.ContainerState(
            terminated=None if is_last or view.ended is None else _terminated(pod, view.name, view.ended)
        ),
        resources=granted(view.container) if view.is_running else None,
        allocated_resources=granted(view.container).requests if view.is_running else None,
    )


def _state(pod: core_v1.Pod, view: ContainerView, report: Report, policy: str) -> core_v1.ContainerState:
    if view.running_since is not None:
        since = view.running_since.replace(microsecond=0)
        return core_v1.ContainerState(running=core_v1.ContainerStateRunning(started_at=since))
    if view.ended is not None and (_stays(view, report, policy) or (view.waiting is None and not view.pause_left)):
        return core_v1.ContainerState(terminated=_terminated(pod, view.name, view.ended))
    return core_v1.ContainerState(waiting=_waiting(pod, view, report))


def _stays(view: ContainerView, report: Report, policy: str) -> bool:
    """Whether a container that has ended will not run again."""
    return (view.role is Role.INIT and view.ended_well) or is_over(report.views, policy) or not view.runs_again(policy)


def _waiting(pod: core_v1.Pod, view: ContainerView, report: Report) -> core_v1.ContainerStateWaiting:
    if view.waiting is not None:
        return core_v1.ContainerStateWaiting(reason=view.waiting.reason, message=view.waiting.message or None)
    if view.ended is not None:
        meta = pod.metadata
        message = (
            f"back-off {duration(view.pause)} restarting failed container={view.name} "
            f"pod={meta.name}_{meta.namespace}({meta.uid})"
        )
        return core_v1.ContainerStateWaiting(reason="CrashLoopBackOff", message=message)
    initializing = bool(pod.spec.init_containers) and not report.waits
    reason = "PodInitializing" if initializing else "ContainerCreating"
    return core_v1.ContainerStateWaiting(reason=reason, message=report.waits or None)


def duration(seconds: float) -> str:
    """Return a duration as Go writes it."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"


def _terminated(pod: core_v1.Pod, name: str, ended: Ended) -> core_v1.ContainerStateTerminated:
    return core_v1.ContainerStateTerminated(
        exit_code=ended.code,
        reason=ended.reason,
        message=ended.message or None,
        started_at=ended.started_at and ended.started_at.replace(microsecond=0),
        finished_at=ended.finished_at.replace(microsecond=0),
        container_id=_container_id(pod, name, ended.number),
    )


def _container_id(pod: core_v1.Pod, name: str, number: int) -> str:
    """An id as a runtime gives it: another for each run, the same each time it is asked for."""
    what = f"{pod.metadata.uid}/{name}/{number}"
    return "process://" + hashlib.sha256(what.encode()).hexdigest()


def _facts(pod: core_v1.Pod, report: Report) -> dict[str, Fact]:
    ended = _TERMINAL.get(pod.status.phase or "", "")
    containers = _containers_ready(report.views, ended)
    return {
        "PodReadyToStartContainers": Fact(bool(report.pod_ip) and not report.waits and not ended),
        "Initialized": _initialized(pod, report),
        "Ready": with_gates(pod, containers),
        "ContainersReady": containers,
        "PodScheduled": Fact(holds=True),
    }


def _containers_ready(views: Sequence[ContainerView], ended: str) -> Fact:
    if ended:
        return Fact(False, ended)
    unready = [each.name for each in of_role(views, Role.SIDECAR, Role.MAIN) if not (each.is_running and each.is_ready)]
    if not unready:
        return Fact(holds=True)
    return Fact(False, "ContainersNotReady", f"containers with unready status: [{' '.join(unready)}]")


def _initialized(pod: core_v1.Pod, report: Report) -> Fact:
    if is_initialized(report.views):
        return Fact(True, "PodCompleted" if pod.status.phase == "Succeeded" else "")
    unfinished = [
        each.name
        for each in of_role(report.views, Role.INIT, Role.SIDECAR)
        if not (each.ended_well if each.role is Role.INIT else each.is_started)
    ]
    return Fact(False, "ContainersNotInitialized", f"containers with incomplete status: [{' '.join(unfinished)}]")
