"""Which implementation a call runs; the words of the errors are those of kube-apiserver 1.36.3 for such rules."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.cel.environment import kubernetes_environment
from konverge.cluster.apiserver.cel.expression import compile_expression
from konverge.cluster.apiserver.cel.program import Program

_NEVER = "(1 > 2 ? timestamp('2020-01-01T00:00:00Z') : null)"


def _error(text: str) -> str:
    return str(Program(compile_expression(text, kubernetes_environment())).evaluate({}).error)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("null.family()", "no such overload: family(null_type)"),
        ("quantity('1').isGreaterThan(null)", "no such overload: isGreaterThan(kubernetes.Quantity, null_type)"),
        (f"{_NEVER}.getFullYear()", "no such overload: getFullYear(null_type)"),
        ("dyn({'a': 1}).sortBy(x, x)", "no such overload: @sortByAssociatedKeys"),
    ],
)
def test_a_value_that_a_function_cannot_take_is_an_error_of_the_expression(text: str, error: str) -> None:
    """Null passes the check for what may be null, and is refused when the call is made."""
    assert _error(text) == error
