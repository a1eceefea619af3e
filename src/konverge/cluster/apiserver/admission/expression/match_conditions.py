"""MatchConditions: expressions that must all hold for a policy or a webhook to be about a write.

One that is false decides, whatever the others are. Where none is and one fails, the failure policy decides: `Fail`
refuses the write, `Ignore` leaves the policy or webhook out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from konverge.cluster.apiserver.access.attempt import aggregated
from konverge.cluster.apiserver.admission.expression.compiler import Compiler
from konverge.cluster.apiserver.admission.expression.evaluation import (
    MATCH_BUDGET,
    Evaluation,
    EvaluationError,
    OutOfBudget,
)
from konverge.cluster.apiserver.admission.expression.inputs import Inputs
from konverge.cluster.apiserver.cel.types import BOOL


@dataclass(frozen=True, slots=True)
class Matched:
    """Whether a write is matched; `error` where that could not be told and the write must be refused."""

    is_matched: bool
    error: str = ""


class MatchConditions:
    """The conditions (`name`, `expression`) of one policy or webhook, compiled. None at all match everything."""

    def __init__(self, conditions: Sequence[Mapping[str, Any]], compiler: Compiler | None = None) -> None:
        self._compiler = compiler or Compiler()
        self._compiled = [self._compiler.compile(each.get("expression", ""), BOOL) for each in conditions]

    def match(self, inputs: Inputs, *, fails: bool) -> Matched:
        """Ask them of a write; `fails`: the failure policy is `Fail`."""
        if not self._compiled:
            return Matched(is_matched=True)
        # Conditions see no namespace, though they may name it.
        values = {**inputs.variables, "namespaceObject": None}
        evaluation = Evaluation(values, self._compiler.variables, budget=MATCH_BUDGET)
        errors: list[str] = []
        try:
            # All of them run before any is looked at: their cost counts even where the first one decides.
            results = [self._result(evaluation, each, errors) for each in self._compiled]
        except OutOfBudget as error:
            return Matched(is_matched=False, error=str(error) if fails else "")
        if False in results:
            return Matched(is_matched=False)
        return Matched(is_matched=not errors, error=aggregated(errors) if fails else "")

    @staticmethod
    def _result(evaluation: Evaluation, expression: Any, errors: list[str]) -> Any:
        try:
            return evaluation.run(expression)
        except EvaluationError as error:
            errors.append(str(error))
            return None
