from __future__ import annotations

import pytest

from konverge.cluster.node.behaviour import Behaviour
from konverge.cluster.node.run_history import main_history


def shown(behaviour: Behaviour, policy: str, now: float) -> tuple[int, str, float | None]:
    """Return the number of runs, what the container does, and when that changes."""
    history = main_history(behaviour, start=1.0, policy=policy, now=now)
    state = "running" if history.is_running else "over" if history.is_over else "waiting"
    return len(history.runs), state, history.changes_at


CRASHES = Behaviour(exit_after=2.0, exit_codes=(1,))
RECOVERS = Behaviour(exit_after=2.0, exit_codes=(1, None))
WORKS = Behaviour(exit_after=2.0)


@pytest.mark.parametrize(
    ("behaviour", "policy", "now", "expected"),
    [
        (WORKS, "Never", 0.0, (0, "waiting", 1.0)),
        (WORKS, "Never", 1.0, (1, "running", 3.0)),
        (WORKS, "Never", 3.0, (1, "over", None)),
        (WORKS, "OnFailure", 9.0, (1, "over", None)),
        (Behaviour(), "Always", 99.0, (1, "running", None)),
        (CRASHES, "Never", 3.0, (1, "over", None)),
        (CRASHES, "OnFailure", 3.0, (2, "running", 5.0)),
        (CRASHES, "Always", 5.0, (2, "waiting", 15.0)),
        (CRASHES, "Always", 15.0, (3, "running", 17.0)),
        (CRASHES, "Always", 17.0, (3, "waiting", 37.0)),
        (RECOVERS, "Always", 99.0, (2, "running", None)),
    ],
)
def test_runs_follow_the_restart_policy(
    behaviour: Behaviour, policy: str, now: float, expected: tuple[int, str, float | None]
) -> None:
    """The first restart comes at once, the next ones after 10, 20, 40 seconds."""
    assert shown(behaviour, policy, now) == expected


def test_the_pause_has_an_end() -> None:
    """Five minutes is the longest, however often it was."""
    history = main_history(CRASHES, start=0.0, policy="Always", now=5000.0)
    assert history.pause in (0.0, 300.0)
    assert len(history.runs) < 25


def test_what_ends_as_it_begins_does_not_go_on_for_ever() -> None:
    """A run of no time at all still takes a moment before it is started again."""
    history = main_history(Behaviour(exit_after=0.0, exit_codes=(1,)), start=0.0, policy="Always", now=30.0)
    assert 1 < len(history.runs) < 10
