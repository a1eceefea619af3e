"""Expressions in objects that configure admission: whether they can be compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

if TYPE_CHECKING:
    from konverge.cluster.apiserver.admission.expression.compiler import Compiled, Compiler  # CEL is large

_MOST_CONDITIONS: Final = 64


def new_compiler(*, has_params: bool, composes: bool) -> Compiler:
    """Return a compiler for the expressions of one object."""
    from konverge.cluster.apiserver.admission.expression.compiler import Compiler  # noqa: PLC0415 - CEL is large

    return Compiler(has_params=has_params, composes=composes)


def compiled_errors(compiled: Compiled, path: str, *, shown: str | None = None) -> list[FieldError]:
    """Return what is wrong with an expression; `shown` stands for its text."""
    if not compiled.complaint:
        return []
    if compiled.is_internal:
        return [field_error.internal(path, compiled.complaint)]
    return [field_error.invalid(path, compiled.text if shown is None else shown, compiled.complaint)]


def match_condition_errors(
    conditions: Sequence[JsonObject], path: str, *, has_params: bool = False
) -> Iterator[FieldError]:
    """Judge match conditions; they cannot name a policy's variables."""
    if len(conditions) > _MOST_CONDITIONS:
        yield field_error.too_many(path, len(conditions), _MOST_CONDITIONS)
    names: list[str] = []
    for index, condition in enumerate(conditions):
        where, name = f"{path}[{index}]", condition.get("name", "")
        yield from _expression_errors(condition.get("expression", "").strip(), where, has_params=has_params)
        if not name:
            yield field_error.required(f"{where}.name")
            continue
        yield from (field_error.invalid(f"{where}.name", name, each) for each in name_rules.qualified_name(name))
        if name in names:
            yield field_error.duplicate(f"{where}.name", name)
        names.append(name)


def _expression_errors(text: str, path: str, *, has_params: bool) -> Iterator[FieldError]:
    if not text:
        yield field_error.required(f"{path}.expression")
        return
    from konverge.cluster.apiserver.cel.types import BOOL  # noqa: PLC0415 - CEL is large

    compiler = new_compiler(has_params=has_params, composes=False)
    yield from compiled_errors(compiler.compile(text, BOOL), f"{path}.expression")
