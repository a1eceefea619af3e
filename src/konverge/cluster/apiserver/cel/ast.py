"""The syntax tree of a CEL expression, with its macros expanded.

The parser makes it, the checker resolves the names in it, and the evaluator walks it. Every node has an id that is
unique in its expression (types, references and costs are kept by id) and the offset of the character it is reported at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

LiteralValue: TypeAlias = bool | int | float | str | bytes | None


class LiteralKind(Enum):
    """What a literal is; the value is the name of its type."""

    NULL = "null_type"
    BOOL = "bool"
    INT = "int"
    UINT = "uint"
    DOUBLE = "double"
    STRING = "string"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. An unsigned number has a Python int as its value too: `kind` tells them apart."""

    id: int
    offset: int
    kind: LiteralKind
    value: LiteralValue


@dataclass(frozen=True, slots=True)
class Ident:
    """A name: a variable, or a type such as `int`. After the check it is the full name."""

    id: int
    offset: int
    name: str


@dataclass(frozen=True, slots=True)
class Select:
    """`operand.field`, or `has(operand.field)` where `is_test`; `a.?b` is a call of `_?._`, not this."""

    id: int
    offset: int
    operand: Expr
    field: str
    is_test: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A function or operator with its arguments; `target.function(args)` where there is a target.

    After the check a namespaced function such as `math.least` is one name without a target.
    """

    id: int
    offset: int
    function: str
    args: tuple[Expr, ...]
    target: Expr | None = None


@dataclass(frozen=True, slots=True)
class ListExpr:
    """`[a, ?b]`: the elements, and the indices of those that are optional."""

    id: int
    offset: int
    elements: tuple[Expr, ...]
    optional_indices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MapEntry:
    """`key: value`, or `?key: value`."""

    id: int
    offset: int
    key: Expr
    value: Expr
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class MapExpr:
    """`{a: b, ?c: d}`."""

    id: int
    offset: int
    entries: tuple[MapEntry, ...]


@dataclass(frozen=True, slots=True)
class StructField:
    """`name: value`, or `?name: value`, in a struct literal."""

    id: int
    offset: int
    name: str
    value: Expr
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class StructExpr:
    """`Type{field: value}`."""

    id: int
    offset: int
    type_name: str
    fields: tuple[StructField, ...]


@dataclass(frozen=True, slots=True)
class Comprehension:
    """What `all`, `exists`, `map`, `filter` and their kin expand to: a fold over a range.

    With two variables, `iter_var` is the index or key and `iter_var2` the element; else `iter_var2` is empty, and
    `iter_var` is the element of a list or the key of a map.
    """

    id: int
    offset: int
    iter_range: Expr
    iter_var: str
    iter_var2: str
    accu_var: str
    accu_init: Expr
    loop_condition: Expr
    loop_step: Expr
    result: Expr


Expr: TypeAlias = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Comprehension

ACCUMULATOR = "@result"  # the name that macros give to what they fold into


class Operator:
    """The function names that the syntax stands for."""

    CONDITIONAL = "_?_:_"
    LOGICAL_AND = "_&&_"
    LOGICAL_OR = "_||_"
    LOGICAL_NOT = "!_"
    EQUALS = "_==_"
    NOT_EQUALS = "_!=_"
    LESS = "_<_"
    LESS_EQUALS = "_<=_"
    GREATER = "_>_"
    GREATER_EQUALS = "_>=_"
    ADD = "_+_"
    SUBTRACT = "_-_"
    MULTIPLY = "_*_"
    DIVIDE = "_/_"
    MODULO = "_%_"
    NEGATE = "-_"
    INDEX = "_[_]"
    OPT_INDEX = "_[?_]"
    OPT_SELECT = "_?._"
    IN = "@in"
    NOT_STRICTLY_FALSE = "@not_strictly_false"


def children(expr: Expr) -> Iterator[Expr]:
    """Yield the expressions directly below a node, in the order of evaluation."""
    match expr:
        case Select():
            yield expr.operand
        case Call():
            if expr.target is not None:
                yield expr.target
            yield from expr.args
        case ListExpr():
            yield from expr.elements
        case MapExpr():
            for entry in expr.entries:
                yield entry.key
                yield entry.value
        case StructExpr():
            for field in expr.fields:
                yield field.value
        case Comprehension():
            yield from (expr.iter_range, expr.accu_init, expr.loop_condition, expr.loop_step, expr.result)
        case _:
            return


def walk(expr: Expr) -> Iterator[Expr]:
    """Yield a node and all below it, parents first."""
    yield expr
    for child in children(expr):
        yield from walk(child)


def qualified_name(expr: Expr) -> str | None:
    """Return the dotted name that a chain of selections spells, if it is one."""
    if isinstance(expr, Ident):
        return expr.name
    if isinstance(expr, Select) and not expr.is_test:
        prefix = qualified_name(expr.operand)
        return None if prefix is None else f"{prefix}.{expr.field}"
    return None
