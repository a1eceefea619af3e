"""Facts that a node's conditions say of a pod; pure. A condition that does not change keeps its time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from konverge.models import core_v1


class Fact(msgspec.Struct, frozen=True):
    """What a condition is to say."""

    holds: bool
    reason: str = ""
    message: str = ""


def with_gates(pod: core_v1.Pod, containers: Fact) -> Fact:
    """Return the readiness of a pod: that of its containers, and of its readiness gates, all of them."""
    if not containers.holds:
        return containers
    known = {each.type: each.status for each in pod.status.conditions or ()}
    gates = (each.condition_type for each in pod.spec.readiness_gates or ())
    unmet = [_unmet(gate, known.get(gate)) for gate in gates if known.get(gate) != "True"]
    return Fact(False, "ReadinessGatesNotReady", ", ".join(unmet)) if unmet else containers


def _unmet(gate: str, status: str | None) -> str:
    if status is None:
        return f'corresponding condition of pod readiness gate "{gate}" does not exist.'
    return f'the status of pod readiness gate "{gate}" is not "True", but {status}'


def conditions_of(pod: core_v1.Pod, facts: Mapping[str, Fact], now: datetime) -> list[core_v1.PodCondition]:
    """Return all conditions that a pod is to have, by type; those of others are left alone."""
    before = {each.type: each for each in pod.status.conditions or ()}
    ours = [_condition(pod, before.get(name), name=name, fact=fact, now=now) for name, fact in facts.items()]
    return [*ours, *(each for each in before.values() if each.type not in facts)]


def _condition(
    pod: core_v1.Pod, before: core_v1.PodCondition | None, *, name: str, fact: Fact, now: datetime
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
