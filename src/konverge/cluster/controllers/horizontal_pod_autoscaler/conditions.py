"""The conditions of an autoscaler, dated when their status changes."""

from __future__ import annotations

from konverge import clock
from konverge.models import autoscaling_v2

ABLE, ACTIVE = "AbleToScale", "ScalingActive"


def set_condition(
    autoscaler: autoscaling_v2.HorizontalPodAutoscaler, type_: str, *, is_met: bool, reason: str, message: str
) -> None:
    """Write a condition, in its place or behind the others."""
    conditions = autoscaler.status.conditions = autoscaler.status.conditions or []
    status = "True" if is_met else "False"
    found = next((each for each in conditions if each.type == type_), None)
    if found is None:
        found = autoscaling_v2.HorizontalPodAutoscalerCondition(type=type_, status="")
        conditions.append(found)
    if found.status != status:
        found.status, found.last_transition_time = status, clock.now().replace(microsecond=0)
    found.reason, found.message = reason, message
