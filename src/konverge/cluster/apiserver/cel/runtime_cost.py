"""What a call costs when it has been made, as cel-go counts with Kubernetes' own prices.

The price of a function is a number, or a function of the arguments and the result. An argument or a result that is an
error is given as the CelError: it has the size 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from konverge.cluster.apiserver.cel.cel_error import CelError, Panicked
from konverge.cluster.apiserver.cel.go_type_name import go_type_name
from konverge.cluster.apiserver.cel.library.cidrs import CidrValue
from konverge.cluster.apiserver.cel.library.formats import FormatValue
from konverge.cluster.apiserver.cel.library.ips import IpValue
from konverge.cluster.apiserver.cel.library.quantities import QuantityValue
from konverge.cluster.apiserver.cel.library.semvers import SemverValue
from konverge.cluster.apiserver.cel.library.urls import UrlValue
from konverge.cluster.apiserver.cel.values import is_list, is_map, size

Price: TypeAlias = int | Callable[[Sequence[Any], Any], int]

LIST: Final = 10
MAP: Final = 30
STRUCT: Final = 40
_TRAVERSAL: Final = 0.1
_REGEX: Final = 0.25
_UNIT_EQUALITY: Final = (QuantityValue, IpValue, CidrValue, FormatValue, UrlValue, SemverValue)


def price(function: str, overload: str) -> Price:
    """Return the price of a call; `overload` is empty where the arguments decide it."""
    return (
        _BY_EXTENSION.get(overload)
        or _BY_NAME.get(function)
        or _BY_OVERLOAD.get(overload)
        or (_sorted if overload.endswith(("_sort", "_sortByAssociatedKeys")) else 1)
    )


def cost_of(price_: Price, args: Sequence[Any], result: Any) -> int:
    """Return what a call has cost."""
    return price_ if isinstance(price_, int) else price_(args, result)


def _traversed(factor: float, index: int = 0) -> Price:
    return lambda args, _result: math.ceil(size(args[index]) * factor)


def _tree(value: Any) -> int:
    """Count what a walk over a value looks at."""
    if value.__class__ is str:
        return int(len(value.encode()) * _TRAVERSAL)
    if value.__class__ is bytes:
        return int(len(value) * _TRAVERSAL)
    if is_list(value):
        return sum(map(_tree, value))
    if is_map(value):
        return sum(_tree(key) + _tree(value.find(key)[0]) for key in value.keys())  # noqa: SIM118 - no dict
    return 1


def _regex(args: Sequence[Any], _result: Any) -> int:
    return math.ceil((1 + size(args[0])) * _TRAVERSAL) * math.ceil(size(args[1]) * _REGEX)


def _contains(args: Sequence[Any], _result: Any) -> int:
    return math.ceil(size(args[0]) * _TRAVERSAL) * math.ceil(size(args[1]) * _TRAVERSAL)


def _smaller(args: Sequence[Any], _result: Any) -> int:
    return math.ceil(min(size(args[0]), size(args[1])) * _TRAVERSAL)


def _both(args: Sequence[Any], _result: Any) -> int:
    return math.ceil((size(args[0]) + size(args[1])) * _TRAVERSAL)


def _equals(args: Sequence[Any], result: Any) -> int:
    return 1 if isinstance(args[0], _UNIT_EQUALITY) else _smaller(args, result)


def _contains_ip(args: Sequence[Any], _result: Any) -> int:
    cost = math.ceil(2 * size(args[0]) * _TRAVERSAL)
    return cost + math.ceil(size(args[1]) * _TRAVERSAL) if args[1].__class__ is str else cost


def _contains_cidr(args: Sequence[Any], result: Any) -> int:
    return _contains_ip(args, result) + math.ceil(size(args[0]) * _TRAVERSAL) + 1


def _validate(args: Sequence[Any], _result: Any) -> int:
    if not isinstance(args[0], FormatValue):
        return 1
    return math.ceil((1 + size(args[1])) * _TRAVERSAL) * math.ceil(args[0].regex_size * _REGEX)


def _selector(args: Sequence[Any], _result: Any) -> int:
    length = size(args[1])
    return LIST + math.ceil(length * _TRAVERSAL) + math.ceil(length / 2) * (LIST + STRUCT)


def _sets(factor: int) -> Price:
    return lambda args, _result: 1 + size(args[0]) * size(args[1]) * factor


def _allocated(factor: float, items: int) -> int:
    return int(items * factor) + 1 + LIST


def _self_compared(values: Any) -> int:
    if values.__class__ is CelError:
        raise Panicked("interface conversion: *types.Err is not traits.Lister: missing method Add")
    items = size(values)
    first = next(iter(values), None) if items and is_list(values) else None
    factor = 2 + _TRAVERSAL if first.__class__ in (str, bytes) else 2.0
    return _allocated(factor, items * items)


def _sorted(args: Sequence[Any], _result: Any) -> int:
    return _self_compared(args[-1])


def _flattened(args: Sequence[Any], _result: Any) -> int:
    depth = args[1] if len(args) > 1 else 1
    if depth.__class__ is not int:
        raise Panicked(f"interface conversion: ref.Val is {go_type_name(depth)}, not types.Int")
    return _allocated(depth, size(args[0]))


def _output(_args: Sequence[Any], result: Any) -> int:
    return _allocated(1, size(result))


_BY_EXTENSION: Final[dict[str, Price]] = {
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
    "list_slice": _output,
    "list_flatten": _flattened,
    "list_flatten_int": _flattened,
    "lists_range": _output,
    "list_reverse": _output,
    "list_distinct": lambda args, _result: _self_compared(args[0]),
}
_WALKS: Final = ("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf")
_ONCE: Final = (
    *("url", "jsonpatch.escapeKey", "lowerAscii", "upperAscii", "substring", "trim", "cidr", "isIP", "isCIDR"),
    *("quantity", "isQuantity", "semver", "isSemver"),
)
_TWICE: Final = ("replace", "split", "ip.isCanonical")
_BY_NAME: Final[dict[str, Price]] = {
    **dict.fromkeys(_WALKS, lambda args, _result: _tree(args[0])),
    **dict.fromkeys(_ONCE, _traversed(_TRAVERSAL)),
    **dict.fromkeys(_TWICE, _traversed(2 * _TRAVERSAL)),
    "check": 350_000,  # two in an expression, and no more
    **dict.fromkeys(("fieldSelector", "labelSelector"), _selector),
    "join": lambda _args, result: math.ceil(size(result) * 2 * _TRAVERSAL),
    "find": _regex,
    "findAll": _regex,
    "ip": lambda args, _result: 1 if isinstance(args[0], CidrValue) else math.ceil(size(args[0]) * _TRAVERSAL),
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "validate": _validate,
    "_==_": _equals,
}
_COMPARISONS: Final = tuple(
    f"{name}_{kind}" for name in ("less", "less_equals", "greater", "greater_equals") for kind in ("string", "bytes")
)
_BY_OVERLOAD: Final[dict[str, Price]] = {
    **dict.fromkeys(
        (
            "starts_with_string",
            "ends_with_string",
            "string_to_bytes",
            "bytes_to_string",
            "strings_quote",
            "string_format",
        ),
        _traversed(_TRAVERSAL),
    ),
    **dict.fromkeys(_COMPARISONS, _smaller),
    "not_equals": _smaller,
    "in_list": lambda args, _result: size(args[1]),
    "add_string": _both,
    "add_bytes": _both,
    "matches_string": _regex,
    "contains_string": _contains,
}
