"""The size of a target within the bounds of its autoscaler; pure."""

from __future__ import annotations

from dataclasses import dataclass

from konverge.models import autoscaling_v2


@dataclass(frozen=True, slots=True)
class Resize:
    """The size that a target is to have, and why."""

    replicas: int
    reason: str


def resize(spec: autoscaling_v2.HorizontalPodAutoscalerSpec, current: int) -> Resize | None:
    """Return what brings a target within its bounds; None where it is, and only metrics could tell a better size.

    A target of no replicas was switched off by someone, and stays so.
    """
    least = 1 if spec.min_replicas is None else spec.min_replicas
    if current > spec.max_replicas:
        return Resize(spec.max_replicas, "Current number of replicas above Spec.MaxReplicas")
    if 0 < current < least:
        return Resize(least, "Current number of replicas below Spec.MinReplicas")
    return None
