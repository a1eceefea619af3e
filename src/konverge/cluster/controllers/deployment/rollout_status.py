"""Rollout status: what a Deployment's status says of its ReplicaSets, and whether it gets anywhere; pure."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from konverge.cluster.controllers.deployment.sizes import available, max_unavailable, size_of, wanted
from konverge.models import apps_v1

PROGRESSING: Final = "Progressing"
_AVAILABLE: Final = "Available"
_FAILURE: Final = "ReplicaFailure"
_DONE: Final = "NewReplicaSetAvailable"
_TIMED_OUT: Final = "ProgressDeadlineExceeded"
_PAUSED: Final = "DeploymentPaused"
_ENDLESS: Final = 2**31 - 1


def has_deadline(deployment: apps_v1.Deployment) -> bool:
    """Whether a rollout that gets nowhere is reported."""
    return deployment.spec.progress_deadline_seconds not in (None, _ENDLESS)


# --- counts ---


def counted(
    deployment: apps_v1.Deployment,
    new: apps_v1.ReplicaSet | None,
    old: Sequence[apps_v1.ReplicaSet],
    *,
    now: datetime,
) -> apps_v1.DeploymentStatus:
    """Return the status that the ReplicaSets add up to, with the conditions there were and whether it is available."""
    everyone = [*old, *([new] if new else ())]
    there = available(everyone)
    status = apps_v1.DeploymentStatus(
        observed_generation=deployment.metadata.generation,
        replicas=sum(each.status.replicas or 0 for each in everyone) or None,
        updated_replicas=(new.status.replicas or None) if new else None,
        ready_replicas=sum(each.status.ready_replicas or 0 for each in everyone) or None,
        available_replicas=there or None,
        unavailable_replicas=max(sum(map(size_of, everyone)) - there, 0) or None,
        terminating_replicas=_terminating(everyone),
        collision_count=deployment.status.collision_count,
        conditions=copy.deepcopy(deployment.status.conditions),
    )
    if there >= wanted(deployment) - max_unavailable(deployment):
        condition = _condition(
            _AVAILABLE, "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", now
        )
    else:
        text = "Deployment does not have minimum availability."
        condition = _condition(_AVAILABLE, "False", "MinimumReplicasUnavailable", text, now)
    set_condition(status, condition)
    return status


def _terminating(everyone: Sequence[apps_v1.ReplicaSet]) -> int | None:
    """The pods on their way out; unknown while a ReplicaSet that was looked at does not say."""
    total = 0
    for each in everyone:
        if each.status.terminating_replicas is not None:
            total += each.status.terminating_replicas
        elif each.status.observed_generation:
            return None
    return total


def is_complete(deployment: apps_v1.Deployment, status: apps_v1.DeploymentStatus) -> bool:
    """Whether all pods are new and available, and no others are left."""
    target = wanted(deployment)
    counts = (status.updated_replicas or 0, status.replicas or 0, status.available_replicas or 0)
    return counts == (target, target, target) and (status.observed_generation or 0) >= (
        deployment.metadata.generation or 0
    )


def _gets_on(before: apps_v1.DeploymentStatus, after: apps_v1.DeploymentStatus) -> bool:
    """Whether there are more new pods, fewer old ones, or more that work."""
    old_before = (before.replicas or 0) - (before.updated_replicas or 0)
    old_after = (after.replicas or 0) - (after.updated_replicas or 0)
    return (
        (after.updated_replicas or 0) > (before.updated_replicas or 0)
        or old_after < old_before
        or (after.ready_replicas or 0) > (before.ready_replicas or 0)
        or (after.available_replicas or 0) > (before.available_replicas or 0)
    )


# --- progress ---


def with_progress(
    deployment: apps_v1.Deployment,
    new: apps_v1.ReplicaSet | None,
    old: Sequence[apps_v1.ReplicaSet],
    *,
    now: datetime,
) -> apps_v1.DeploymentStatus:
    """Return the status of a rollout: the counts, whether it gets on, and what keeps pods from being made."""
    status = counted(deployment, new, old, now=now)
    if has_deadline(deployment):
        _judge_progress(deployment, status, new, now)
    else:
        remove_condition(status, PROGRESSING)
    failure = _failure(new, old)
    if failure is None:
        remove_condition(status, _FAILURE)
    else:
        set_condition(status, failure)
    return status


def _judge_progress(
    deployment: apps_v1.Deployment, status: apps_v1.DeploymentStatus, new: apps_v1.ReplicaSet | None, now: datetime
) -> None:
    current = condition_of(deployment.status, PROGRESSING)
    if status.replicas == status.updated_replicas and current is not None and current.reason == _DONE:
        return  # nothing is being rolled out
    what = f'ReplicaSet "{new.metadata.name}"' if new else f'Deployment "{deployment.metadata.name}"'
    if is_complete(deployment, status):
        set_condition(status, _condition(PROGRESSING, "True", _DONE, f"{what} has successfully progressed.", now))
    elif _gets_on(deployment.status, status):
        condition = _condition(PROGRESSING, "True", "ReplicaSetUpdated", f"{what} is progressing.", now)
        if current is not None and current.status == "True":
            condition.last_transition_time = current.last_transition_time
        # Also where only the time differs: it says when there was progress last.
        remove_condition(status, PROGRESSING)
        set_condition(status, condition)
    elif _is_late(deployment, status, now):
        set_condition(status, _condition(PROGRESSING, "False", _TIMED_OUT, f"{what} has timed out progressing.", now))


def _is_late(deployment: apps_v1.Deployment, status: apps_v1.DeploymentStatus, now: datetime) -> bool:
    condition = condition_of(status, PROGRESSING)
    if condition is None or condition.reason == _DONE:
        return False
    due = _due(deployment, condition)
    return condition.reason == _TIMED_OUT or (due is not None and due < now)


def _due(deployment: apps_v1.Deployment, progressing: apps_v1.DeploymentCondition) -> datetime | None:
    if progressing.last_update_time is None:
        return None
    return progressing.last_update_time + timedelta(seconds=deployment.spec.progress_deadline_seconds or 0)


def check_again_in(deployment: apps_v1.Deployment, now: datetime) -> float | None:
    """Return the seconds until a rollout that makes no sign may be late; None if it cannot be."""
    condition = condition_of(deployment.status, PROGRESSING)
    if not has_deadline(deployment) or condition is None or condition.reason == _TIMED_OUT:
        return None
    due = _due(deployment, condition)
    if due is None or deployment.spec.paused or is_complete(deployment, deployment.status):
        return None
    # A second more: times are written without their fractions.
    return max((due - now).total_seconds(), 0.0) + 1.0


def _failure(new: apps_v1.ReplicaSet | None, old: Sequence[apps_v1.ReplicaSet]) -> apps_v1.DeploymentCondition | None:
    """The failure of a ReplicaSet to make pods, the new one's first."""
    for each in [*([new] if new else ()), *old]:
        for condition in each.status.conditions or ():
            if condition.type == _FAILURE:
                return apps_v1.DeploymentCondition(
                    type=_FAILURE,
                    status=condition.status,
                    reason=condition.reason,
                    message=condition.message,
                    last_transition_time=condition.last_transition_time,
                    last_update_time=condition.last_transition_time,
                )
    return None


