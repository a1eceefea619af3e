"""An expression's text to a checked expression: parse, check the types, check the literals."""

from __future__ import annotations

from konverge.cluster.apiserver.cel.checker import CheckedExpression, check
from konverge.cluster.apiserver.cel.environment import Environment
from konverge.cluster.apiserver.cel.literal_rules import literal_issues
from konverge.cluster.apiserver.cel.parser import parse
from konverge.cluster.apiserver.cel.recursion import deep_recursion
from konverge.cluster.apiserver.cel.source import BadExpression, Source


def compile_expression(text: str, environment: Environment) -> CheckedExpression:
    """Return the checked expression; raise `BadExpression` in cel-go's words."""
    source = Source(text)
    tree = parse(source, environment.macros)
    with deep_recursion():
        checked = check(tree, environment, source)
        issues = literal_issues(checked)
    if issues:
        raise BadExpression(source, issues)
    return checked
