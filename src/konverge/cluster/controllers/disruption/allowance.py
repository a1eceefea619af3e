"""What a budget's status is to say: how many pods there should be, how many are healthy, how many may go; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import konverge as kv
from konverge.api.int_or_string import scaled_value
from konverge.cluster.controllers.pod_state import is_ready
from konverge.models import core_v1, policy_v1

DELETION_TIMEOUT: Final = timedelta(minutes=2)  # in which a pod whose eviction was granted must be on its way out
CONDITION: Final = "DisruptionAllowed"


@dataclass(frozen=True, slots=True)
class Expected:
    """How many pods there should be, and how many of them healthy."""

    pods: int
    healthy: int


@dataclass(frozen=True, slots=True)
class Evicted:
    """Pods whose eviction was granted and that are not on their way out yet, and when to look again."""

    pods: Mapping[str, datetime]
    overdue: tuple[core_v1.Pod, ...]  # granted too long ago: nobody deleted them
    recheck_at: datetime | None


def needs_scale(budget: policy_v1.PodDisruptionBudget) -> bool:
    """Whether the pods that should be there are counted by their controllers, not by looking at what is there."""
    return budget.spec.max_unavailable is not None or isinstance(budget.spec.min_available, str)


def expected(budget: policy_v1.PodDisruptionBudget, *, present: int, scale: int) -> Expected:
    """Say what should be there: `present` pods are, and their controllers are to have `scale` of them."""
    spec = budget.spec
    if spec.max_unavailable is not None:
        return Expected(scale, max(0, scale - scaled_value(spec.max_unavailable, scale, round_up=True)))
    if isinstance(spec.min_available, str):
        return Expected(scale, scaled_value(spec.min_available, scale, round_up=True))
    return Expected(present, spec.min_available) if spec.min_available is not None else Expected(0, 0)


def still_evicted(pods: Sequence[core_v1.Pod], granted: Mapping[str, datetime] | None, *, now: datetime) -> Evicted:
    """Go through the evictions that were granted; what is gone, or on its way out, is forgotten."""
    waiting: dict[str, datetime] = {}
    overdue = []
    for pod in pods:
        at = (granted or {}).get(pod.metadata.name or "")
        if pod.metadata.deletion_timestamp is not None or at is None:
            continue
        if at + DELETION_TIMEOUT < now:
            overdue.append(pod)
        else:
            waiting[pod.metadata.name or ""] = at
    recheck_at = min(waiting.values()) + DELETION_TIMEOUT if waiting else None
    return Evicted(waiting, tuple(overdue), recheck_at)


def healthy(pods: Sequence[core_v1.Pod], evicted: Mapping[str, datetime]) -> int:
    """Count the pods that are ready and stay."""
    staying = (pod for pod in pods if pod.metadata.deletion_timestamp is None and pod.metadata.name not in evicted)
    return sum(is_ready(pod) for pod in staying)


def set_status(
    budget: policy_v1.PodDisruptionBudget, wanted: Expected, *, healthy_now: int, evicted: Mapping[str, datetime]
) -> None:
    """Write the status. Where no pod is expected none may go: the first ones may come before the next look."""
    status = budget.status
    spare = healthy_now - wanted.healthy if wanted.pods > 0 else 0
    status.current_healthy, status.desired_healthy = healthy_now, wanted.healthy
    status.expected_pods, status.disruptions_allowed = wanted.pods, max(0, spare)
    status.disrupted_pods = dict(evicted) or None
    status.observed_generation = budget.metadata.generation
    _set_condition(budget, is_met=spare > 0, reason="SufficientPods" if spare > 0 else "InsufficientPods")


def set_failure(budget: policy_v1.PodDisruptionBudget, message: str) -> None:
    """Let nothing go, and say why."""
    budget.status.disruptions_allowed = 0
    _set_condition(budget, is_met=False, reason="SyncFailed", message=message)


def _set_condition(budget: policy_v1.PodDisruptionBudget, *, is_met: bool, reason: str, message: str = "") -> None:
    conditions = budget.status.conditions or []
    condition = kv.Condition(
        type=CONDITION,
        status="True" if is_met else "False",
        reason=reason,
        message=message,
        observed_generation=budget.status.observed_generation,
    )
    kv.set_condition(conditions, condition)
    budget.status.conditions = conditions
