"""The conditions of a simulated pod, as a kubelet keeps them; pure. Those of others are left alone."""

from __future__ import annotations

from datetime import datetime

import msgspec

from konverge.cluster.node.outlook import Outlook, ended_well, plain_inits
from konverge.models import core_v1


class _Fact(msgspec.Struct, frozen=True):
    """What a condition is to say."""

    holds: bool
    reason: str = ""
    message: str = ""


def conditions(pod: core_v1.Pod, seen: Outlook, now: datetime) -> list[core_v1.PodCondition]:
    """Return all conditions that a pod is to have; one that does not change keeps its time."""
    facts = _facts(pod, seen)
    before = {each.type: each for each in pod.status.conditions or ()}
    ours = [_condition(pod, before.get(name), name=name, fact=fact, now=now) for name, fact in facts.items()]
    return [*ours, *(each for each in before.values() if each.type not in facts)]


def _facts(pod: core_v1.Pod, seen: Outlook) -> dict[str, _Fact]:
    ended = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}.get(seen.phase, "")
    ready = _readiness(pod, seen, ended)
    return {
        "PodReadyToStartContainers": _Fact(seen.has_sandbox and not ended),
        "Initialized": _initialized(pod, seen),
        "Ready": ready,
        "ContainersReady": ready,
        "PodScheduled": _Fact(holds=True),
    }


def _readiness(pod: core_v1.Pod, seen: Outlook, ended: str) -> _Fact:
    if seen.is_ready or ended:
        return _Fact(seen.is_ready, ended)
    names = " ".join(each.name for each in pod.spec.containers)
    return _Fact(False, "ContainersNotReady", f"containers with unready status: [{names}]")


def _initialized(pod: core_v1.Pod, seen: Outlook) -> _Fact:
    if seen.is_initialized:
        return _Fact(True, "PodCompleted" if seen.phase == "Succeeded" else "")
    pairs = zip(plain_inits(pod), seen.inits, strict=True)
    names = " ".join(each.name for each, history in pairs if not ended_well(history))
    return _Fact(False, "ContainersNotInitialized", f"containers with incomplete status: [{names}]")


def _condition(
    pod: core_v1.Pod, before: core_v1.PodCondition | None, *, name: str, fact: _Fact, now: datetime
) -> core_v1.PodCondition:
    status = "True" if fact.holds else "False"
    since = before.last_transition_time if before is not None and before.status == status else None
    return core_v1.PodCondition(
        type=name,
        status=status,
        reason=fact.reason or None,
        message=fact.message or None,
        last_transition_time=since or now.replace(microsecond=0),
        observed_generation=pod.metadata.generation,
    )
