"""When two values are equal, and which is less: cel-go's rules, over all types of numbers.

A list or map that holds errors is compared as cel-go does it: an error in an element of a plain list is no difference.
An expression may make a list that holds another twice, and so on: few lists, but more ways through them than anyone can
go. So two lists that stand in several places are compared once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.values import (
    MAX_INT,
    MAX_UINT,
    MIN_INT,
    Duration,
    MapValue,
    Optional,
    Timestamp,
    TypeValue,
    Uint,
    is_list,
    is_map,
)

_NUMBERS: Final = frozenset({int, Uint, float})
_BY_PYTHON: Final = frozenset({str, bytes, bool})
_ORDERED: Final = frozenset({int, Uint, float, str, bytes, bool, Timestamp, Duration})

# The pairs that have been compared, by their identities; the pair is kept, so that these are not given to others.
Compared = dict[tuple[int, int], tuple[Any, Any, bool]]


def equal(left: Any, right: Any, compared: Compared | None = None) -> bool:
    """Return whether values are equal; raise where cel-go has no answer."""
    if left is None or right is None:
        return left is right
    return same(left, right, compared)


def same(left: Any, right: Any, compared: Compared | None = None) -> bool:
    """Return whether values are equal, as the left one sees it: null is an unlike value, not a special case."""
    kind = left.__class__
    if kind in _BY_PYTHON:
        return right.__class__ is kind and bool(left == right)
    if kind in _NUMBERS:
        return right.__class__ in _NUMBERS and _same_number(left, right)
    if kind is list or isinstance(left, list):
        return is_list(right) and _once(same_lists, left, right, compared)
    if kind is MapValue or isinstance(left, MapValue):
        return is_map(right) and _once(same_maps, left, right, compared)
    return _same_other(left, right, compared)


def _once(compare_: Callable[[Any, Any, Compared], bool], left: Any, right: Any, compared: Compared | None) -> bool:
    if compared is None:
        return compare_(left, right, {})
    key = (id(left), id(right))
    if key not in compared:
        compared[key] = (left, right, compare_(left, right, compared))
    return compared[key][2]


def _same_other(left: Any, right: Any, compared: Compared | None) -> bool:
    match left:
        case None:
            return right is None
        case Timestamp() | Duration():
            return right.__class__ is left.__class__ and bool(left.nanos == right.nanos)
        case TypeValue():
            return right.__class__ is TypeValue and bool(left.name == right.name)
        case Optional():
            return right.__class__ is Optional and _same_optional(left, right, compared)
        case _:
            return bool(left.same(right))  # the views of JSON, and the values of Kubernetes' libraries


def _same_number(left: Any, right: Any) -> bool:
    if left.__class__ is float or right.__class__ is float:
        return not (left != left or right != right) and _compare_numbers(left, right) == 0  # noqa: PLR0124 - NaN
    return bool(left == right)


def same_lists(left: Any, right: Any, compared: Compared | None = None) -> bool:
    """Compare element by element; an error is no difference."""
    if len(left) != len(right):
        return False
    for one, other in zip(left, right, strict=True):
        try:
            if not equal(one, other, compared):
                return False
        except CelError:
            continue
    return True


def same_maps(left: Any, right: Any, compared: Compared | None = None) -> bool:
    """Compare entry by entry; an error is no difference."""
    if len(left) != len(right):
        return False
    for key in left.keys():  # noqa: SIM118 - no dict: its keys are not what it iterates over
        other, found = right.find(key)
        if not found or not _same_entry(left.find(key)[0], other, compared):
            return False
    return True


def _same_entry(value: Any, other: Any, compared: Compared | None) -> bool:
    try:
        return equal(value, other, compared)
    except CelError:
        return True


def _same_optional(left: Optional, right: Optional, compared: Compared | None) -> bool:
    if not left.has_value or not right.has_value:
        return left.has_value == right.has_value
    return same(left.value, right.value, compared)


def is_ordered(value: Any) -> bool:
    """Whether a value can be less than another."""
    return value.__class__ in _ORDERED


def compare(left: Any, right: Any) -> int:
    """Return -1, 0 or 1; raise where the values have no order between them."""
    kind = left.__class__
    if kind in _NUMBERS:
        if right.__class__ not in _NUMBERS:
            raise no_such_overload()
        if left != left or right != right:  # noqa: PLR0124 - NaN
            raise CelError("NaN values cannot be ordered")
        return _compare_numbers(left, right)
    if right.__class__ is not kind:
        raise no_such_overload()
    if kind is str:  # Go compares bytes, and UTF-8 keeps the order of code points, as Python compares
        return _order(left, right)
    if kind is Timestamp or kind is Duration:
        return _order(left.nanos, right.nanos)
    if kind in _ORDERED:
        return _order(left, right)
    raise no_such_overload()


def _compare_numbers(left: Any, right: Any) -> int:
    if left.__class__ is float and right.__class__ is not float:
        return _compare_float(left, right)
    if right.__class__ is float and left.__class__ is not float:
        return -_compare_float(right, left)
    return _order(left, right)


def _order(left: Any, right: Any) -> int:
    return bool(left > right) - bool(left < right)


def _compare_float(number: float, whole: int) -> int:
    """Compare as cel-go does: a whole number is rounded to a double first."""
    least, most = (0, MAX_UINT) if whole.__class__ is Uint else (MIN_INT, MAX_INT)
    if number < float(least):
        return -1
    if number > float(most):
        return 1
    other = float(whole)
    return (number > other) - (number < other)
