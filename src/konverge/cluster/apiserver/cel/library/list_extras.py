"""cel-go's list extensions, version 3: slices, order, ranges."""

from __future__ import annotations

from functools import cmp_to_key
from typing import Any, Final

from konverge.cluster.apiserver.cel.arithmetic import refused
from konverge.cluster.apiserver.cel.breadth import is_too_broad
from konverge.cluster.apiserver.cel.cel_error import CelError, CostExceeded
from konverge.cluster.apiserver.cel.declarations import Function, function, member, overload
from konverge.cluster.apiserver.cel.equality import compare, is_ordered
from konverge.cluster.apiserver.cel.frame import PER_CALL_LIMIT
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.library.lists import is_same
from konverge.cluster.apiserver.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    UINT,
    list_of,
    type_param,
)
from konverge.cluster.apiserver.cel.values import is_list, type_name

_T: Final = type_param("T")
_LIST: Final = list_of(_T)
_COMPARABLE: Final = (INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES)

FUNCTIONS: Final[tuple[Function, ...]] = (
    function("slice", member("list_slice", [_LIST, INT, INT], _LIST)),
    function(
        "flatten",
        member("list_flatten", [list_of(_LIST)], _LIST),
        member("list_flatten_int", [list_of(DYN), INT], list_of(DYN)),
    ),
    function("sort", *(member(f"list_{t.name}_sort", [list_of(t)], list_of(t)) for t in _COMPARABLE)),
    function(
        "@sortByAssociatedKeys",
        *(member(f"list_{t.name}_sortByAssociatedKeys", [_LIST, list_of(t)], _LIST) for t in _COMPARABLE),
    ),
    function("lists.range", overload("lists_range", [INT], list_of(INT))),
    function("reverse", member("list_reverse", [_LIST], _LIST)),
    function("distinct", member("list_distinct", [_LIST], _LIST)),
)


def _slice(values: Any, start: int, end: int) -> list[Any]:
    if start < 0 or end < 0:
        raise CelError(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise CelError(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if len(values) < end:
        raise CelError(f"cannot slice({start}, {end}), list is length {len(values)}")
    return list(values)[start:end]


def _flatten(values: Any, *depth: Any) -> list[Any]:
    if not is_list(values) or any(one.__class__ is not int for one in depth):
        types = ", ".join(map(_shown_type, depth))
        raise CelError(f"no such overload: {_shown_type(values)}.flatten({types})")
    if is_too_broad(values):
        raise CostExceeded
    return _flattened(values, *depth)


def _shown_type(value: Any) -> str:
    return {"list": "list(dyn)", "map": "map(dyn, dyn)"}.get(type_name(value), type_name(value))


def _flattened(values: Any, depth: int = 1) -> list[Any]:
    if depth < 0:
        raise CelError("level must be non-negative")
    flat: list[Any] = []
    for value in values:
        flat.extend(_flattened(value, depth - 1) if depth and is_list(value) else [value])
    return flat


def _sort(values: Any) -> Any:
    if not is_list(values):
        raise refused("sort", values)
    return _sort_by(values, values)


def _sort_by(values: Any, keys: Any) -> Any:
    if not is_list(values):  # a map has keys to be sorted by, and no order
        raise refused("@sortByAssociatedKeys", values)
    items, sort_keys = list(values), list(keys)
    if len(items) != len(sort_keys):
        raise CelError(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got "
            f"{len(items)} and {len(sort_keys)} elements respectively"
        )
    if not items:
        return values
    if not is_ordered(sort_keys[0]):
        raise CelError("list elements must be comparable")
    if any(type_name(key) != type_name(sort_keys[0]) for key in sort_keys) and len(items) > 1:
        raise CelError("list elements must have the same type")
    order = sorted(range(len(items)), key=lambda index: cmp_to_key(_compared)(sort_keys[index]))
    return [items[index] for index in order]


def _compared(left: Any, right: Any) -> int:
    try:
        return compare(left, right)
    except CelError:  # NaN has no place; it stays where it is
        return 0


def _range(most: int) -> list[Any]:
    if most > PER_CALL_LIMIT:  # each element costs one: it is not made first, as it is there
        raise CostExceeded
    return list(range(most))


def _distinct(values: Any) -> list[Any]:
    if 2 * len(values) ** 2 > PER_CALL_LIMIT:  # what it costs: it would be stopped when it is done
        raise CostExceeded
    unique: list[Any] = []
    for value in values:
        if not any(is_same(value, other) for other in unique):
            unique.append(value)
    return unique


BINDINGS: Final[Bindings] = {
    "list_slice": _slice,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "sort": _sort,
    "@sortByAssociatedKeys": _sort_by,
    "lists_range": _range,
    "list_reverse": lambda values: list(values)[::-1],
    "list_distinct": _distinct,
}
