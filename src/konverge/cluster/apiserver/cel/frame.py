"""What one evaluation knows: the values of its variables, and what it has cost so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from konverge.cluster.apiserver.cel.cel_error import CostExceeded

PER_CALL_LIMIT: Final = 1_000_000


class Frame:
    """One evaluation. Each variable, and each that a fold binds, has its slot."""

    __slots__ = ("cost", "limit", "slots")

    def __init__(self, slots: list[Any], limit: int = PER_CALL_LIMIT) -> None:
        self.slots = slots
        self.cost = 0
        self.limit = limit

    def check(self) -> None:
        """Stop where the evaluation costs too much; asked where time is spent.

        The real engine asks after each step, and steps cost one: that is the cost at which it stops.
        """
        if self.cost > self.limit:
            self.cost = self.limit + 1
            raise CostExceeded

    def spend(self, amount: int) -> None:
        """Count a step that may cost much."""
        self.check()
        self.cost += amount
        if self.cost > self.limit:
            raise CostExceeded


Run: TypeAlias = Callable[[Frame], Any]


class Unset:
    """A slot without a value."""


UNSET: Final = Unset()
