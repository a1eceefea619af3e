from __future__ import annotations

import pytest

from konverge.cluster.apiserver.cel.cel_error import CelError, CostExceeded
from konverge.cluster.apiserver.cel.environment import kubernetes_environment
from konverge.cluster.apiserver.cel.expression import compile_expression
from konverge.cluster.apiserver.cel.program import Program
from konverge.cluster.apiserver.cel.types import INT


def program(text: str) -> Program:
    """Compile an expression without variables."""
    return Program(compile_expression(text, kubernetes_environment()))


def test_a_program_runs_again_and_again() -> None:
    """Nothing of one run is left for the next: neither values nor costs."""
    doubled = program("[1, 2, 3].map(x, x * 2)")
    first, second = doubled.evaluate({}), doubled.evaluate({})
    assert first.value == second.value == [2, 4, 6]
    assert first.cost == second.cost
    assert first.value is not second.value


def test_a_constant_that_cannot_be_converted_makes_no_program() -> None:
    """cel-go converts constants when it plans, and so fails before the first run."""
    with pytest.raises(CelError, match="type conversion error from 'string' to 'int'"):
        program("int('x') == 1")


def test_an_expensive_call_is_stopped() -> None:
    """Nothing absorbs the end of the budget of one call."""
    outcome = program("lists.range(100).all(x, lists.range(100).all(y, x * y >= 0)) || true").evaluate({}, limit=1000)
    assert isinstance(outcome.error, CostExceeded)
    assert outcome.cost == 1040  # the range that crosses the limit costs 111
    assert str(outcome.error) == "operation cancelled: actual cost limit exceeded"


def test_a_missing_variable_is_an_error() -> None:
    """An expression that names a variable without a value fails; it does not crash."""
    checked = compile_expression("oldSelf == 1", kubernetes_environment().extended({"oldSelf": INT}))
    assert str(Program(checked).evaluate({}).error) == "no such attribute(s): oldSelf"


def test_deep_nesting_runs() -> None:
    """As deep as the parser allows, whatever Python's own limit is."""
    text = "1" + " + (1" * 120 + ")" * 120
    assert program(text).evaluate({}).value == 121


@pytest.mark.parametrize(
    "text",
    [
        "lists.range(1000).distinct().size() == 1000",
        "lists.range(2000000).size() == 1",
        "sets.contains(lists.range(2000), lists.range(2000))",
    ],
)
def test_work_that_costs_too_much_is_not_begun(text: str) -> None:
    """The real engine does the work and then stops; the end is the same, and nobody waits for it."""
    assert isinstance(program(text).evaluate({}).error, CostExceeded)
