"""The conditions of a simulated pod, as a kubelet keeps them; pure. Those of others are left alone."""

from __future__ import annotations

from datetime import datetime

from konverge.cluster.node.condition_facts import Fact, conditions_of, with_gates
from konverge.cluster.node.outlook import Outlook, ended_well, plain_inits
from konverge.models import core_v1


def conditions(pod: core_v1.Pod, seen: Outlook, now: datetime) -> list[core_v1.PodCondition]:
    """Return all conditions that a pod is to have."""
    return conditions_of(pod, _facts(pod, seen), now)


def _facts(pod: core_v1.Pod, seen: Outlook) -> dict[str, Fact]:
    ended = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}.get(seen.phase, "")
    ready = _readiness(pod, seen, ended)
    return {
        "PodReadyToStartContainers": Fact(seen.has_sandbox and not ended),
        "Initialized": _initialized(pod, seen),
        "Ready": with_gates(pod, ready),
        "ContainersReady": ready,
        "PodScheduled": Fact(holds=True),
    }


def _readiness(pod: core_v1.Pod, seen: Outlook, ended: str) -> Fact:
    if seen.is_ready or ended:
        return Fact(seen.is_ready, ended)
    names = " ".join(each.name for each in pod.spec.containers)
    return Fact(False, "ContainersNotReady", f"containers with unready status: [{names}]")


def _initialized(pod: core_v1.Pod, seen: Outlook) -> Fact:
    if seen.is_initialized:
        return Fact(True, "PodCompleted" if seen.phase == "Succeeded" else "")
    pairs = zip(plain_inits(pod), seen.inits, strict=True)
    names = " ".join(each.name for each, history in pairs if not ended_well(history))
    return Fact(False, "ContainersNotInitialized", f"containers with incomplete status: [{names}]")
