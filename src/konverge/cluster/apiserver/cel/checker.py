"""The type check: every node gets a type, every name and call what it means, or the expression is refused.

It follows cel-go's checker step by step, since its messages and the type of a result depend on the order in which type
parameters are found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from konverge.cluster.apiserver.cel.assignability import Substitutions, most_general
from konverge.cluster.apiserver.cel.ast import (
    Call,
    Comprehension,
    Expr,
    Ident,
    ListExpr,
    Literal,
    LiteralKind,
    MapExpr,
    Operator,
    Select,
    StructExpr,
    qualified_name,
)
from konverge.cluster.apiserver.cel.declarations import Function, Overload
from konverge.cluster.apiserver.cel.environment import Environment
from konverge.cluster.apiserver.cel.node_maker import RESERVED
from konverge.cluster.apiserver.cel.source import BadExpression, Issue, Source
from konverge.cluster.apiserver.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DYN,
    ERROR,
    INT,
    NULL,
    STRING,
    UINT,
    Kind,
    Type,
    list_of,
    map_of,
    optional_of,
    type_param,
)

_LITERAL_TYPES = {
    LiteralKind.NULL: NULL,
    LiteralKind.BOOL: BOOL,
    LiteralKind.INT: INT,
    LiteralKind.UINT: UINT,
    LiteralKind.DOUBLE: DOUBLE,
    LiteralKind.STRING: STRING,
    LiteralKind.BYTES: BYTES,
}
_MESSAGES = frozenset({Kind.ANY, Kind.TIMESTAMP, Kind.DURATION, Kind.DYN, Kind.NULL})


@dataclass(frozen=True, slots=True)
class CheckedExpression:
    """An expression whose names are resolved: `types` by node id, `references` the overload ids of each call's id."""

    expr: Expr
    types: dict[int, Type]
    references: dict[int, tuple[str, ...]]
    names: frozenset[str]  # every identifier that it refers to: variables, types, and what its folds bind
    source: Source

    @property
    def type(self) -> Type:
        """What the expression evaluates to."""
        return self.types[self.expr.id]


def check(expr: Expr, environment: Environment, source: Source) -> CheckedExpression:
    """Return the checked expression; raise `BadExpression`."""
    checker = _Checker(environment)
    resolved = checker.check(expr)
    if checker.issues:
        raise BadExpression(source, checker.issues)
    types = {
        id_: checker.substitutions.apply(type_, params_to_dyn=True) for id_, type_ in sorted(checker.types.items())
    }
    return CheckedExpression(resolved, types, checker.references, frozenset(checker.names), source)


