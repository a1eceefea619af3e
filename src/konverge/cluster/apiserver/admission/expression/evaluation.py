"""Evaluation: runs the expressions of a policy on one write, one after the other, within a budget.

Variables are evaluated when an expression first names them, and once; their cost counts for that expression.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from konverge.cluster.apiserver.admission.expression.compiler import Compiled
from konverge.cluster.apiserver.admission.expression.declarations import VARIABLES
from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.property_name import unescaped
from konverge.cluster.apiserver.go_text import quoted

BUDGET: Final = 10_000_000  # of a policy, for a binding and a parameter
MATCH_BUDGET: Final = 2_500_000  # of its match conditions


class OutOfBudget(Exception):
    """No further expression is run."""

    def __init__(self) -> None:
        super().__init__("validation failed due to running out of cost budget, no further validation rules will be run")


class EvaluationError(Exception):
    """An expression that gave no value, in the real server's words."""


class Evaluation:
    """One run. `values` are CEL values by name; `compiled` are a policy's own variables."""

    def __init__(self, values: Mapping[str, Any], compiled: Mapping[str, Compiled], *, budget: int = BUDGET) -> None:
        self.remaining = budget
        self._values = dict(values)
        self._lazy = _LazyVariables(compiled, self._values)
        self._values[VARIABLES] = self._lazy

    def run(self, expression: Compiled) -> Any:
        """Return an expression's value; raise `EvaluationError`, or `OutOfBudget`."""
        if expression.program is None:
            raise EvaluationError(f"compilation error: {expression.complaint}")
        outcome = expression.program.evaluate(self._values)
        self._spend(self._lazy.take_cost())
        self._spend(outcome.cost)
        if outcome.error is not None:
            raise EvaluationError(f"expression '{expression.text}' resulted in error: {outcome.error}")
        return outcome.value

    def _spend(self, cost: int) -> None:
        if cost > self.remaining:
            raise OutOfBudget
        self.remaining -= cost


class _LazyVariables:
    """`variables`: a map whose values are made when they are first asked for."""

    __slots__ = ("_compiled", "_cost", "_made", "_values")
    CEL_TYPE: Final = "map"

    def __init__(self, compiled: Mapping[str, Compiled], values: Mapping[str, Any]) -> None:
        self._compiled = compiled
        self._values = values
        self._made: dict[str, Any] = {}
        self._cost = 0

    def __len__(self) -> int:
        return len(self._compiled)

    def take_cost(self) -> int:
        """Return what was spent since the last time."""
        cost, self._cost = self._cost, 0
        return cost

    def keys(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._compiled)

    def find(self, key: Any) -> tuple[Any, bool]:
        """Return a variable's value; raise the error of one that has none."""
        name = unescaped(key) if key.__class__ is str else None
        if name is None or name not in self._compiled:
            return None, False
        if name not in self._made:
            self._made[name] = self._value(name, self._compiled[name])
        if self._made[name].__class__ is CelError:
            raise self._made[name]
        return self._made[name], True

    def _value(self, name: str, compiled: Compiled) -> Any:
        if compiled.program is None:
            return CelError(f"composited variable {quoted(name)} fails to compile: {compiled.complaint}")
        outcome = compiled.program.evaluate(self._values)
        self._cost += outcome.cost
        if outcome.error is not None:
            return CelError(f"composited variable {quoted(name)} fails to evaluate: {outcome.error}")
        return outcome.value

    def same(self, other: Any) -> bool:
        """Whether it is the same map."""
        return self is other
