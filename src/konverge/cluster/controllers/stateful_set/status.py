"""The status of a stateful set: its pods counted, and the newest revision made the current one when all have it."""

from __future__ import annotations

from konverge.cluster.controllers.stateful_set.decision import Decision, Situation, is_created, is_leaving, is_running
from konverge.cluster.controllers.stateful_set.identity import replicas_of, revision_of
from konverge.models import apps_v1


def status_of(situation: Situation, decision: Decision, *, collisions: int) -> apps_v1.StatefulSetStatus:
    """Return the status after a decision."""
    current, update = situation.current.metadata.name, situation.update.metadata.name
    created = [pod for pod in situation.pods if is_created(pod)]
    ready = [pod for pod in created if is_running(pod)]
    revisions = [revision_of(pod) for pod in created if not is_leaving(pod)]
    status = apps_v1.StatefulSetStatus(
        observed_generation=situation.stateful_set.metadata.generation,
        replicas=len(created),
        ready_replicas=len(ready) or None,
        available_replicas=sum(situation.is_available(pod) for pod in ready),
        current_replicas=max(revisions.count(current or "") - decision.outdated, 0) or None,
        updated_replicas=revisions.count(update or "") or None,
        current_revision=current,
        update_revision=update,
        collision_count=collisions,
        conditions=situation.stateful_set.status.conditions,
    )
    if _is_rolled_out(situation.stateful_set, status):
        status.current_replicas, status.current_revision = status.updated_replicas, status.update_revision
    return status


def _is_rolled_out(stateful_set: apps_v1.StatefulSet, status: apps_v1.StatefulSetStatus) -> bool:
    strategy, wanted = stateful_set.spec.update_strategy, replicas_of(stateful_set)
    if strategy is not None and strategy.type == "OnDelete":
        return False
    return (status.updated_replicas or 0) == (status.ready_replicas or 0) == status.replicas == wanted
