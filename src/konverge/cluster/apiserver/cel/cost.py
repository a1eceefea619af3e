"""The static cost of an expression: the least and the most it can take, from the sizes that a schema allows.

The walk over the tree is here, what a call costs is in `standard_cost`. It follows cel-go's estimate exactly, also
where that is odd, since a definition is refused by these numbers and the messages name them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from konverge.cluster.apiserver.cel.ast import (
    ACCUMULATOR,
    Call,
    Comprehension,
    Expr,
    Ident,
    ListExpr,
    Literal,
    LiteralKind,
    MapExpr,
    Select,
    StructExpr,
)
from konverge.cluster.apiserver.cel.call_cost import CallCost, CallNodes, EntrySize, Node, SizeOf
from konverge.cluster.apiserver.cel.checker import CheckedExpression
from konverge.cluster.apiserver.cel.estimate import LARGEST, NONE, ONE, UNKNOWN, Estimate, fixed, total
from konverge.cluster.apiserver.cel.go_path import NO_PATH, GoPath
from konverge.cluster.apiserver.cel.standard_cost import call_cost
from konverge.cluster.apiserver.cel.types import Kind, Type

_LIST_COST: Final = fixed(10)
_MAP_COST: Final = fixed(30)
_STRUCT_COST: Final = fixed(40)
_OLD_ACCUMULATOR: Final = "__result__"
_SCALARS: Final = frozenset({Kind.BOOL, Kind.DOUBLE, Kind.DURATION, Kind.INT, Kind.TIMESTAMP, Kind.UINT})
_COUNTED_OPERANDS: Final = frozenset({Kind.MAP, Kind.STRUCT, Kind.TYPE_PARAM})


def cost_of(checked: CheckedExpression, size_of: SizeOf) -> Estimate:
    """Return the cost of an expression; `size_of` knows the size of what a path leads to."""
    return _Coster(checked, size_of).cost(checked.expr)


class _Local(NamedTuple):
    path: GoPath
    size: Estimate | None
    entry_size: EntrySize | None


class _Coster:
    def __init__(self, checked: CheckedExpression, size_of: SizeOf) -> None:
        self._types = checked.types
        self._references = checked.references
        self._size_of = size_of
        self._paths: dict[int, GoPath] = {}
        self._locals: dict[str, list[_Local]] = {}
        self._sizes: dict[int, Estimate] = {}
        self._entry_sizes: dict[int, EntrySize] = {}

    def cost(self, expr: Expr) -> Estimate:  # noqa: PLR0911 - one way for each kind of node
        """Return the cost of a node and all below it; note sizes and paths on the way."""
        match expr:
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
                return total(self.cost(field.value) for field in expr.fields).plus(_STRUCT_COST)
            case Comprehension():
                return self._bind(expr) if _is_bind(expr) else self._fold(expr)
            case _:
                return NONE

    # Paths and sizes

    def _local(self, expr: Expr) -> _Local | None:
        stack = self._locals.get(expr.name) if isinstance(expr, Ident) else None
        return stack[-1] if stack else None

    def _path(self, expr: Expr) -> GoPath:
        local = self._local(expr)
        return self._paths.get(expr.id, NO_PATH) if local is None else local.path

    def size(self, expr: Expr) -> Estimate | None:
        """Return the size of what a node evaluates to, where anything is known of it."""
        known = self._sizes.get(expr.id)
        if known is not None:
            return known
        own = _literal_size(expr)
        if own is not None:
            return own
        path = self._path(expr)
        declared = self._size_of(path.names()) if len(path) else None
        if declared is not None:
            self._sizes[expr.id] = declared
            return declared
        if _is_scalar(self._types[expr.id]):
            return ONE
        local = self._local(expr)
        return None if local is None else local.size

    def entry_size(self, expr: Expr) -> EntrySize | None:
        """Return the sizes of the keys and values in what a node evaluates to, where they are known."""
        known = self._entry_sizes.get(expr.id)
        if known is None:
            local = self._local(expr)
            return None if local is None else local.entry_size
        return known

    def _size_or_unknown(self, expr: Expr) -> Estimate:
        return self.size(expr) or UNKNOWN

    def _copy_sizes(self, target: Expr, source: Expr) -> None:
        size = self.size(source)
        if size is not None:
            self._sizes[target.id] = size
        entry_size = self.entry_size(source)
        if entry_size is not None:
            self._entry_sizes[target.id] = entry_size

    def _node(self, expr: Expr) -> Node:
        path = self._path(expr)
        if len(path) and path.names()[0] in {ACCUMULATOR, _OLD_ACCUMULATOR}:
            path = NO_PATH
        return Node(expr, self._types[expr.id], path, self.size(expr), self.entry_size)

    # Nodes

    def _ident(self, expr: Ident) -> Estimate:
        local = self._local(expr)
        self._paths[expr.id] = GoPath(expr.name) if local is None else local.path
        return ONE

    def _select(self, expr: Select) -> Estimate:
        cost = self.cost(expr.operand)
        if expr.is_test:
            return cost  # has() itself is free
        if self._types[expr.operand.id].kind in _COUNTED_OPERANDS:
            cost = cost.plus(ONE)
        self._paths[expr.id] = self._path(expr.operand).append(expr.field)
        return cost

    def _list(self, expr: ListExpr) -> Estimate:
        cost = NONE
        item_size = Estimate(LARGEST if expr.elements else 0, 0)
        for element in expr.elements:
            cost = cost.plus(self.cost(element))
            item_size = item_size.union(self._size_or_unknown(element))
        self._entry_sizes[expr.id] = EntrySize(Kind.LIST, ONE, item_size)
        return cost.plus(_LIST_COST)

    def _map(self, expr: MapExpr) -> Estimate:
        cost = NONE
        key_size = value_size = Estimate(LARGEST if expr.entries else 0, 0)
        for entry in expr.entries:
            cost = cost.plus(self.cost(entry.key)).plus(self.cost(entry.value))
            key_size = key_size.union(self._size_or_unknown(entry.key))
            value_size = value_size.union(self._size_or_unknown(entry.value))
        self._entry_sizes[expr.id] = EntrySize(Kind.MAP, key_size, value_size)
        return cost.plus(_MAP_COST)

    def _call(self, expr: Call) -> Estimate:
        if expr.function == "dyn":
            cost = ONE.plus(self.cost(expr.args[0]))
            self._copy_sizes(expr, expr.args[0])
            return cost
        arg_costs = []
        nodes = []
        for arg in expr.args:
            arg_costs.append(self.cost(arg))
            nodes.append(self._node(arg))
        overloads = self._references.get(expr.id, ())
        if not overloads:
            return NONE
        cost = NONE if expr.target is None else self.cost(expr.target)
        target = None if expr.target is None else self._node(expr.target)
        call = CallNodes(expr.function, target, nodes, self._size_of)
        whole = Estimate(LARGEST, 0)
        size: Estimate | None = None
        for overload in overloads:
            found = call_cost(call, overload, arg_costs)
            whole = whole.union(found.cost)
            size = self._result_size(expr, overload, found, size)
        if size is not None:
            self._sizes[expr.id] = size
        return cost.plus(whole)

    def _result_size(self, expr: Call, overload: str, found: CallCost, size: Estimate | None) -> Estimate | None:
        if found.entry_size is not None:
            self._entry_sizes[expr.id] = found.entry_size
        if found.size is not None:
            size = found.size if size is None else size.union(found.size)
        step = _INDEX_STEPS.get(overload)
        if step is not None:
            container = expr.args[0]
            entry = self.entry_size(container)
            size = None if entry is None else entry.value
            self._paths[expr.id] = self._path(container).append(step)
        return self.size(expr) if size is None else size

    # Folds

    def _push(self, name: str, local: _Local) -> None:
        self._locals.setdefault(name, []).append(local)

    def _push_value(self, name: str, expr: Expr) -> None:
        path = self._path(expr)
        entry_size = self.entry_size(expr)
        self._push(name, _Local(path, self.size(expr), entry_size))

    def _push_part(self, name: str, range_: Expr, *, is_key: bool, names: tuple[str, str]) -> None:
        entry = self.entry_size(range_)
        kind = self._types[range_.id].kind if entry is None else entry.kind
        step = names[0] if kind is Kind.LIST else names[1]
        size = None if entry is None else entry.key if is_key else entry.value
        self._push(name, _Local(self._path(range_).append(step), size, None))

    def _push_iterators(self, expr: Comprehension) -> None:
        range_ = expr.iter_range
        if expr.iter_var2:
            self._push_part(expr.iter_var, range_, is_key=True, names=("@indices", "@keys"))
            self._push_part(expr.iter_var2, range_, is_key=False, names=("@items", "@values"))
            return
        entry = self.entry_size(range_)
        kind = self._types[range_.id].kind if entry is None else entry.kind
        self._push_part(expr.iter_var, range_, is_key=kind is not Kind.LIST, names=("@items", "@keys"))

    def _fold(self, expr: Comprehension) -> Estimate:
        cost = self.cost(expr.iter_range).plus(self.cost(expr.accu_init))
        self._push_value(expr.accu_var, expr.accu_init)
        self._push_iterators(expr)
        loop_cost = self.cost(expr.loop_condition)
        step_cost = self.cost(expr.loop_step)
        self._locals[expr.iter_var].pop()
        if expr.iter_var2:
            self._locals[expr.iter_var2].pop()
        cost = cost.plus(self.cost(expr.result))
        self._locals[expr.accu_var].pop()
        count = self._size_or_unknown(expr.iter_range)
        self._note_fold(expr, count)
        return cost.plus(count.times(step_cost.plus(loop_cost)))

    def _note_fold(self, expr: Comprehension, count: Estimate) -> None:
        if isinstance(expr.accu_init, Literal):
            size = self.size(expr.accu_init)
            if size is not None:
                self._sizes[expr.id] = size
        elif isinstance(expr.accu_init, ListExpr | MapExpr):
            self._sizes[expr.id] = count
            entry_size = self.entry_size(expr.loop_step)
            if entry_size is not None:
                self._entry_sizes[expr.id] = entry_size

    def _bind(self, expr: Comprehension) -> Estimate:
        cost = self.cost(expr.iter_range).plus(self.cost(expr.accu_init))
        self._push_value(expr.accu_var, expr.accu_init)
        cost = cost.plus(self.cost(expr.result))
        self._locals[expr.accu_var].pop()
        self._copy_sizes(expr, expr.result)
        return cost


_INDEX_STEPS: Final = {"index_list": "@items", "index_map": "@values"}


def _is_bind(expr: Comprehension) -> bool:
    """Say whether a fold only gives a name to a value, as `optMap` and `sortBy` do."""
    is_empty = isinstance(expr.iter_range, ListExpr) and not expr.iter_range.elements
    condition = expr.loop_condition
    never = isinstance(condition, Literal) and condition.kind is LiteralKind.BOOL and condition.value is False
    return is_empty and never and expr.accu_var != _OLD_ACCUMULATOR


def _literal_size(expr: Expr) -> Estimate | None:
    match expr:
        case Literal(kind=LiteralKind.STRING | LiteralKind.BYTES, value=str() | bytes() as value):
            return fixed(len(value))
        case Literal():
            return ONE
        case ListExpr():
            return fixed(len(expr.elements))
        case MapExpr():
            return fixed(len(expr.entries))
        case _:
            return None


def _is_scalar(type_: Type) -> bool:
    return _is_scalar(type_.parameters[0]) if type_.is_optional else type_.kind in _SCALARS
