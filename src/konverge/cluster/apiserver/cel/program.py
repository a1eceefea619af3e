"""A checked expression, ready to run: `Program(checked).evaluate({"self": …})`.

A program is made once and runs often; it keeps nothing between runs. Making one raises CelError where cel-go cannot
make one either: a constant that cannot be converted, an illegal pattern.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from konverge.cluster.apiserver.cel.cel_error import CelError, CostExceeded
from konverge.cluster.apiserver.cel.checker import CheckedExpression
from konverge.cluster.apiserver.cel.frame import PER_CALL_LIMIT, UNSET, Frame
from konverge.cluster.apiserver.cel.planner import Planner
from konverge.cluster.apiserver.cel.recursion import deep_recursion

_VARIABLES: Final = ("self", "oldSelf")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an evaluation gave: a value or an error, and what it cost."""

    value: Any
    error: CelError | CostExceeded | None
    cost: int


class Program:
    """An expression as closures."""

    __slots__ = ("_run", "_slots")

    def __init__(self, checked: CheckedExpression) -> None:
        planner = Planner(checked, _VARIABLES)
        with deep_recursion():
            self._run = planner.plan(checked.expr).run
        self._slots = planner.slots

    def evaluate(self, variables: Mapping[str, Any], *, limit: int = PER_CALL_LIMIT) -> Outcome:
        """Run it with variables that are CEL values; `limit` is the most that one call may cost."""
        slots = [variables.get(name, UNSET) for name in _VARIABLES]
        slots += [UNSET] * (self._slots - len(slots))
        frame = Frame(slots, limit)
        try:
            with deep_recursion():
                value = self._run(frame)
            frame.check()
        except CelError as error:
            if frame.cost > frame.limit:
                return Outcome(None, CostExceeded(), frame.cost)
            return Outcome(None, error, frame.cost)
        except CostExceeded as exceeded:
            return Outcome(None, exceeded, frame.cost)
        return Outcome(value, None, frame.cost)
