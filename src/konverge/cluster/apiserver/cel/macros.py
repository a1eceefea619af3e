"""The macros of Kubernetes' environment: calls that the parser writes out before anything is checked.

`has`, the folds over lists and maps with one variable and with two, and `optMap`/`optFlatMap` on optionals. A macro is
known by its name, its number of arguments and whether it has a receiver. Selectors of devices have `cel.bind` too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

from konverge.cluster.apiserver.cel.ast import (
    ACCUMULATOR,
    Call,
    Comprehension,
    Expr,
    Ident,
    ListExpr,
    Literal,
    LiteralKind,
    LiteralValue,
    MapEntry,
    MapExpr,
    Operator,
    Select,
    StructExpr,
)

MAP_INSERT: Final = "cel.@mapInsert"
_OLD_ACCUMULATOR: Final = "__result__"
_UNUSED: Final = "#unused"
_SORT_INPUT: Final = "@__sortBy_input__"
_SIMPLE_NAME: Final = "argument must be a simple name"
_IDENTIFIER: Final = "argument is not an identifier"


class BadMacro(Exception):
    """Arguments that a macro cannot be written out with."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


class Writer:
    """Makes the nodes that a macro is written out to: with new ids, at the place of the macro's call."""

    __slots__ = ("_new_id", "offset")

    def __init__(self, new_id: Callable[[], int], offset: int) -> None:
        self._new_id = new_id
        self.offset = offset

    def literal(self, kind: LiteralKind, value: LiteralValue) -> Expr:
        """Make a constant."""
        return Literal(self._new_id(), self.offset, kind, value)

    def boolean(self, value: bool) -> Expr:  # noqa: FBT001 - it is the value of a literal
        """Make `true` or `false`."""
        return self.literal(LiteralKind.BOOL, value)

    def ident(self, name: str) -> Expr:
        """Make a name."""
        return Ident(self._new_id(), self.offset, name)

    def accumulator(self) -> Expr:
        """Make the name of what is folded into."""
        return self.ident(ACCUMULATOR)

    def call(self, function: str, *args: Expr) -> Expr:
        """Make a call of a function."""
        return Call(self._new_id(), self.offset, function, args)

    def member(self, target: Expr, function: str, *args: Expr) -> Expr:
        """Make a call of a member function."""
        return Call(self._new_id(), self.offset, function, args, target)

    def list(self, *elements: Expr) -> Expr:
        """Make a list."""
        return ListExpr(self._new_id(), self.offset, elements)

    def map(self) -> Expr:
        """Make an empty map."""
        return MapExpr(self._new_id(), self.offset, ())

    def test(self, operand: Expr, field: str) -> Expr:
        """Make a test of presence."""
        return Select(self._new_id(), self.offset, operand, field, is_test=True)

    def fold(self, range_: Expr, variables: tuple[str, str], *, init: Expr, step: Expr, condition: Expr) -> Expr:
        """Make a fold whose result is what was folded into."""
        return self.comprehension(range_, variables, (init, condition, step, self.accumulator()))

    def comprehension(
        self,
        range_: Expr,
        variables: tuple[str, str],
        parts: tuple[Expr, Expr, Expr, Expr],
        accumulator: str = ACCUMULATOR,
    ) -> Expr:
        """Make a comprehension of a start, a condition, a step and a result."""
        return Comprehension(self._new_id(), self.offset, range_, *variables, accumulator, *parts)

    def copy(self, expr: Expr) -> Expr:  # noqa: PLR0911 - one way for each kind of node
        """Copy a tree, with ids of its own: types are kept by id."""
        fresh = self._new_id()
        match expr:
            case Select():
                return replace(expr, id=fresh, operand=self.copy(expr.operand))
            case Call():
                target = None if expr.target is None else self.copy(expr.target)
                return replace(expr, id=fresh, target=target, args=tuple(map(self.copy, expr.args)))
            case ListExpr():
                return replace(expr, id=fresh, elements=tuple(map(self.copy, expr.elements)))
            case MapExpr():
                return replace(expr, id=fresh, entries=tuple(map(self._copied_entry, expr.entries)))
            case StructExpr():
                fields = tuple(replace(each, id=self._new_id(), value=self.copy(each.value)) for each in expr.fields)
                return replace(expr, id=fresh, fields=fields)
            case Comprehension():
                return self._copied_fold(expr, fresh)
            case _:
                return replace(expr, id=fresh)

    def _copied_entry(self, entry: MapEntry) -> MapEntry:
        return replace(entry, id=self._new_id(), key=self.copy(entry.key), value=self.copy(entry.value))

    def _copied_fold(self, fold: Comprehension, fresh: int) -> Expr:
        return replace(
            fold,
            id=fresh,
            iter_range=self.copy(fold.iter_range),
            accu_init=self.copy(fold.accu_init),
            loop_condition=self.copy(fold.loop_condition),
            loop_step=self.copy(fold.loop_step),
            result=self.copy(fold.result),
        )


