"""Kubernetes' lists: order, sums, extremes and positions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

from konverge.cluster.apiserver.cel.arithmetic import add
from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.declarations import Function, function, member
from konverge.cluster.apiserver.cel.equality import compare, is_ordered, same
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    INT,
    STRING,
    TIMESTAMP,
    UINT,
    list_of,
    type_param,
)
from konverge.cluster.apiserver.cel.values import Duration, Uint

_A: Final = type_param("A")
_SUMMABLE: Final = {"int": INT, "uint": UINT, "double": DOUBLE, "duration": DURATION}
_COMPARABLE: Final = {
    "int": INT,
    "uint": UINT,
    "double": DOUBLE,
    "bool": BOOL,
    "duration": DURATION,
    "timestamp": TIMESTAMP,
    "string": STRING,
    "bytes": BYTES,
}
_ZEROS: Final[dict[str, Any]] = {"int": 0, "uint": Uint(0), "double": 0.0, "duration": Duration(0)}

FUNCTIONS: Final[tuple[Function, ...]] = (
    function("isSorted", *(member(f"list_{n}_is_sorted_bool", [list_of(t)], BOOL) for n, t in _COMPARABLE.items())),
    function("sum", *(member(f"list_{n}_sum_{n}", [list_of(t)], t) for n, t in _SUMMABLE.items())),
    function("max", *(member(f"list_{n}_max_{n}", [list_of(t)], t) for n, t in _COMPARABLE.items())),
    function("min", *(member(f"list_{n}_min_{n}", [list_of(t)], t) for n, t in _COMPARABLE.items())),
    function("indexOf", member("list_a_index_of_int", [list_of(_A), _A], INT)),
    function("lastIndexOf", member("list_a_last_index_of_int", [list_of(_A), _A], INT)),
)


def _comparable(values: Any) -> list[Any]:
    items = list(values)
    if not all(map(is_ordered, items)):
        raise no_such_overload()
    return items


def _compared(left: Any, right: Any) -> int:
    """Compare; values without an order between them count as equal, as they do there."""
    try:
        return compare(left, right)
    except CelError:
        return 0


def _is_sorted(values: Any) -> bool:
    items = _comparable(values)
    return all(_compared(one, other) <= 0 for one, other in pairwise(items))


def _sum_from(zero: Any) -> Callable[[Any], Any]:
    def total(values: Any) -> Any:
        result = zero
        for value in values:
            result = add(result, value)
        return result

    return total


def _extreme(name: str, worse: int) -> Callable[[Any], Any]:
    def chosen(values: Any) -> Any:
        items = _comparable(values)
        if not items:
            raise CelError(f"{name} called on empty list")
        best = items[0]
        for item in items[1:]:
            if _compared(best, item) == worse:
                best = item
        return best

    return chosen


def is_same(one: Any, other: Any) -> bool:
    """Whether two elements are equal; those that cannot be compared are not."""
    try:
        return same(one, other)
    except CelError:
        return False


def _index_of(values: Any, item: Any) -> int:
    return next((index for index, value in enumerate(values) if is_same(value, item)), -1)


def _last_index_of(values: Any, item: Any) -> int:
    items = list(values)
    return next((index for index in reversed(range(len(items))) if is_same(items[index], item)), -1)


BINDINGS: Final[Bindings] = {
    **{f"list_{name}_is_sorted_bool": _is_sorted for name in _COMPARABLE},
    **{f"list_{name}_sum_{name}": _sum_from(_ZEROS[name]) for name in _SUMMABLE},
    **{f"list_{name}_max_{name}": _extreme("max", -1) for name in _COMPARABLE},
    **{f"list_{name}_min_{name}": _extreme("min", 1) for name in _COMPARABLE},
    "list_a_index_of_int": _index_of,
    "list_a_last_index_of_int": _last_index_of,
}