# --- conditions ---


def paused_condition(deployment: apps_v1.Deployment, now: datetime) -> apps_v1.DeploymentCondition | None:
    """Return the condition by which a pause, or its end, is written down; None if it is already.

    A Deployment that is resumed gets the whole of its deadline again.
    """
    current = condition_of(deployment.status, PROGRESSING)
    if not has_deadline(deployment) or (current is not None and current.reason == _TIMED_OUT):
        return None
    said = current is not None and current.reason == _PAUSED
    if deployment.spec.paused and not said:
        return _condition(PROGRESSING, "Unknown", _PAUSED, "Deployment is paused", now)
    if not deployment.spec.paused and said:
        return _condition(PROGRESSING, "Unknown", "DeploymentResumed", "Deployment is resumed", now)
    return None


def created_condition(name: str, now: datetime) -> apps_v1.DeploymentCondition:
    """Return what is said when the new ReplicaSet was created."""
    return _condition(PROGRESSING, "True", "NewReplicaSetCreated", f'Created new replica set "{name}"', now)


def found_condition(name: str, now: datetime) -> apps_v1.DeploymentCondition:
    """Return what is said when the new ReplicaSet was there already."""
    return _condition(PROGRESSING, "True", "FoundNewReplicaSet", f'Found new replica set "{name}"', now)


def refused_condition(message: str, now: datetime) -> apps_v1.DeploymentCondition:
    """Return what is said when the new ReplicaSet could not be created."""
    return _condition(PROGRESSING, "False", "ReplicaSetCreateError", message, now)


def condition_of(status: apps_v1.DeploymentStatus, type_: str) -> apps_v1.DeploymentCondition | None:
    """Return the condition of a type."""
    return next((each for each in status.conditions or () if each.type == type_), None)


def set_condition(status: apps_v1.DeploymentStatus, condition: apps_v1.DeploymentCondition) -> None:
    """Put a condition in, last; one of the same status and reason stays as it is, times and message too."""
    current = condition_of(status, condition.type)
    if current is not None and current.status == condition.status:
        if current.reason == condition.reason:
            return
        condition.last_transition_time = current.last_transition_time
    remove_condition(status, condition.type)
    status.conditions = [*(status.conditions or ()), condition]


def remove_condition(status: apps_v1.DeploymentStatus, type_: str) -> None:
    """Take a condition out."""
    status.conditions = [each for each in status.conditions or () if each.type != type_] or None


def _condition(type_: str, status: str, reason: str, message: str, now: datetime) -> apps_v1.DeploymentCondition:
    moment = now.replace(microsecond=0)
    return apps_v1.DeploymentCondition(
        type=type_,
        status=status,
        reason=reason,
        message=message,
        last_update_time=moment,
        last_transition_time=moment,
    )
