"""Variables are evaluated when they are named, once, and their cost counts."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.admission.expression.compiler import Compiler
from konverge.cluster.apiserver.admission.expression.evaluation import BUDGET, Evaluation, EvaluationError, OutOfBudget


def test_a_variable_costs_once() -> None:
    """The expression that first names a variable pays for it; one that names none pays for none."""
    compiler = Compiler(composes=True)
    compiler.add_variable("sum", "[1, 2, 3].map(x, x * 2).sum()")
    named, plain = compiler.compile("variables.sum == 12"), compiler.compile("1 == 1")
    evaluation = Evaluation({}, compiler.variables)
    assert evaluation.run(plain) is True
    before = evaluation.remaining
    assert BUDGET - before < 3
    assert evaluation.run(named) is True
    first = before - evaluation.remaining
    before = evaluation.remaining
    assert evaluation.run(named) is True
    assert before - evaluation.remaining < first


def test_errors_of_variables_are_values() -> None:
    """`||` absorbs the error of a variable; alone it is the expression's error."""
    compiler = Compiler(composes=True)
    compiler.add_variable("bad", "[1][7]")
    evaluation = Evaluation({}, compiler.variables)
    assert evaluation.run(compiler.compile("variables.bad == 1 || true")) is True
    text = 'composited variable "bad" fails to evaluate: index out of bounds: 7'
    with pytest.raises(EvaluationError, match=text):
        evaluation.run(compiler.compile("variables.bad == 1"))


def test_the_budget_ends() -> None:
    """What costs more than is left is an end of all expressions."""
    compiler = Compiler()
    evaluation = Evaluation({}, compiler.variables, budget=5)
    with pytest.raises(OutOfBudget):
        evaluation.run(compiler.compile("[1, 2, 3].all(x, x > 0)"))
