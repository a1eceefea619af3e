"""`Object{}` and `JSONPatch{}`: made, read and compared."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.cel.environment import kubernetes_environment
from konverge.cluster.apiserver.cel.expression import compile_expression
from konverge.cluster.apiserver.cel.program import Outcome, Program
from konverge.cluster.apiserver.cel.source import BadExpression


def _run(text: str) -> Outcome:
    return Program(compile_expression(text, kubernetes_environment().with_patches()), ()).evaluate({})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Object{a: [1, 2]}.a.sum()", 3),
        ("Object{s: Object.s{n: 3}} == Object{s: Object.s{n: 1 + 2}}", True),
        ("Object{a: 1} == dyn(Object.spec{a: 1})", False),
        ("has(Object{a: 1}.b)", False),
        ("Object{?a: optional.none()}.?a.orValue(7)", 7),
        ("JSONPatch{op: 'add'}.path", ""),
        ("JSONPatch{op: 'add', value: 1} == JSONPatch{op: 'add', value: 1}", True),
        ("JSONPatch{op: 'add'} == JSONPatch{op: 'add', value: 1}", False),
        ("jsonpatch.escapeKey('a/b~c')", "a~1b~0c"),
    ],
)
def test_values(text: str, value: Any) -> None:
    """Objects have fields, types by their names, and an order of costs as cel-go's."""
    outcome = _run(text)
    assert (outcome.value, outcome.error) == (value, None)


def test_cost() -> None:
    """An object costs forty, beside what is in it."""
    assert _run("Object{spec: Object.spec{replicas: 3}}").cost == 80


@pytest.mark.parametrize("text", ["Other{}", "JSONPatch{op: 1}", "JSONPatch{other: 1}"])
def test_what_is_refused(text: str) -> None:
    """Unknown types, and fields of a JSON patch that are not its own or of another type."""
    with pytest.raises(BadExpression):
        _run(text)
