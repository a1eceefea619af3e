"""Conversions between the types: `int(x)`, `string(x)`, `timestamp(x)` and their kin, with Go's formats."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from konverge.api.duration import parse_nanoseconds
from konverge.api.invalid import InvalidValue
from konverge.cluster.apiserver.cel.arithmetic import checked_int, checked_uint
from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.go_time import (
    MAX_SECONDS,
    MIN_SECONDS,
    SECOND,
    parse_moment,
    seconds_of,
    shown_moment,
)
from konverge.cluster.apiserver.cel.number_text import parse_float, shown_plain
from konverge.cluster.apiserver.cel.values import (
    MAX_INT,
    MAX_UINT,
    MIN_INT,
    Duration,
    Timestamp,
    TypeValue,
    Uint,
    type_name,
)
from konverge.cluster.apiserver.go_text import shown_float

_SIGNED: Final = re.compile(r"[+-]?\d+", re.ASCII)
_UNSIGNED: Final = re.compile(r"\d+", re.ASCII)
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})
_TOO_LARGE: Final = 2.0**64


def _failed(value: Any, target: str) -> CelError:
    return CelError(f"type conversion error from '{type_name(value)}' to '{target}'")


def to_int(value: Any) -> int:
    """`int(value)`."""
    match value:
        case Uint():
            return checked_int(int(value))
        case float():
            if not math.isfinite(value) or not float(MIN_INT) < value < float(MAX_INT):
                raise CelError("integer overflow")
            return int(value)
        case str():
            if _SIGNED.fullmatch(value) and MIN_INT <= int(value) <= MAX_INT:
                return int(value)
            raise _failed(value, "int")
        case Timestamp():
            return value.nanos // SECOND
        case Duration():
            return value.nanos
        case _:
            return int(value)


def to_uint(value: Any) -> Uint:
    """`uint(value)`."""
    match value:
        case float():
            if not math.isfinite(value) or not 0 <= value < _TOO_LARGE:
                raise CelError("unsigned integer overflow")
            return Uint(int(value))
        case str():
            if _UNSIGNED.fullmatch(value) and int(value) <= MAX_UINT:
                return Uint(value)
            raise _failed(value, "uint")
        case _:
            return checked_uint(int(value))


def to_double(value: Any) -> float:
    """`double(value)`."""
    if value.__class__ is not str:
        return float(value)
    number = parse_float(value)
    if number is None:
        raise _failed(value, "double")
    return number


def to_bool(value: Any) -> bool:
    """`bool(value)`."""
    if value.__class__ is bool:
        return bool(value)
    if value in _TRUE or value in _FALSE:
        return value in _TRUE
    raise _failed(value, "bool")


def to_bytes(value: Any) -> bytes:
    """`bytes(value)`."""
    return value.encode() if value.__class__ is str else bytes(value)


def to_text(value: Any) -> str:  # noqa: PLR0911 - a table of types
    """`string(value)`."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(int(value))
        case float():
            return shown_float(value)
        case bytes():
            return _decoded(value)
        case Timestamp():
            return shown_moment(value)
        case Duration():
            return shown_plain(seconds_of(value)) + "s"
        case TypeValue():
            return value.name
        case _:
            return str(value)


def _decoded(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise CelError("invalid UTF-8 in bytes, cannot convert to string") from None


def to_timestamp(value: Any) -> Timestamp:
    """`timestamp(value)`."""
    if value.__class__ is Timestamp:
        return value
    moment = Timestamp(value * SECOND) if value.__class__ is int else parse_moment(value)
    if moment is None:
        raise _failed(value, "google.protobuf.Timestamp")
    if not MIN_SECONDS <= moment.nanos // SECOND <= MAX_SECONDS:
        raise CelError("timestamp overflow")
    return moment


def to_duration(value: Any) -> Duration:
    """`duration(value)`."""
    if value.__class__ is Duration:
        return value
    if value.__class__ is int:
        raise _failed(value, "google.protobuf.Duration")
    try:
        return Duration(parse_nanoseconds(value))
    except InvalidValue:
        raise _failed(value, "google.protobuf.Duration") from None
