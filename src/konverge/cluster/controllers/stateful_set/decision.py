"""Decision: what is to be done to the pods of a stateful set now, and what its status is then; pure.

In three parts, each of which may keep the next from happening: the pods that are to be there, from the first number up;
the pods that are too many, from the last number down; the pods of an older revision, from the last number down. In
order (`OrderedReady`) one step is taken at a time, and the next only when every pod before it is available; in parallel
all steps are taken at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from enum import Enum, auto

import msgspec

from konverge.cluster.controllers.controller_revision import template_in
from konverge.cluster.controllers.pod_state import is_available, is_ready, is_terminal
from konverge.cluster.controllers.stateful_set.claims import Claims, claims_of, is_stale, owners_differ
from konverge.cluster.controllers.stateful_set.identity import (
    has_identity,
    has_volumes,
    is_in_range,
    ordinal_of,
    pod_of,
    replicas_of,
    revision_of,
    start_of,
)
from konverge.models import apps_v1, core_v1


class Verb(Enum):
    """What is done to a pod."""

    CREATE = auto()  # with its claims
    DELETE = auto()
    CREATE_CLAIMS = auto()  # those that a pending pod waits for
    CORRECT = auto()  # labels, volumes and the owners of claims
    CORRECT_CLAIMS = auto()  # the owners of the claims alone


class Step(msgspec.Struct, frozen=True):
    """One thing to do."""

    verb: Verb
    pod: core_v1.Pod


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is known of a stateful set."""

    stateful_set: apps_v1.StatefulSet
    pods: tuple[core_v1.Pod, ...]
    claims: Claims
    current: apps_v1.ControllerRevision  # the one that the pods had before the last change
    update: apps_v1.ControllerRevision  # the newest
    now: datetime

    @property
    def in_order(self) -> bool:
        """Whether one step is taken at a time."""
        return self.stateful_set.spec.pod_management_policy != "Parallel"

    def is_available(self, pod: core_v1.Pod) -> bool:
        """Whether a pod has been ready for long enough."""
        return is_available(pod, self.stateful_set.spec.min_ready_seconds or 0, self.now)


class Decision(msgspec.Struct, frozen=True):
    """What to do; `outdated` says how many of the deletions replace pods of an older revision."""

    steps: tuple[Step, ...]
    outdated: int = 0


class _Turn(msgspec.Struct, frozen=True):
    """What one pod needs; with `blocks`, in order, nothing that comes later may happen yet."""

    steps: tuple[Step, ...] = ()
    blocks: bool = False


def decide(situation: Situation) -> Decision:
    """Decide what to do."""
    if situation.stateful_set.metadata.deletion_timestamp:
        return Decision(())
    steps: list[Step] = []
    replicas = _replicas(situation)
    for turn in _turns(situation, replicas):
        steps += turn.steps
        if turn.blocks and situation.in_order:
            return Decision(tuple(steps))
    outdated = _outdated(situation, replicas)
    return Decision((*steps, *outdated), len(outdated))


def _turns(situation: Situation, replicas: list[core_v1.Pod]) -> Iterator[_Turn]:
    """Yield what each pod needs: those that are to be there, then those that are too many."""
    condemned = _condemned(situation)
    for pod in replicas:
        yield _keep(situation, pod)
    yield _Turn(tuple(Step(Verb.CORRECT_CLAIMS, pod) for pod in condemned if _has_wrong_owners(situation, pod)))
    first = _first_unavailable(situation, replicas, condemned)
    for pod in condemned:
        yield _take_away(situation, pod, first)


def _replicas(situation: Situation) -> list[core_v1.Pod]:
    """The pods of all numbers that are to be there; one that is not is shown as it would be created."""
    there = {ordinal_of(pod): pod for pod in situation.pods if is_in_range(situation.stateful_set, pod)}
    start = start_of(situation.stateful_set)
    numbers = range(start, start + replicas_of(situation.stateful_set))
    return [there[number] if number in there else _new_pod(situation, number) for number in numbers]


def _new_pod(situation: Situation, ordinal: int) -> core_v1.Pod:
    revision = situation.current if _is_kept_back(situation.stateful_set, ordinal) else situation.update
    name = revision.metadata.name or ""
    return pod_of(situation.stateful_set, template_in(revision), revision=name, ordinal=ordinal)


