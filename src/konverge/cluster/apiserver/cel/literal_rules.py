"""What Kubernetes asks of the literals in an expression that is well typed.

Constant durations, timestamps and patterns must be valid, formats must fit their arguments, and the parts of a list or
map literal must be of one type (not in the arguments of `format`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from konverge.cluster.apiserver.cel.ast import Call, Expr, ListExpr, Literal, MapExpr, children, walk
from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.checker import CheckedExpression
from konverge.cluster.apiserver.cel.format_rules import format_issue
from konverge.cluster.apiserver.cel.program import Program
from konverge.cluster.apiserver.cel.re2 import InvalidPattern, compile_re2
from konverge.cluster.apiserver.cel.source import Issue
from konverge.cluster.apiserver.cel.types import Kind, Type


def literal_issues(checked: CheckedExpression) -> list[Issue]:
    """Return what is wrong with an expression's literals."""
    calls = [node for node in walk(checked.expr) if isinstance(node, Call)]
    issues = [*_constants(checked, calls)]
    for call in calls:
        issue = format_issue(call, checked.references.get(call.id, ()), checked.types)
        if issue is not None:
            issues.append(issue)
    mixed = [*_mixed(checked.expr, checked.types)]
    issues.extend(issue for literal, issue in mixed if isinstance(literal, ListExpr))
    issues.extend(issue for literal, issue in mixed if isinstance(literal, MapExpr))
    return issues


def _constants(checked: CheckedExpression, calls: list[Call]) -> Iterator[Issue]:
    for function in ("duration", "timestamp", "matches"):
        for call in calls:
            if call.function != function or not call.args or not isinstance(call.args[0], Literal):
                continue
            literal = call.args[0]
            is_valid = _is_pattern(literal) if function == "matches" else _is_constant(checked, call)
            if not is_valid:
                yield Issue(literal.offset, f"invalid {function} argument")


def _is_pattern(literal: Literal) -> bool:
    try:
        compile_re2(str(literal.value))
    except InvalidPattern:
        return False
    return True


def _is_constant(checked: CheckedExpression, call: Call) -> bool:
    try:
        return Program(replace(checked, expr=call)).evaluate({}).error is None
    except CelError:
        return False


def _mixed(expr: Expr, types: dict[int, Type]) -> Iterator[tuple[Expr, Issue]]:
    if isinstance(expr, ListExpr):
        yield from ((expr, issue) for issue in _mixed_list(expr, types))
    elif isinstance(expr, MapExpr):
        yield from ((expr, issue) for issue in _mixed_map(expr, types))
    elif isinstance(expr, Call) and expr.function == "format":
        return
    for child in children(expr):
        yield from _mixed(child, types)


def _mixed_list(expr: ListExpr, types: dict[int, Type]) -> Iterator[Issue]:
    first: Type | None = None
    for index, element in enumerate(expr.elements):
        type_ = types[element.id]
        if index in expr.optional_indices:
            type_ = type_.unwrapped()
        if first is None:
            first = type_
        elif not _is_same(first, type_):
            yield _mismatch(element, first, type_)
            return


def _mixed_map(expr: MapExpr, types: dict[int, Type]) -> Iterator[Issue]:
    first: tuple[Type, Type] | None = None
    for entry in expr.entries:
        key, value = types[entry.key.id], types[entry.value.id]
        if entry.is_optional:
            value = value.unwrapped()
        if first is None:
            first = key, value
            continue
        if not _is_same(first[0], key):
            yield _mismatch(entry.key, first[0], key)
        if not _is_same(first[1], value):
            yield _mismatch(entry.value, first[1], value)


def _is_same(left: Type, right: Type) -> bool:
    if left.kind is not right.kind or len(left.parameters) != len(right.parameters):
        return False
    if left.kind is not Kind.TYPE_PARAM and left.name != right.name:
        return False
    return all(_is_same(a, b) for a, b in zip(left.parameters, right.parameters, strict=True))


def _mismatch(node: Expr, expected: Type, actual: Type) -> Issue:
    return Issue(node.offset, f"expected type '{expected}' but found '{actual}'")