class _Checker:
    def __init__(self, environment: Environment) -> None:
        self.issues: list[Issue] = []
        self.types: dict[int, Type] = {}
        self.references: dict[int, tuple[str, ...]] = {}
        self.names: set[str] = set()
        self.substitutions = Substitutions()
        self._environment = environment
        self._scopes: list[dict[str, Type]] = []
        self._parameters = 0

    def check(self, expr: Expr) -> Expr:  # noqa: PLR0911 - one way for each kind of node
        """Type a node and all below it; return it with its names resolved."""
        match expr:
            case Literal():
                return self._typed(expr, _LITERAL_TYPES[expr.kind])
            case Ident():
                return self._ident(expr)
            case Select():
                return self._select(expr)
            case Call():
                return self._call(expr)
            case ListExpr():
                return self._list(expr)
            case MapExpr():
                return self._map(expr)
            case StructExpr():
                return self._struct(expr)
            case Comprehension():
                return self._comprehension(expr)

    # Issues and types

    def _fault(self, node: Expr, message: str) -> None:
        self.issues.append(Issue(node.offset, message))

    def _undeclared(self, node: Expr, name: str) -> Expr:
        self._fault(node, f"undeclared reference to '{name}' (in container '')")
        return self._typed(node, ERROR)

    def _mismatch(self, node: Expr, expected: Type, actual: Type) -> None:
        self._fault(node, f"expected type '{expected}' but found '{actual}'")

    def _typed(self, node: Expr, type_: Type) -> Expr:
        self.types[node.id] = type_
        return node

    def _type_of(self, node: Expr) -> Type:
        return self.types[node.id]

    def _agree(self, left: Type, right: Type) -> bool:
        return self.substitutions.is_assignable(left, right)

    def _new_parameter(self) -> Type:
        self._parameters += 1
        return type_param(f"_var{self._parameters - 1}")

    # Names

    def _lookup(self, name: str) -> Type | None:
        name = name.removeprefix(".")
        scoped = next((scope[name] for scope in reversed(self._scopes) if name in scope), None)
        found = self._environment.identifier(name) if scoped is None else scoped
        if found is not None:
            self.names.add(name)
        return found

    def _ident(self, expr: Ident) -> Expr:
        type_ = self._lookup(expr.name)
        if type_ is None:
            return self._undeclared(expr, expr.name)
        return self._typed(replace(expr, name=expr.name.removeprefix(".")), type_)

    def _select(self, expr: Select) -> Expr:
        name = qualified_name(expr)
        type_ = None if name is None else self._lookup(name)
        if name is not None and type_ is not None:
            return self._typed(Ident(expr.id, expr.offset, name.removeprefix(".")), type_)
        operand = self.check(expr.operand)
        result = self._field_type(expr, operand, expr.field)
        resolved = replace(expr, operand=operand)
        return self._typed(resolved, BOOL if expr.is_test else self.substitutions.apply(result))

    def _field_type(self, node: Expr, operand: Expr, field: str, *, is_optional: bool = False) -> Type:
        operand_type = self.substitutions.apply(self._type_of(operand))
        result = self._member_type(node, operand_type.unwrapped(), field)
        return optional_of(result) if is_optional or operand_type.is_optional else result

    def _member_type(self, node: Expr, target: Type, field: str) -> Type:
        if target.kind is Kind.MAP:
            return target.parameters[1]
        if target.kind is Kind.STRUCT:
            return self._declared_field(node, target.name, field) or ERROR
        if target.kind is Kind.TYPE_PARAM:
            self._agree(DYN, target)
        elif not (target.is_dyn or target.is_error):
            self._fault(node, f"type '{target}' does not support field selection")
        return DYN

    def _declared_field(self, node: Expr, struct_name: str, field: str, offset: int | None = None) -> Type | None:
        where = node.offset if offset is None else offset
        fields = self._environment.fields(struct_name)
        if fields is None:
            self.issues.append(Issue(where, f"unexpected failed resolution of '{struct_name}'"))
            return None
        declared = fields.get(field) or (fields.get(f"__{field}__") if field in RESERVED else None)
        if declared is None:
            self.issues.append(Issue(where, f"undefined field '{field}'"))
        return declared

    # Calls

    def _call(self, expr: Call) -> Expr:
        if expr.function == Operator.OPT_SELECT:
            return self._opt_select(expr)
        args = tuple(self.check(arg) for arg in expr.args)
        if expr.target is None:
            return self._global_call(replace(expr, args=args), expr.function)
        prefix = qualified_name(expr.target)
        name = None if prefix is None else f"{prefix}.{expr.function}"
        if name is not None and self._environment.function(name) is not None:
            return self._global_call(replace(expr, args=args, target=None), name)
        target = self.check(expr.target)
        resolved = replace(expr, args=args, target=target)
        function = self._environment.function(expr.function)
        if function is None:
            return self._undeclared(resolved, expr.function)
        return self._resolve(resolved, function, (target, *args))

    def _global_call(self, expr: Call, name: str) -> Expr:
        function = self._environment.function(name)
        if function is None:
            return self._undeclared(expr, name)
        return self._resolve(replace(expr, function=function.name), function, expr.args)

    def _opt_select(self, expr: Call) -> Expr:
        operand = self.check(expr.args[0])
        field = expr.args[1]
        assert isinstance(field, Literal)  # noqa: S101 - the parser makes no other; the name is a part of the syntax
        result = self._field_type(expr, operand, str(field.value), is_optional=True)
        self.types[field.id] = STRING
        self.references[expr.id] = ("select_optional_field",)
        return self._typed(replace(expr, args=(operand, field)), self.substitutions.apply(result))

    def _resolve(self, expr: Call, function: Function, args: tuple[Expr, ...]) -> Expr:
        arg_types = [self._type_of(arg) for arg in args]
        if function.name in {Operator.LOGICAL_AND, Operator.LOGICAL_OR} and expr.target is None:
            return self._logical(expr, function, arg_types)
        result: Type | None = None
        matching: list[str] = []
        for overload in function.overloads:
            found = self._try_overload(overload, arg_types, is_member=expr.target is not None)
            if found is None:
                continue
            matching.append(overload.id)
            if result is None:
                result = found
            elif not result.is_dyn and found != result:
                result = DYN
        if result is None:
            self._no_overload(expr, function, arg_types)
            return self._typed(expr, ERROR)
        self.references[expr.id] = tuple(matching)
        return self._typed(expr, result)

    def _logical(self, expr: Call, function: Function, arg_types: Sequence[Type]) -> Expr:
        failed = False
        for arg, type_ in zip(expr.args, arg_types, strict=True):
            if not self._agree(type_, BOOL):
                self._mismatch(arg, BOOL, type_)
                failed = True
        self.references[expr.id] = (function.overloads[0].id,)
        return self._typed(expr, ERROR if failed else BOOL)

    def _try_overload(self, overload: Overload, arg_types: list[Type], *, is_member: bool) -> Type | None:
        if overload.is_member != is_member or len(overload.arguments) != len(arg_types):
            self._parameters += len(overload.type_params) if overload.is_member == is_member else 0
            return None
        fresh = Substitutions()
        for name in overload.type_params:
            fresh.add(type_param(name), self._new_parameter())
        candidates = [fresh.apply(argument) for argument in overload.arguments]
        if not self.substitutions.are_assignable(arg_types, candidates):
            return None
        return self.substitutions.apply(fresh.apply(overload.result))

    def _no_overload(self, expr: Call, function: Function, arg_types: list[Type]) -> None:
        shown = [str(self.substitutions.apply(each, params_to_dyn=True)) for each in arg_types]
        receiver = f"{shown.pop(0)}." if expr.target is not None else ""
        signature = f"{receiver}({', '.join(shown)})"
        self._fault(expr, f"found no matching overload for '{function.name}' applied to '{signature}'")

    # Literals of many parts

    def _list(self, expr: ListExpr) -> Expr:
        elements = []
        joined: Type | None = None
        for index, element in enumerate(expr.elements):
            checked = self.check(element)
            elements.append(checked)
            type_ = self._type_of(checked)
            if index in expr.optional_indices:
                type_ = self._optional_part(checked, type_)
            joined = self._joined(joined, type_)
        type_ = list_of(self._new_parameter() if joined is None else joined)
        return self._typed(replace(expr, elements=tuple(elements)), type_)

    def _optional_part(self, node: Expr, type_: Type) -> Type:
        if not type_.is_optional and not type_.is_dyn:
            self._mismatch(node, optional_of(type_), type_)
        return type_.unwrapped()

    def _joined(self, previous: Type | None, current: Type) -> Type:
        """Return the type of two parts; that they must be of one type is asked later, in `literal_rules`."""
        if previous is None:
            return current
        return most_general(previous, current) if self._agree(previous, current) else DYN

    def _map(self, expr: MapExpr) -> Expr:
        entries = []
        key_type: Type | None = None
        value_type: Type | None = None
        for entry in expr.entries:
            key = self.check(entry.key)
            key_type = self._joined(key_type, self._type_of(key))
            value = self.check(entry.value)
            type_ = self._type_of(value)
            if entry.is_optional:
                type_ = self._optional_part(value, type_)
            value_type = self._joined(value_type, type_)
            entries.append(replace(entry, key=key, value=value))
        if key_type is None or value_type is None:
            key_type, value_type = self._new_parameter(), self._new_parameter()
        return self._typed(replace(expr, entries=tuple(entries)), map_of(key_type, value_type))

    def _struct(self, expr: StructExpr) -> Expr:
        declared = self._lookup(expr.type_name)
        if declared is None:
            return self._undeclared(expr, expr.type_name)
        expr = replace(expr, type_name=expr.type_name.removeprefix("."))
        result = self._struct_type(expr, declared)
        self._typed(expr, result)
        fields = []
        for field in expr.fields:
            value = self.check(field.value)
            struct_name = expr.type_name if result.is_error else result.name
            expected = self._declared_field(expr, struct_name, field.name, field.offset) or ERROR
            actual = self._type_of(value)
            if field.is_optional:
                actual = self._optional_part(value, actual)
            if not self._agree(expected, actual):
                types = f"is '{expected}' but provided type is '{actual}'"
                self.issues.append(Issue(field.offset, f"expected type of field '{field.name}' {types}"))
            fields.append(replace(field, value=value))
        return replace(expr, fields=tuple(fields))

    def _struct_type(self, expr: StructExpr, declared: Type) -> Type:
        if declared.kind is Kind.ERROR:
            return ERROR
        if declared.kind is not Kind.TYPE:
            self._fault(expr, f"'{declared.name}' is not a type")
            return ERROR
        result = declared.parameters[0]
        if result.kind is Kind.STRUCT or result.kind in _MESSAGES or result.is_wrapper:
            return result
        self._fault(expr, f"'{result.name}' is not a message type")
        return ERROR

    # Folds

    def _comprehension(self, expr: Comprehension) -> Expr:
        iter_range = self.check(expr.iter_range)
        accu_init = self.check(expr.accu_init)
        accu_type = self._type_of(accu_init)
        variables = self._range_types(iter_range, has_two=bool(expr.iter_var2))
        self._scopes.append({expr.accu_var: accu_type})
        names = (expr.iter_var, expr.iter_var2) if expr.iter_var2 else (expr.iter_var,)
        self._scopes.append(dict(zip(names, variables, strict=True)))
        condition = self.check(expr.loop_condition)
        self._assert_type(condition, BOOL)
        step = self.check(expr.loop_step)
        self._assert_type(step, accu_type)
        self._scopes.pop()
        result = self.check(expr.result)
        self._scopes.pop()
        resolved = replace(
            expr,
            iter_range=iter_range,
            accu_init=accu_init,
            loop_condition=condition,
            loop_step=step,
            result=result,
        )
        return self._typed(resolved, self.substitutions.apply(self._type_of(result)))

    def _range_types(self, iter_range: Expr, *, has_two: bool) -> tuple[Type, ...]:
        range_type = self.substitutions.apply(self._type_of(iter_range))
        if range_type.kind is Kind.LIST:
            element = range_type.parameters[0]
            return (INT, element) if has_two else (element,)
        if range_type.kind is Kind.MAP:
            return range_type.parameters if has_two else range_type.parameters[:1]
        if range_type.kind in {Kind.DYN, Kind.ERROR, Kind.TYPE_PARAM}:
            self._agree(DYN, range_type)
            return (DYN, DYN) if has_two else (DYN,)
        needed = "cannot be range of a comprehension (must be list, map, or dynamic)"
        self._fault(iter_range, f"expression of type '{range_type}' {needed}")
        return (ERROR, ERROR) if has_two else (ERROR,)

    def _assert_type(self, node: Expr, expected: Type) -> None:
        if not self._agree(expected, self._type_of(node)):
            self._mismatch(node, expected, self._type_of(node))