def _is_kept_back(stateful_set: apps_v1.StatefulSet, ordinal: int) -> bool:
    """Whether a pod that is lost comes back in the older revision."""
    strategy, place = stateful_set.spec.update_strategy, ordinal - start_of(stateful_set)
    if strategy is None or strategy.type != "RollingUpdate":
        return False
    if strategy.rolling_update is None:
        return place < (stateful_set.status.current_replicas or 0)
    return place < (strategy.rolling_update.partition or 0)


def _condemned(situation: Situation) -> list[core_v1.Pod]:
    """The pods that are too many, the last number first."""
    surplus = [pod for pod in situation.pods if not is_in_range(situation.stateful_set, pod) and ordinal_of(pod) >= 0]
    return sorted(surplus, key=ordinal_of, reverse=True)


def is_created(pod: core_v1.Pod) -> bool:
    """Whether a pod is there, and not only to be."""
    return bool(pod.status.phase)


def is_leaving(pod: core_v1.Pod) -> bool:
    """Whether a pod was deleted."""
    return pod.metadata.deletion_timestamp is not None


def _is_unavailable(situation: Situation, pod: core_v1.Pod) -> bool:
    return not situation.is_available(pod) or is_leaving(pod)


def _first_unavailable(
    situation: Situation, replicas: list[core_v1.Pod], condemned: list[core_v1.Pod]
) -> core_v1.Pod | None:
    everyone = (*replicas, *reversed(condemned))
    return next((pod for pod in everyone if _is_unavailable(situation, pod)), None)


def _keep(situation: Situation, pod: core_v1.Pod) -> _Turn:
    """What it takes that a pod is there and right."""
    if is_terminal(pod):  # it has ended, well or not: it comes back when it is gone
        return _Turn(() if is_leaving(pod) else (Step(Verb.DELETE, pod),), blocks=True)
    if not is_created(pod):
        waits = is_stale(situation.stateful_set, pod, situation.claims)
        return _Turn(() if waits else (Step(Verb.CREATE, pod),), blocks=True)
    steps = (Step(Verb.CREATE_CLAIMS, pod),) if _waits_for_claims(situation, pod) else ()
    if situation.in_order and (is_leaving(pod) or not is_running(pod) or not situation.is_available(pod)):
        return _Turn(steps, blocks=True)
    return _Turn(steps if _is_right(situation, pod) else (*steps, Step(Verb.CORRECT, pod)))


def is_running(pod: core_v1.Pod) -> bool:
    """Whether a pod runs and is ready."""
    return pod.status.phase == "Running" and is_ready(pod)


def _waits_for_claims(situation: Situation, pod: core_v1.Pod) -> bool:
    """Whether a pod is pending and a claim of its number is missing, or not owned as it should be."""
    templates = situation.stateful_set.spec.volume_claim_templates or ()
    there = claims_of(situation.stateful_set, pod, situation.claims)
    incomplete = len(there) < len(templates) or _has_wrong_owners(situation, pod)
    return pod.status.phase == "Pending" and incomplete


def _is_right(situation: Situation, pod: core_v1.Pod) -> bool:
    right = has_identity(pod) and has_volumes(situation.stateful_set, pod)
    return right and not _has_wrong_owners(situation, pod)


def _has_wrong_owners(situation: Situation, pod: core_v1.Pod) -> bool:
    there = claims_of(situation.stateful_set, pod, situation.claims)
    return any(owners_differ(situation.stateful_set, pod, claim) for claim in there)


def _take_away(situation: Situation, pod: core_v1.Pod, first_unavailable: core_v1.Pod | None) -> _Turn:
    """What it takes that a pod goes; in order, only when everything before it is available, or it is what is not."""
    if is_leaving(pod):
        return _Turn(blocks=True)
    healthy = is_running(pod) and situation.is_available(pod)
    if situation.in_order and not healthy and pod is not first_unavailable:
        return _Turn(blocks=True)
    return _Turn((Step(Verb.DELETE, pod),), blocks=True)


def _outdated(situation: Situation, replicas: list[core_v1.Pod]) -> tuple[Step, ...]:
    """Return the pod to replace by one of the newest revision, if there is one and every later one is available."""
    strategy = situation.stateful_set.spec.update_strategy
    if strategy is not None and strategy.type == "OnDelete":
        return ()
    rolling = strategy.rolling_update if strategy else None
    for pod in reversed(replicas[(rolling.partition or 0) if rolling else 0 :]):
        is_going = is_leaving(pod) or is_terminal(pod)  # what has ended is deleted for that
        if revision_of(pod) != situation.update.metadata.name and not is_going:
            return (Step(Verb.DELETE, pod),)
        if _is_unavailable(situation, pod):
            return ()
    return ()
