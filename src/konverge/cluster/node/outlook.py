"""Outlook: what has become of a simulated pod, and when that will change; pure, from its behaviour and the time."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

from konverge.cluster.node.behaviour import Behaviour
from konverge.cluster.node.run_history import History, init_history, main_history
from konverge.models import core_v1

NOT_STARTED: Final = History()


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """A pod at a moment."""

    phase: str
    is_initialized: bool  # its init containers have ended well, or it has none
    is_ready: bool
    has_sandbox: bool  # and with it an address
    inits: tuple[History, ...]  # of the init containers that end, in their order
    main: History  # of all its containers: they do the same
    changes_after: float | None  # seconds from now; None: not by itself


def plain_inits(pod: core_v1.Pod) -> list[core_v1.Container]:
    """Return the init containers that end before the others begin; those that are started again serve all along."""
    return [each for each in pod.spec.init_containers or () if each.restart_policy != "Always"]


def ended_well(history: History) -> bool:
    """Whether a container is done, with success."""
    return history.is_over and history.runs[-1].code == 0


def outlook(pod: core_v1.Pod, behaviour: Behaviour, *, start: datetime, now: datetime) -> Outlook:
    """Return what has become of a pod that was started at `start`."""
    passed = max((now - start).total_seconds(), 0.0)  # a clock that was set back does not stop what runs
    inits, main = _histories(pod, behaviour, passed)
    failed = any(each.is_over and not ended_well(each) for each in inits)
    ready_at = _ready_at(behaviour, main)
    is_ready = ready_at is not None and passed >= ready_at
    moments = (*(each.changes_at for each in inits), main.changes_at, None if is_ready else ready_at)
    return Outlook(
        phase="Failed" if failed else _phase(main),
        is_initialized=all(map(ended_well, inits)),
        is_ready=is_ready,
        has_sandbox=not behaviour.hang and passed >= behaviour.start_after,
        inits=inits,
        main=main,
        changes_after=None if failed else min((at - passed for at in moments if at and at > passed), default=None),
    )


def _histories(pod: core_v1.Pod, behaviour: Behaviour, passed: float) -> tuple[tuple[History, ...], History]:
    """The init containers' histories, one after the other, and that of the others, which come last."""
    policy = pod.spec.restart_policy or "Always"
    never = behaviour.hang or bool(behaviour.waiting)
    begin: float | None = None if never else behaviour.start_after
    found: list[History] = []
    for _ in plain_inits(pod):
        history = NOT_STARTED if begin is None else init_history(behaviour, start=begin, policy=policy, now=passed)
        found.append(history)
        begin = history.runs[-1].end if ended_well(history) else None
    if begin is None:
        return tuple(found), NOT_STARTED
    return tuple(found), main_history(behaviour, start=begin, policy=policy, now=passed)


def _ready_at(behaviour: Behaviour, main: History) -> float | None:
    if main.current is None or behaviour.ready_after is None:
        return None
    return main.current.start + behaviour.ready_after


def _phase(main: History) -> str:
    if main.is_over:
        return "Succeeded" if ended_well(main) else "Failed"
    return "Running" if main.runs else "Pending"
