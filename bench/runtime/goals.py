"""What konverge should reach, as ratios to the peers in the same run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import programs
from trial import UNITS, Figures


@dataclass(frozen=True)
class Goal:
    """At most so much of what the best of some peers needs."""

    figure: str
    ratio: float
    peers: tuple[str, ...] = programs.GO_PEERS


_RUST_CPU = Goal("cpu", 1.0, (programs.RUST,))
GOALS: dict[str, tuple[Goal, ...]] = {
    "noop": (Goal("cpu", 0.4), Goal("rss_mb", 0.5), Goal("seconds", 0.6), _RUST_CPU),
    "children": (Goal("cpu", 0.75), Goal("rss_mb", 0.55), Goal("seconds", 0.9), _RUST_CPU),
    "latency": (Goal("p50", 1.0), Goal("p99", 1.0)),
    "noop100k": (Goal("cpu", 0.35), Goal("rss_mb", 0.35)),
}


@dataclass(frozen=True)
class Verdict:
    """How a goal was met."""

    goal: Goal
    ratio: float
    peer: str

    @property
    def met(self) -> bool:
        """Whether it was."""
        return self.ratio <= self.goal.ratio

    def __str__(self) -> str:
        outcome = "met" if self.met else "MISSED"
        return f"{UNITS[self.goal.figure]}: {self.ratio:.2f}x of {self.peer}, goal {self.goal.ratio:.2f}x: {outcome}"


def verdicts(results: dict[str, Figures], goals: tuple[Goal, ...]) -> Iterator[Verdict]:
    """Compare konverge with the best of each goal's peers, figure by figure."""
    ours = results[programs.OURS]
    for goal in goals:
        values = {peer: results[peer][goal.figure] for peer in goal.peers if peer in results}
        if values:
            best = min(values, key=lambda peer: values[peer])
            yield Verdict(goal, ours[goal.figure] / values[best], best)
