"""cel-go's optional values. `or` and `orValue` have no binding: the evaluator leaves out what they need not look at."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.cel.ast import Operator
from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.declarations import Function, function, member, overload
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.types import BOOL, DYN, INT, STRING, list_of, map_of, optional_of, type_param
from konverge.cluster.apiserver.cel.values import NONE, Duration, Optional, Timestamp, is_list, is_map

_K: Final = type_param("K")
_V: Final = type_param("V")
_OPTIONAL: Final = optional_of(_V)
_LIST: Final = list_of(_V)
_MAP: Final = map_of(_K, _V)
_YEAR_ONE: Final = -62_135_596_800 * 10**9  # Go's zero time

FUNCTIONS: Final[tuple[Function, ...]] = (
    function("optional.of", overload("optional_of", [_V], _OPTIONAL)),
    function("optional.ofNonZeroValue", overload("optional_ofNonZeroValue", [_V], _OPTIONAL)),
    function("optional.none", overload("optional_none", [], _OPTIONAL)),
    function("value", member("optional_value", [_OPTIONAL], _V)),
    function("hasValue", member("optional_hasValue", [_OPTIONAL], BOOL)),
    function("or", member("optional_or_optional", [_OPTIONAL, _OPTIONAL], _OPTIONAL)),
    function("orValue", member("optional_orValue_value", [_OPTIONAL, _V], _V)),
    function(Operator.OPT_SELECT, overload("select_optional_field", [DYN, STRING], _OPTIONAL)),
    function(
        Operator.OPT_INDEX,
        overload("list_optindex_optional_int", [_LIST, INT], _OPTIONAL),
        overload("optional_list_optindex_optional_int", [optional_of(_LIST), INT], _OPTIONAL),
        overload("map_optindex_optional_value", [_MAP, _K], _OPTIONAL),
        overload("optional_map_optindex_optional_value", [optional_of(_MAP), _K], _OPTIONAL),
    ),
    function(
        Operator.INDEX,
        overload("optional_list_index_int", [optional_of(_LIST), INT], _OPTIONAL),
        overload("optional_map_index_value", [optional_of(_MAP), _K], _OPTIONAL),
    ),
    function("last", member("list_last", [_LIST], _OPTIONAL)),
    function("first", member("list_first", [_LIST], _OPTIONAL)),
    function("optional.unwrap", overload("optional_unwrap", [list_of(_OPTIONAL)], _LIST)),
    function("unwrapOpt", member("optional_unwrapOpt", [list_of(_OPTIONAL)], _LIST)),
)


def value_of(optional: Optional) -> Any:
    """`optional.value()`."""
    if not optional.has_value:
        raise CelError("optional.none() dereference")
    return optional.value


def _of_non_zero(value: Any) -> Optional:
    return NONE if _is_zero(value) else Optional(value)


def _is_zero(value: Any) -> bool:
    if value.__class__ is Duration:
        return bool(value.nanos == 0)
    if value.__class__ is Timestamp:
        return bool(value.nanos == _YEAR_ONE)
    if value is None or value.__class__ in (bool, str, bytes) or isinstance(value, int | float | list):
        return not value
    return is_map(value) and not _is_view(value) and len(value) == 0


def _is_view(value: Any) -> bool:
    return hasattr(value, "raw")  # what shows JSON is never taken for empty


def _first(values: Any) -> Optional:
    return Optional(next(iter(values))) if len(values) else NONE


def _last(values: Any) -> Optional:
    return Optional(list(values)[-1]) if len(values) else NONE


def _unwrapped(values: Any) -> list[Any]:
    if not is_list(values):
        raise CelError("no such overload")
    found: list[Any] = []
    for value in values:
        if value.__class__ is not Optional:
            raise CelError(f"value {value} is not optional")
        found.extend([value.value] if value.has_value else [])
    return found


BINDINGS: Final[Bindings] = {
    "optional_of": Optional,
    "optional_ofNonZeroValue": _of_non_zero,
    "optional_none": lambda: NONE,
    "optional_value": value_of,
    "optional_hasValue": lambda optional: optional.has_value,
    "list_last": _last,
    "list_first": _first,
    "optional_unwrap": _unwrapped,
    "optional_unwrapOpt": _unwrapped,
}
