"""Compiler: the expressions of one policy or webhook, from text to programs.

Variables are compiled in order, each with those before it; what cannot be compiled is kept with its complaint, which
counts when it would be evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from konverge.cluster.apiserver.admission.expression.declarations import NAMES, declared, variable_type, with_variables
from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.environment import Environment
from konverge.cluster.apiserver.cel.expression import compile_expression
from konverge.cluster.apiserver.cel.program import Program
from konverge.cluster.apiserver.cel.recursion import deep_recursion
from konverge.cluster.apiserver.cel.source import BadExpression
from konverge.cluster.apiserver.cel.types import Type


@dataclass(frozen=True, slots=True)
class Compiled:
    """An expression: a program, or why there is none."""

    text: str
    program: Program | None = None
    complaint: str = ""
    is_internal: bool = False  # the complaint is not about the text
    type: Type | None = None


class Compiler:
    """Compiles for one policy; `composes`: its expressions may name its variables."""

    def __init__(self, *, has_params: bool = False, composes: bool = False) -> None:
        self._has_params = has_params
        self._composes = composes
        self._types: dict[str, Type] = {}
        self.variables: dict[str, Compiled] = {}

    def add_variable(self, name: str, text: str) -> Compiled:
        """Compile a variable, for all expressions after it."""
        compiled = self.compile(text)
        self.variables[name] = compiled
        self._types = {**self._types, name: variable_type(compiled.type)}
        return compiled

    def compile(self, text: str, *results: Type, has_authorizer: bool = True, has_patches: bool = False) -> Compiled:
        """Compile an expression that is of one of the types, of any where none is named."""
        environment = self._environment(has_authorizer=has_authorizer, has_patches=has_patches)
        try:
            checked = compile_expression(text, environment)
        except BadExpression as bad:
            return Compiled(text, complaint=f"compilation failed: {bad}")
        if results and checked.type not in results:
            return Compiled(text, complaint=f"must evaluate to {_expected(results)} but got {_shown(checked.type)}")
        try:
            with deep_recursion():
                return Compiled(text, Program(checked, NAMES), type=checked.type)
        except CelError as error:
            return Compiled(text, complaint=f"program instantiation failed: {error}", is_internal=True)

    def _environment(self, *, has_authorizer: bool, has_patches: bool) -> Environment:
        plain = declared(has_params=self._has_params, has_authorizer=has_authorizer, has_patches=has_patches)
        return with_variables(plain, self._types) if self._composes else plain


def _expected(results: Sequence[Type]) -> str:
    return _shown(results[0]) if len(results) == 1 else f"one of [{' '.join(map(_shown, results))}]"


def _shown(type_: Type) -> str:
    """Return a type as Go prints it, which is not as the checker's messages have it."""
    return f"{type_.name}({', '.join(map(_shown, type_.parameters))})" if type_.parameters else type_.name
