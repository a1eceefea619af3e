"""`all` and `exists` over one variable: the folds of almost every rule, run as plain loops.

They give and cost what the fold gives and costs that the macro stands for. For each element that asks whether to go on
(`all`: the result and the question; `exists`: also its negation), reads the result, and evaluates the predicate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from konverge.cluster.apiserver.cel.ast import Call, Comprehension, Expr, Ident, Literal, Operator
from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.fold import items_of
from konverge.cluster.apiserver.cel.frame import Frame, Run

_QUESTION: Final = {False: 2, True: 3}  # what it costs to ask whether to go on: `all`, `exists`


@dataclass(frozen=True, slots=True)
class Quantifier:
    """`decisive` is what ends the loop: false for `all`, true for `exists`."""

    decisive: bool
    predicate: Expr


def quantifier_of(expr: Comprehension) -> Quantifier | None:
    """Return what a fold asks of its elements; None where it is no `all` or `exists` over one variable."""
    start, step = expr.accu_init, expr.loop_step
    if expr.iter_var2 or not isinstance(start, Literal) or not isinstance(step, Call):
        return None
    if not _is_name(expr.result, expr.accu_var) or len(step.args) != 2 or not _is_name(step.args[0], expr.accu_var):  # noqa: PLR2004 - binary
        return None
    question = _question(expr.loop_condition)
    if step.function == Operator.LOGICAL_AND and start.value is True and _is_name(question, expr.accu_var):
        return Quantifier(False, step.args[1])
    negated = question.args[0] if isinstance(question, Call) and question.function == Operator.LOGICAL_NOT else None
    if step.function == Operator.LOGICAL_OR and start.value is False and _is_name(negated, expr.accu_var):
        return Quantifier(True, step.args[1])
    return None


def _question(condition: Expr) -> Expr | None:
    if isinstance(condition, Call) and condition.function == Operator.NOT_STRICTLY_FALSE:
        return condition.args[0]
    return None


def _is_name(expr: Expr | None, name: str) -> bool:
    return isinstance(expr, Ident) and expr.name == name


def quantified(values: Run, predicate: Run, *, slot: int, decisive: bool) -> Run:
    """Return the loop; `slot` is that of the variable."""
    question = _QUESTION[decisive]
    each = question + 1

    def run(frame: Frame) -> Any:
        slots = frame.slots
        failed: CelError | None = None
        is_decided = False
        for value in items_of(values(frame)):
            if is_decided:
                frame.cost += question
                break
            frame.cost += each
            slots[slot] = value
            try:
                answer = predicate(frame)
                if answer is decisive:
                    is_decided = True
                elif answer is not True and answer is not False:
                    failed = failed or no_such_overload()
            except CelError as error:
                failed = failed or error
            if frame.cost > frame.limit:
                frame.check()
        frame.cost += 1
        if is_decided:
            return decisive
        if failed is not None:
            raise failed
        return not decisive

    return run
