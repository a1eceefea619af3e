"""Scenario: a few lines of what users do to a namespace, and which kinds of objects are compared at the end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from comparing.stage import Stage

Play = Callable[[Stage], Awaitable[None]]

WORKLOADS = ("apps/v1 Deployment", "apps/v1 ReplicaSet", "v1 ReplicationController", "v1 Pod", "v1 Event")
"""What is compared where a scenario says nothing else."""

ALL: dict[str, Scenario] = {}
"""Every scenario that was imported, by its name: "deployment: rolls back"."""


@dataclass(frozen=True)
class Scenario:
    """A play, and the kinds ("apps/v1 Deployment") that it is judged by."""

    name: str
    play: Play
    shows: tuple[str, ...]
    rests: bool  # whether nothing is left to do at its end, so that a control plane started anew writes nothing


def scenario(*, shows: Iterable[str] = WORKLOADS, rests: bool = True) -> Callable[[Play], Play]:
    """Register a function as a scenario; its module and its name are the scenario's."""

    def register(play: Play) -> Play:
        theme = play.__module__.rpartition(".")[2].replace("_", " ")
        name = f"{theme}: {getattr(play, '__name__', '').replace('_', ' ')}"
        assert name not in ALL, f"{name} is there twice"
        ALL[name] = Scenario(name, play, tuple(shows), rests)
        return play

    return register
