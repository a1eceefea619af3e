"""CEL's operators on values: 64-bit numbers that overflow with an error, texts, lists, times."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.go_time import MAX_SECONDS, MIN_SECONDS, SECOND
from konverge.cluster.apiserver.cel.values import (
    MAX_INT,
    MAX_UINT,
    MIN_INT,
    Duration,
    MapValue,
    Timestamp,
    Uint,
    is_list,
)

Binary: TypeAlias = Callable[[Any, Any], Any]

# Strings and times receive calls in cel-go, and answer those they do not know without naming them.
_RECEIVERS: Final = frozenset({str, Timestamp, Duration})


class Accumulator(list[Any]):
    """The list that a macro folds into: adding to it changes it, since nobody else can see it."""

    CEL_TYPE: Final = "list"


class MapAccumulator(MapValue):
    """The map that a macro folds into."""

    __slots__ = ()
    CEL_TYPE: Final = "map"


def refused(function: str, value: Any) -> CelError:
    """Return the error of an operator whose left side does not have it."""
    return no_such_overload() if value.__class__ in _RECEIVERS else CelError(f"no such overload: {function}")


def checked_int(value: int) -> int:
    """Return a result that must fit in an int."""
    if MIN_INT <= value <= MAX_INT:
        return value
    raise CelError("integer overflow")


def checked_uint(value: int) -> Uint:
    """Return a result that must fit in an uint."""
    if 0 <= value <= MAX_UINT:
        return Uint(value)
    raise CelError("unsigned integer overflow")


def add(left: Any, right: Any) -> Any:
    """`left + right`."""
    kind = left.__class__
    if kind is right.__class__:
        if kind is int:
            return checked_int(left + right)
        if kind is str or kind is float or kind is bytes:
            return left + right
        if kind is Uint:
            return checked_uint(int(left) + int(right))
    return _add_other(left, right)


def _add_other(left: Any, right: Any) -> Any:
    kind = left.__class__
    if is_list(left):
        return _add_list(left, right)
    if kind is Duration:
        return _add_to_duration(left, right)
    if kind is Timestamp and right.__class__ is Duration:
        return _shift(left, right.nanos)
    if kind in (int, Uint, float, str, bytes, Timestamp):
        raise no_such_overload()
    raise refused("_+_", left)


def _add_to_duration(left: Duration, right: Any) -> Any:
    if right.__class__ is Duration:
        return Duration(checked_int(left.nanos + right.nanos))
    if right.__class__ is Timestamp:
        return _shift(right, left.nanos)
    raise no_such_overload()


def _add_list(left: Any, right: Any) -> Any:
    if not is_list(right):
        raise no_such_overload()
    if left.__class__ is Accumulator:
        left.extend(right)
        return left
    if isinstance(left, list):
        return right if not left else left if not len(right) else [*left, *right]
    return left.joined(right)


def _shift(moment: Timestamp, nanos: int) -> Timestamp:
    total = moment.nanos + nanos
    if not MIN_SECONDS <= total // SECOND <= MAX_SECONDS:
        raise CelError("timestamp overflow")
    return Timestamp(total, moment.offset)


def subtract(left: Any, right: Any) -> Any:
    """`left - right`."""
    kind = left.__class__
    if kind is right.__class__:
        if kind is int:
            return checked_int(left - right)
        if kind is float:
            return left - right
        if kind is Uint:
            return checked_uint(int(left) - int(right))
        if kind is Duration or kind is Timestamp:
            return Duration(checked_int(left.nanos - right.nanos))
    if kind is Timestamp and right.__class__ is Duration:
        return _shift(left, -checked_int(right.nanos))
    if kind in (int, Uint, float, Duration, Timestamp):
        raise no_such_overload()
    raise refused("_-_", left)


def multiply(left: Any, right: Any) -> Any:
    """`left * right`."""
    kind = left.__class__
    if kind not in (int, Uint, float):
        raise refused("_*_", left)
    if kind is not right.__class__:
        raise no_such_overload()
    if kind is int:
        return checked_int(left * right)
    return left * right if kind is float else checked_uint(int(left) * int(right))


def divide(left: Any, right: Any) -> Any:
    """`left / right`: whole numbers are cut towards zero."""
    kind = left.__class__
    if kind not in (int, Uint, float):
        raise refused("_/_", left)
    if kind is not right.__class__:
        raise no_such_overload()
    if kind is float:
        return _divide_floats(left, right)
    if right == 0:
        raise CelError("division by zero")
    if kind is Uint:
        return Uint(int(left) // int(right))
    quotient = abs(left) // abs(right)
    return checked_int(quotient if (left < 0) == (right < 0) else -quotient)


def _divide_floats(left: float, right: float) -> float:
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, math.copysign(1, left) * math.copysign(1, right))


def modulo(left: Any, right: Any) -> Any:
    """`left % right`: with the sign of the left side."""
    kind = left.__class__
    if kind not in (int, Uint):
        raise refused("_%_", left)
    if kind is not right.__class__:
        raise no_such_overload()
    if right == 0:
        raise CelError("modulus by zero")
    if kind is Uint:
        return Uint(int(left) % int(right))
    if left == MIN_INT and right == -1:
        raise CelError("integer overflow")
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def negate(value: Any) -> Any:
    """`-value`."""
    kind = value.__class__
    if kind is int:
        return checked_int(-value)
    if kind is float:
        return -value
    if kind is Duration:
        return Duration(checked_int(-value.nanos))
    if kind is bool:
        raise no_such_overload()
    raise refused("-_", value)


def invert(value: Any) -> bool:
    """`!value`."""
    if value is True or value is False:
        return not value
    raise no_such_overload()
