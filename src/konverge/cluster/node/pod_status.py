"""The status of a simulated pod, as a kubelet would write it: running, ending, stopped or refused; pure."""

from __future__ import annotations

from datetime import datetime

import msgspec

from konverge.cluster.node.behaviour import Behaviour
from konverge.cluster.node.container_status import Shown, container_status
from konverge.cluster.node.outlook import NOT_STARTED, Outlook, ended_well, plain_inits
from konverge.cluster.node.pod_conditions import conditions
from konverge.cluster.node.run_history import History, Run
from konverge.models import core_v1


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where and since when a pod is."""

    host_ip: str
    pod_ip: str  # empty: it has none yet
    start: datetime


def write_status(pod: core_v1.Pod, behaviour: Behaviour, seen: Outlook, *, place: Place, now: datetime) -> None:
    """Make a pod's status say what was seen."""
    status = pod.status
    status.phase = seen.phase
    status.start_time = place.start
    status.observed_generation = pod.metadata.generation
    status.host_ip, status.host_ips = place.host_ip, [core_v1.HostIP(ip=place.host_ip)]
    if place.pod_ip:
        status.pod_ip, status.pod_ips = place.pod_ip, [core_v1.PodIP(ip=place.pod_ip)]
    if pod.spec.init_containers:
        status.init_container_statuses = _init_statuses(pod, seen, place.start)
    waits = behaviour.waiting or ("ContainerCreating" if seen.is_initialized else "PodInitializing")
    status.container_statuses = [
        container_status(
            Shown(pod=pod, start=place.start, container=each, history=seen.main, is_ready=seen.is_ready, waits=waits)
        )
        for each in pod.spec.containers
    ]
    status.conditions = conditions(pod, seen, now)


def _init_statuses(pod: core_v1.Pod, seen: Outlook, start: datetime) -> list[core_v1.ContainerStatus]:
    plain = dict(zip((each.name for each in plain_inits(pod)), seen.inits, strict=True))
    found = []
    for each in pod.spec.init_containers or ():
        history = plain.get(each.name) or _sidecar(seen.main)
        ready = ended_well(history) if each.name in plain else history.is_running
        shown = Shown(pod=pod, start=start, container=each, history=history, is_ready=ready, waits="PodInitializing")
        found.append(container_status(shown))
    return found


def _sidecar(main: History) -> History:
    """An init container that is started again runs as long as those that it serves, and ends well with them."""
    if not main.runs:
        return NOT_STARTED
    if main.is_over:
        return History((Run(main.runs[0].start, main.runs[-1].end),), is_over=True)
    return History((Run(main.runs[0].start, None),), is_running=True)


def write_stopped(pod: core_v1.Pod, behaviour: Behaviour, now: datetime) -> None:
    """Make a pod's status say that its containers were ended."""
    moment = now.replace(microsecond=0)
    for each in pod.status.container_statuses or ():
        _stop(each, behaviour.stop_exit_code, moment)
    codes = [_exit_code(each) for each in pod.status.container_statuses or ()]
    whole = bool(codes) and all(code == 0 for code in codes)
    pod.status.phase = "Succeeded" if whole else "Failed"
    for condition in pod.status.conditions or ():
        if condition.type in ("Ready", "ContainersReady", "PodReadyToStartContainers"):
            _unset(condition, "PodCompleted" if whole else "PodFailed", moment)


def _exit_code(status: core_v1.ContainerStatus) -> int | None:
    ended = status.state.terminated if status.state else None
    return None if ended is None else ended.exit_code


def _stop(status: core_v1.ContainerStatus, code: int, moment: datetime) -> None:
    running = status.state.running if status.state else None
    if running is not None:
        ended = core_v1.ContainerStateTerminated(
            exit_code=code,
            reason="Error" if code else "Completed",
            started_at=running.started_at,
            finished_at=moment,
            container_id=status.container_id,
        )
        status.state = core_v1.ContainerState(terminated=ended)
    status.ready, status.started = False, False


def _unset(condition: core_v1.PodCondition, reason: str, moment: datetime) -> None:
    if condition.status != "False":
        condition.status, condition.last_transition_time = "False", moment
    condition.reason = None if condition.type == "PodReadyToStartContainers" else reason
    condition.message = None


def write_refused(pod: core_v1.Pod, reason: str, start: datetime) -> None:
    """Make a pod's status say that the node would not run it: `OutOfcpu`, or `Evicted: the disk is full`."""
    word, _, message = reason.partition(": ")
    pod.status.phase, pod.status.reason = "Failed", word
    pod.status.message = message or f"Pod was rejected: {word}"
    pod.status.start_time = start
    pod.status.observed_generation = pod.metadata.generation
