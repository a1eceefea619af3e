"""What controllers ask of a pod: whether it is active, on its way out, ready, available; pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from konverge.models import core_v1

_TERMINAL: Final = ("Succeeded", "Failed")


def is_terminal(pod: core_v1.Pod) -> bool:
    """Whether a pod has ended for good."""
    return pod.status.phase in _TERMINAL


def is_active(pod: core_v1.Pod) -> bool:
    """Whether a pod counts: it has neither ended nor been deleted."""
    return not is_terminal(pod) and pod.metadata.deletion_timestamp is None


def is_terminating(pod: core_v1.Pod) -> bool:
    """Whether a pod was deleted and has not ended yet."""
    return not is_terminal(pod) and pod.metadata.deletion_timestamp is not None


def ready_condition(pod: core_v1.Pod) -> core_v1.PodCondition | None:
    """Return the condition Ready."""
    return next((each for each in pod.status.conditions or () if each.type == "Ready"), None)


def is_ready(pod: core_v1.Pod) -> bool:
    """Whether a pod is ready."""
    found = ready_condition(pod)
    return found is not None and found.status == "True"


def ready_since(pod: core_v1.Pod) -> datetime | None:
    """Return since when a pod has been ready; None if it is not."""
    found = ready_condition(pod)
    return found.last_transition_time if found is not None and found.status == "True" else None


def is_available(pod: core_v1.Pod, min_ready_seconds: int, now: datetime) -> bool:
    """Whether a pod has been ready for this long."""
    if not is_ready(pod):
        return False
    since = ready_since(pod)
    return not min_ready_seconds or (since is not None and since + timedelta(seconds=min_ready_seconds) <= now)


def available_in(pods: Iterable[core_v1.Pod], min_ready_seconds: int, now: datetime) -> float | None:
    """Return the seconds until the next of the pods becomes available; None if none will by waiting."""
    moments = [since + timedelta(seconds=min_ready_seconds) for pod in pods if (since := ready_since(pod)) is not None]
    return min(((moment - now).total_seconds() for moment in moments if moment > now), default=None)
