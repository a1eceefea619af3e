"""A checked expression, ready to run: `Program(checked).evaluate({"self": …})`.

A program is made once and runs often; it keeps nothing between runs. Making one raises CelError where cel-go cannot
make one either: a constant that cannot be converted, an illegal pattern.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from konverge.cluster.apiserver.cel.ast import Expr, children
from konverge.cluster.apiserver.cel.cel_error import CelError, CostExceeded, Panicked
from konverge.cluster.apiserver.cel.checker import CheckedExpression
from konverge.cluster.apiserver.cel.frame import PER_CALL_LIMIT, UNSET, Frame
from konverge.cluster.apiserver.cel.planner import Planner
from konverge.cluster.apiserver.cel.recursion import deep_recursion

_VARIABLES: Final = ("self", "oldSelf")
_SHALLOW: Final = 60  # levels: an expression takes up to four calls for each, and Python allows a thousand in all


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an evaluation gave: a value or an error, and what it cost."""

    value: Any
    error: CelError | CostExceeded | Panicked | None
    cost: int


class Program:
    """An expression as closures."""

    __slots__ = ("_is_deep", "_rest", "_run", "_variables")

    def __init__(self, checked: CheckedExpression, variables: Sequence[str] = _VARIABLES) -> None:
        planner = Planner(checked, variables)
        self._variables = tuple(variables)
        with deep_recursion():
            self._run = planner.plan(checked.expr).run
            self._is_deep = _depth(checked.expr) > _SHALLOW
        self._rest = [UNSET] * (planner.slots - len(variables))

    def evaluate(self, variables: Mapping[str, Any], *, limit: int = PER_CALL_LIMIT) -> Outcome:
        """Run it with variables that are CEL values; `limit` is the most that one call may cost."""
        frame = Frame([*[variables.get(name, UNSET) for name in self._variables], *self._rest], limit)
        try:
            value = self._run_deep(frame) if self._is_deep else self._run(frame)
            frame.check()
        except CelError as error:
            if frame.cost > frame.limit:
                return Outcome(None, CostExceeded(), frame.cost)
            return Outcome(None, error, frame.cost)
        except (CostExceeded, Panicked) as failure:
            return Outcome(None, failure, frame.cost)
        return Outcome(value, None, frame.cost)

    def _run_deep(self, frame: Frame) -> Any:
        with deep_recursion():
            return self._run(frame)


def _depth(expr: Expr) -> int:
    return 1 + max((_depth(child) for child in children(expr)), default=0)