Args: TypeAlias = tuple[Expr, ...]
Macro: TypeAlias = Callable[[Writer, Expr, Args], Expr | None]
Macros: TypeAlias = Mapping[tuple[str, int], Macro]  # of calls with a receiver, by name and number of arguments
_Expansion: TypeAlias = Callable[[Writer, Expr, Args], Expr]
_Rest: TypeAlias = Callable[[Writer, Expr, tuple[str, str], Args], Expr]


def expand(writer: Writer, function: str, target: Expr | None, args: Args, *, macros: Macros) -> Expr | None:
    """Return what a call is written out to, or nothing where it is no macro; raise `BadMacro`."""
    if target is None:
        return _has(writer, args) if function == "has" and len(args) == 1 else None
    macro = macros.get((function, len(args)))
    return None if macro is None else macro(writer, target, args)


def _has(writer: Writer, args: Args) -> Expr:
    selected = args[0]
    if not isinstance(selected, Select):
        raise BadMacro(selected.offset, "invalid argument to has() macro")
    return writer.test(selected.operand, selected.field)


def _variable(arg: Expr, complaint: str) -> str:
    if not isinstance(arg, Ident):
        raise BadMacro(arg.offset, complaint)
    return arg.name


def _not_accumulator(arg: Expr, name: str) -> None:
    if name in {ACCUMULATOR, _OLD_ACCUMULATOR}:
        raise BadMacro(arg.offset, "iteration variable overwrites accumulator variable")


def _one_variable(rest: _Rest, complaint: str) -> _Expansion:
    def expanded(writer: Writer, target: Expr, args: Args) -> Expr:
        name = _variable(args[0], complaint)
        _not_accumulator(args[0], name)
        return rest(writer, target, (name, ""), args[1:])

    return expanded


def _two_variables(rest: _Rest) -> _Expansion:
    def expanded(writer: Writer, target: Expr, args: Args) -> Expr:
        first = _variable(args[0], _SIMPLE_NAME)
        second = _variable(args[1], _SIMPLE_NAME)
        if first == second:
            raise BadMacro(args[1].offset, f"duplicate variable name: {first}")
        _not_accumulator(args[0], first)
        _not_accumulator(args[1], second)
        return rest(writer, target, (first, second), args[2:])

    return expanded


def _all(writer: Writer, target: Expr, variables: tuple[str, str], args: Args) -> Expr:
    return writer.fold(
        target,
        variables,
        init=writer.boolean(True),
        condition=writer.call(Operator.NOT_STRICTLY_FALSE, writer.accumulator()),
        step=writer.call(Operator.LOGICAL_AND, writer.accumulator(), args[0]),
    )


def _exists(writer: Writer, target: Expr, variables: tuple[str, str], args: Args) -> Expr:
    not_yet = writer.call(Operator.LOGICAL_NOT, writer.accumulator())
    return writer.fold(
        target,
        variables,
        init=writer.boolean(False),
        condition=writer.call(Operator.NOT_STRICTLY_FALSE, not_yet),
        step=writer.call(Operator.LOGICAL_OR, writer.accumulator(), args[0]),
    )


def _exists_one(writer: Writer, target: Expr, variables: tuple[str, str], args: Args) -> Expr:
    def number(value: int) -> Expr:
        return writer.literal(LiteralKind.INT, value)

    counted = writer.call(Operator.ADD, writer.accumulator(), number(1))
    step = writer.call(Operator.CONDITIONAL, args[0], counted, writer.accumulator())
    result = writer.call(Operator.EQUALS, writer.accumulator(), number(1))
    return writer.comprehension(target, variables, (number(0), writer.boolean(True), step, result))


def _gathered(writer: Writer, target: Expr, variables: tuple[str, str], *, args: Args, init: Expr, step: Expr) -> Expr:
    if len(args) > 1:
        step = writer.call(Operator.CONDITIONAL, args[0], step, writer.accumulator())
    return writer.fold(target, variables, init=init, condition=writer.boolean(True), step=step)


