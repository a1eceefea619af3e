"""Numbers as the real server checks them: whole numbers are int64, all others float64, limits are float64."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

from konverge.cluster.apiserver.schema.finding import Finding, Sort
from konverge.cluster.apiserver.schema.go_value import go_float
from konverge.cluster.apiserver.schema.structural import Limits

INT64: Final = range(-(2**63), 2**63)
_INT32: Final = range(-(2**31), 2**31)
_LARGEST_EXACT: Final = 2**53 - 1
_LARGEST_FLOAT32: Final = 3.4028235677973366e38  # from here on a float32 rounds to infinity
_CLOSE: Final = 1e-9


def as_read(value: float) -> float:
    """Return a number as the real server reads it: an integer that is too large for 64 bits becomes a float."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return float(value) if abs(value) < 10**308 else math.copysign(math.inf, value)
    return value


def is_whole(value: float) -> bool:
    """Whether a float counts as an integer: within the exact ones, and off by rounding at most."""
    if not math.isfinite(value) or abs(value) > _LARGEST_EXACT:
        return False
    if value == int(value):
        return True
    if value < 1:  # Go's conversion of what is below zero to uint64 is far off
        return False
    floor = float(int(value))
    return abs(value - floor) / (value + floor) < _CLOSE


def check_number(value: Any, path: str, *, limits: Limits, types: tuple[str, ...]) -> Iterator[Finding]:
    """Tell what is wrong with a number."""
    kind = types[0] if len(types) == 1 and types[0] in ("integer", "number") else ""
    known = {"integer": ("int32", "int64"), "number": ("float", "double")}.get(kind, ())
    format_ = limits.format if limits.format in known else ""
    yield from _out_of_range(value, path, "Checked", kind=kind, format_=format_)
    if limits.multiple_of is not None:
        yield from _multiple(value, path, limits.multiple_of, kind=kind, format_=format_)
    if limits.minimum is not None:
        yield from _bound(value, path, "Minimum boundary", limits=limits, kind=kind, format_=format_)
    if limits.maximum is not None:
        yield from _bound(value, path, "Maximum boundary", limits=limits, kind=kind, format_=format_)


def _out_of_range(value: Any, path: str, what: str, *, kind: str, format_: str) -> Iterator[Finding]:
    if _fits(value, kind, format_):
        return
    form = f"with format {format_}" if format_ else "(default format)"
    yield Finding(Sort.PLAIN, f"{what} value must be of type {kind} {form} in {path}")


def _fits(value: Any, kind: str, format_: str) -> bool:
    if kind == "integer":
        if isinstance(value, float) and not (math.isfinite(value) and value == int(value)):
            return False
        return int(value) in (_INT32 if format_ == "int32" else INT64)
    return format_ != "float" or abs(value) < _LARGEST_FLOAT32


def _multiple(value: Any, path: str, factor: float, *, kind: str, format_: str) -> Iterator[Finding]:
    wrong = tuple(_out_of_range(factor, path, "MultipleOf", kind=kind, format_=format_))
    yield from wrong
    seen: Any = float(value) if wrong or isinstance(value, float) else value
    by: Any = float(factor) if isinstance(seen, float) else int(factor)
    if by <= 0:
        message = f"factor MultipleOf declared for {path} must be positive: {_shown(by)}"
        yield Finding(Sort.OTHER, message, path, by)
    elif not (is_whole(1 / by * seen if by < 1 else seen / by) if isinstance(seen, float) else seen % by == 0):
        yield Finding(Sort.OTHER, f"{path} in body should be a multiple of {_shown(by)}", path, seen)


def _bound(value: Any, path: str, what: str, *, limits: Limits, kind: str, format_: str) -> Iterator[Finding]:
    is_upper = what.startswith("Max")
    bound = limits.maximum if is_upper else limits.minimum
    is_strict = limits.is_below if is_upper else limits.is_above
    assert bound is not None  # noqa: S101 - for the type checker: both callers have looked
    wrong = tuple(_out_of_range(bound, path, what, kind=kind, format_=format_))
    yield from wrong
    seen: Any = float(value) if wrong or isinstance(value, float) else value
    limit: Any = float(bound) if isinstance(seen, float) else int(bound)
    beyond = seen > limit if is_upper else seen < limit
    if beyond or (is_strict and seen == limit):
        word = "less" if is_upper else "greater"
        relation = f"{word} than" if is_strict else f"{word} than or equal to"
        yield Finding(Sort.OTHER, f"{path} in body should be {relation} {_shown(limit)}", path, seen)


def _shown(value: Any) -> str:
    return go_float(value) if isinstance(value, float) else str(value)
