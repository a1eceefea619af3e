"""The rules of one schema node, compiled: programs to run, or why there are none, and what they can cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.checker import CheckedExpression
from konverge.cluster.apiserver.cel.cost import cost_of
from konverge.cluster.apiserver.cel.declared_type import LARGEST_REQUEST, DeclaredType
from konverge.cluster.apiserver.cel.environment import Environment, kubernetes_environment
from konverge.cluster.apiserver.cel.expression import compile_expression
from konverge.cluster.apiserver.cel.field_path import BadPath, normalized_path
from konverge.cluster.apiserver.cel.program import Program
from konverge.cluster.apiserver.cel.recursion import deep_recursion
from konverge.cluster.apiserver.cel.source import BadExpression
from konverge.cluster.apiserver.cel.types import BOOL, STRING, Type, optional_of

_SELF_TYPE: Final = "selfType1"  # rules cannot rely on the name; in the real server it changes with every compilation


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """One rule. A blank rule has neither a program nor an error."""

    rule: Mapping[str, Any]  # as the schema has it: rule, message, messageExpression, reason, fieldPath, …
    program: Program | None = None
    error: str = ""
    uses_old_self: bool = False
    cost: int = 0  # the most it can cost, once
    cardinality: int = 0  # how often its value can occur in a request, where nothing else limits it
    message: Program | None = None
    message_error: str = ""
    message_cost: int = 0
    field_path: str = ""


class _Refused(Exception):
    """An expression that cannot be a rule or a message."""


def compile_node(
    rules: Sequence[Mapping[str, Any]], declared: DeclaredType, schema: Mapping[str, Any]
) -> tuple[CompiledRule, ...]:
    """Compile the rules of a node; `schema` is what a rule's `fieldPath` leads through."""
    structs: dict[str, Mapping[str, Type]] = {}
    self_type = declared.named(_SELF_TYPE, structs)
    base = kubernetes_environment()
    plain = base.extended({"self": self_type, "oldSelf": self_type}, structs)
    optional = base.extended({"self": self_type, "oldSelf": optional_of(self_type)}, structs)
    return tuple(
        _compiled(rule, optional if rule.get("optionalOldSelf") else plain, declared, schema) for rule in rules
    )


def _compiled(
    rule: Mapping[str, Any], environment: Environment, declared: DeclaredType, schema: Mapping[str, Any]
) -> CompiledRule:
    text = rule.get("rule") or ""
    if not text.strip():
        return CompiledRule(rule)
    uses_old_self = False
    try:
        checked = _checked(text, environment, BOOL, "cel expression must evaluate to a bool")
        uses_old_self = "oldSelf" in checked.names
        program = _program(checked, "program instantiation failed: ")
    except _Refused as refused:
        return CompiledRule(rule, error=str(refused), uses_old_self=uses_old_self)
    message, message_cost, message_error = _message(rule, environment, declared)
    return CompiledRule(
        rule,
        program,
        uses_old_self=uses_old_self,
        cost=_most_cost(checked, declared),
        cardinality=LARGEST_REQUEST // (declared.min_size + 1),
        message=message,
        message_error=message_error,
        message_cost=message_cost,
        field_path="" if message_error else _field_path(rule, schema),
    )


def _message(
    rule: Mapping[str, Any], environment: Environment, declared: DeclaredType
) -> tuple[Program | None, int, str]:
    text = rule.get("messageExpression") or ""
    if not text:
        return None, 0, ""
    try:
        checked = _checked(
            text, environment, STRING, "messageExpression must evaluate to a string", "messageExpression "
        )
        program = _program(checked, "messageExpression instantiation failed: ")
    except _Refused as refused:
        return None, 0, str(refused)
    return program, _most_cost(checked, declared), ""


def _checked(text: str, environment: Environment, result: Type, complaint: str, what: str = "") -> CheckedExpression:
    try:
        checked = compile_expression(text, environment)
    except BadExpression as bad:
        raise _Refused(f"{what}compilation failed: {bad}") from bad
    if checked.type != result:
        raise _Refused(complaint)
    return checked


def _program(checked: CheckedExpression, prefix: str) -> Program:
    try:
        with deep_recursion():
            return Program(checked)
    except CelError as error:
        raise _Refused(f"{prefix}{error}") from error


def _most_cost(checked: CheckedExpression, declared: DeclaredType) -> int:
    with deep_recursion():
        return cost_of(checked, declared.size_of).most


def _field_path(rule: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    path = rule.get("fieldPath") or ""
    if not path:
        return ""
    try:
        return normalized_path(path, schema)
    except BadPath:
        return ""
