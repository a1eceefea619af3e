"""cel-go's sets: lists compared without regard to order and repetition."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.cel.cel_error import CelError, CostExceeded
from konverge.cluster.apiserver.cel.containers import contains
from konverge.cluster.apiserver.cel.declarations import Function, function, overload
from konverge.cluster.apiserver.cel.frame import PER_CALL_LIMIT
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.types import BOOL, list_of, type_param

_LIST: Final = list_of(type_param("T"))
FUNCTIONS: Final[tuple[Function, ...]] = (
    function("sets.contains", overload("list_sets_contains_list", [_LIST, _LIST], BOOL)),
    function("sets.equivalent", overload("list_sets_equivalent_list", [_LIST, _LIST], BOOL)),
    function("sets.intersects", overload("list_sets_intersects_list", [_LIST, _LIST], BOOL)),
)


def _contains(values: Any, part: Any) -> bool:
    _check_size(values, part)
    return all(contains(item, values) for item in part)


def _check_size(one: Any, other: Any) -> None:
    if len(one) * len(other) > PER_CALL_LIMIT:  # what it costs: it would be stopped when it is done
        raise CostExceeded


def _intersects(one: Any, other: Any) -> bool:
    _check_size(one, other)
    return any(_is_in(item, other) for item in one)


def _is_in(item: Any, values: Any) -> bool:
    try:
        return contains(item, values)
    except CelError:
        return False


BINDINGS: Final[Bindings] = {
    "list_sets_contains_list": _contains,
    "list_sets_equivalent_list": lambda one, other: _contains(one, other) and _contains(other, one),
    "list_sets_intersects_list": _intersects,
}
