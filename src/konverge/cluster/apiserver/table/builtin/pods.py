"""Pods: how many containers are ready, and one word for how it goes, which is the longest rule of all printers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.age import age, is_later
from konverge.cluster.apiserver.table.builtin.parts import (
    NONE,
    Cells,
    Printer,
    age_of,
    below,
    is_deleted,
    is_true,
    listed,
    name_of,
    or_none,
)

_ENDED: Final = ("Succeeded", "Failed")
_GATED: Final = "SchedulingGated"
_UNREACHABLE: Final = "NodeLost"  # the reason of a pod whose node is gone


@dataclass
class _Summary:
    """What is known so far, container by container."""

    reason: str
    ready: int = 0
    restarts: int = 0
    last_restart: str = ""

    def count(self, status: JsonObject) -> None:
        """Count a container's restarts."""
        self.restarts += status.get("restartCount", 0)
        finished = below(status, "lastState", "terminated").get("finishedAt") or ""
        if finished and is_later(finished, self.last_restart):
            self.last_restart = finished


def _pod(value: JsonObject) -> Cells:
    spec, status = below(value, "spec"), below(value, "status")
    summary = _summary(value)
    total = len(listed(spec, "containers")) + sum(map(_is_sidecar, listed(spec, "initContainers")))
    restarts = str(summary.restarts)
    if summary.restarts and summary.last_restart:
        restarts = f"{restarts} ({age(summary.last_restart)} ago)"
    return [
        name_of(value),
        f"{summary.ready}/{total}",
        summary.reason,
        restarts,
        age_of(value),
        or_none(_ip(status)),
        or_none(spec.get("nodeName")),
        or_none(status.get("nominatedNodeName")),
        _readiness_gates(spec, status),
    ]


def _ip(status: JsonObject) -> str | None:
    first: JsonObject = (listed(status, "podIPs") or [{}])[0]
    return status.get("podIP") or first.get("ip")


def _readiness_gates(spec: JsonObject, status: JsonObject) -> str:
    gates = listed(spec, "readinessGates")
    if not gates:
        return NONE
    found = listed(status, "conditions")
    return f"{sum(is_true(found, gate.get('conditionType', '')) for gate in gates)}/{len(gates)}"


def _is_sidecar(container: JsonObject) -> bool:
    return container.get("restartPolicy") == "Always"


def _summary(value: JsonObject) -> _Summary:
    status = below(value, "status")
    found = listed(status, "conditions")
    summary = _Summary(status.get("reason") or status.get("phase", ""))
    if any(condition.get("type") == "PodScheduled" and condition.get("reason") == _GATED for condition in found):
        summary.reason = _GATED
    sidecars = _Summary("")
    is_initializing = _initialize(value, summary, sidecars)
    if not is_initializing or is_true(found, "Initialized"):
        summary.restarts, summary.last_restart = sidecars.restarts, sidecars.last_restart
        _run(status, summary)
    if is_deleted(value):
        if status.get("reason") == _UNREACHABLE:
            summary.reason = "Unknown"
        elif status.get("phase") not in _ENDED:
            summary.reason = "Terminating"
    return summary


def _initialize(value: JsonObject, summary: _Summary, sidecars: _Summary) -> bool:
    """Look at the init containers up to the one that is at work; return whether there is one."""
    containers = listed(value, "spec", "initContainers")
    kept_running = {container.get("name") for container in containers if _is_sidecar(container)}
    for index, status in enumerate(listed(value, "status", "initContainerStatuses")):
        is_sidecar = status.get("name") in kept_running
        summary.count(status)
        if is_sidecar:
            sidecars.count(status)
        ended = (status.get("state") or {}).get("terminated")
        if ended is not None and not ended.get("exitCode"):
            continue
        if is_sidecar and status.get("started"):
            summary.ready += bool(status.get("ready"))
            continue
        summary.reason = "Init:" + _init_reason(status, f"{index}/{len(containers)}")
        return True
    return False


def _init_reason(status: JsonObject, progress: str) -> str:
    state = status.get("state") or {}
    if state.get("terminated") is not None:
        return _end(state["terminated"])
    waiting: str = below(state, "waiting").get("reason", "")
    return waiting if waiting and waiting != "PodInitializing" else progress


def _end(terminated: JsonObject) -> str:
    reason: str = terminated.get("reason", "")
    if reason:
        return reason
    if terminated.get("signal"):
        return f"Signal:{terminated['signal']}"
    return f"ExitCode:{terminated.get('exitCode', 0)}"


def _run(status: JsonObject, summary: _Summary) -> None:
    """Look at the containers, the last first."""
    is_running, fault = False, ""
    for container in reversed(listed(status, "containerStatuses")):
        summary.count(container)
        state: dict[str, Any] = container.get("state") or {}
        if below(state, "waiting").get("reason"):
            summary.reason = state["waiting"]["reason"]
        elif state.get("terminated") is not None:
            summary.reason = _end(state["terminated"])
            fault = summary.reason if state["terminated"].get("exitCode") else fault
        elif container.get("ready") and state.get("running") is not None:
            is_running = True
            summary.ready += 1
    if summary.reason == "Completed":
        summary.reason = _completed(status, is_running=is_running, fault=fault)


def _completed(status: JsonObject, *, is_running: bool, fault: str) -> str:
    """Return the word for a pod of which some containers are done."""
    if is_running and _is_ready(listed(status, "conditions")):
        return "Running"
    if fault:
        return fault
    return "NotReady" if is_running else "Completed"


def _is_ready(found: list[JsonObject]) -> bool:
    return any(condition.get("type") == "Ready" and condition.get("status") == "True" for condition in found)


PRINTERS: Final[dict[str, Printer]] = {"Pod": _pod}