def _map(writer: Writer, target: Expr, variables: tuple[str, str], args: Args) -> Expr:
    step = writer.call(Operator.ADD, writer.accumulator(), writer.list(args[-1]))
    return _gathered(writer, target, variables, args=args, init=writer.list(), step=step)


def _filter(writer: Writer, target: Expr, args: Args) -> Expr:
    name = _variable(args[0], _IDENTIFIER)
    _not_accumulator(args[0], name)
    step = writer.call(Operator.ADD, writer.accumulator(), writer.list(args[0]))
    return _gathered(writer, target, (name, ""), args=(args[1], args[0]), init=writer.list(), step=step)


def _transform_map(writer: Writer, target: Expr, variables: tuple[str, str], args: Args) -> Expr:
    step = writer.call(MAP_INSERT, writer.accumulator(), writer.ident(variables[0]), args[-1])
    return _gathered(writer, target, variables, args=args, init=writer.map(), step=step)


def _transform_entry(writer: Writer, target: Expr, variables: tuple[str, str], args: Args) -> Expr:
    step = writer.call(MAP_INSERT, writer.accumulator(), args[-1])
    return _gathered(writer, target, variables, args=args, init=writer.map(), step=step)


def _with_value(writer: Writer, target: Expr, args: Args, name: str) -> Expr:
    variable = _variable(args[0], f"{name}() variable name must be a simple identifier")
    value = writer.member(writer.copy(target), "value")
    parts = (value, writer.boolean(False), writer.ident(variable), args[1])
    return writer.comprehension(writer.list(), (_UNUSED, ""), parts, variable)


def _opt_map(writer: Writer, target: Expr, args: Args) -> Expr:
    mapped = writer.call("optional.of", _with_value(writer, target, args, "optMap"))
    return _if_present(writer, target, mapped)


def _opt_flat_map(writer: Writer, target: Expr, args: Args) -> Expr:
    return _if_present(writer, target, _with_value(writer, target, args, "optFlatMap"))


def _sort_by(writer: Writer, target: Expr, args: Args) -> Expr:
    if isinstance(target, Literal | MapExpr | StructExpr):
        kinds = "a list, identifier, comprehension, call or select expression"
        raise BadMacro(target.offset, f"sortBy can only be applied to {kinds}")
    keys = _one_variable(_map, _IDENTIFIER)(writer, writer.ident(_SORT_INPUT), args)
    sorted_ = writer.member(writer.ident(_SORT_INPUT), "@sortByAssociatedKeys", keys)
    parts = (target, writer.boolean(False), writer.ident(_SORT_INPUT), sorted_)
    return writer.comprehension(writer.list(), (_UNUSED, ""), parts, _SORT_INPUT)


def _bind(writer: Writer, target: Expr, args: Args) -> Expr | None:
    if not isinstance(target, Ident) or target.name != "cel":
        return None
    name = _variable(args[0], "cel.bind() variable names must be simple identifiers")
    parts = (args[1], writer.boolean(False), writer.ident(name), args[2])
    return writer.comprehension(writer.list(), (_UNUSED, ""), parts, name)


def _if_present(writer: Writer, target: Expr, mapped: Expr) -> Expr:
    is_there = writer.member(target, "hasValue")
    return writer.call(Operator.CONDITIONAL, is_there, mapped, writer.call("optional.none"))


MACROS: Final[Macros] = {
    ("all", 2): _one_variable(_all, _SIMPLE_NAME),
    ("exists", 2): _one_variable(_exists, _SIMPLE_NAME),
    ("exists_one", 2): _one_variable(_exists_one, _SIMPLE_NAME),
    ("map", 2): _one_variable(_map, _IDENTIFIER),
    ("map", 3): _one_variable(_map, _IDENTIFIER),
    ("filter", 2): _filter,
    ("all", 3): _two_variables(_all),
    ("exists", 3): _two_variables(_exists),
    ("exists_one", 3): _two_variables(_exists_one),
    ("existsOne", 3): _two_variables(_exists_one),
    ("transformList", 3): _two_variables(_map),
    ("transformList", 4): _two_variables(_map),
    ("transformMap", 3): _two_variables(_transform_map),
    ("transformMap", 4): _two_variables(_transform_map),
    ("transformMapEntry", 3): _two_variables(_transform_entry),
    ("transformMapEntry", 4): _two_variables(_transform_entry),
    ("sortBy", 2): _sort_by,
    ("optMap", 2): _opt_map,
    ("optFlatMap", 2): _opt_flat_map,
}
MACROS_WITH_BIND: Final[Macros] = {**MACROS, ("bind", 3): _bind}
