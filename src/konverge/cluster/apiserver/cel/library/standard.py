"""What CEL's own functions do; `standard_declarations` declares them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from konverge.cluster.apiserver.cel.arithmetic import (
    add,
    divide,
    invert,
    modulo,
    multiply,
    negate,
    refused,
    subtract,
)
from konverge.cluster.apiserver.cel.ast import Operator
from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.containers import contains, size_of
from konverge.cluster.apiserver.cel.conversion import (
    to_bool,
    to_bytes,
    to_double,
    to_duration,
    to_int,
    to_text,
    to_timestamp,
    to_uint,
)
from konverge.cluster.apiserver.cel.equality import compare, is_ordered
from konverge.cluster.apiserver.cel.go_time import SECOND, Clock, clock_of, whole_units
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.re2 import InvalidPattern, compile_re2
from konverge.cluster.apiserver.cel.values import Duration, Timestamp, TypeValue, type_name
from konverge.cluster.apiserver.go_text import quoted

_NUMBER: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)


def _comparison(operator: str, accepts: tuple[int, ...]) -> Callable[[Any, Any], bool]:
    def test(left: Any, right: Any) -> bool:
        if not is_ordered(left):
            raise refused(operator, left)
        return compare(left, right) in accepts

    return test


def _text_test(test: Callable[[str, str], bool]) -> Callable[[Any, Any], bool]:
    def checked(text: Any, part: Any) -> bool:
        if text.__class__ is not str or part.__class__ is not str:
            raise no_such_overload()
        return test(text, part)

    return checked


def _matches(text: Any, pattern: Any) -> bool:
    if text.__class__ is not str:
        raise refused("matches", text)
    if pattern.__class__ is not str:
        raise no_such_overload()
    try:
        return compile_re2(pattern).matches(text)
    except InvalidPattern as error:
        raise CelError(str(error)) from error


def _in_zone(read: Callable[[Clock], int]) -> Callable[..., int]:
    def part(moment: Timestamp, zone: str = "UTC") -> int:
        return read(clock_of(moment, _offset(moment, zone)))

    return part


def _offset(moment: Timestamp, zone: str) -> int:
    """Return how many seconds a zone is east of UTC at a moment."""
    hours, colon, minutes = zone.partition(":")
    if not colon:
        return 0 if zone in {"", "UTC", "Local"} else _named_offset(moment, zone)
    hour, minute = _whole(hours), _whole(minutes)
    return (hour * 60 - minute if zone.startswith("-") else hour * 60 + minute) * 60


def _whole(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise CelError(f"strconv.Atoi: parsing {quoted(text)}: invalid syntax")
    return int(text)


def _named_offset(moment: Timestamp, zone: str) -> int:
    try:
        place = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise CelError(f"unknown time zone {zone}") from None
    seconds = min(max(moment.nanos // SECOND, -62_135_510_400), 253_402_214_400)  # what a datetime can hold
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    offset = at.astimezone(place).utcoffset()
    return int(offset.total_seconds()) if offset is not None else 0


_PARTS: Final[dict[str, Callable[[Clock], int]]] = {
    "timestamp_to_year": lambda at: at.year,
    "timestamp_to_month": lambda at: at.month - 1,
    "timestamp_to_day_of_year": lambda at: at.year_day - 1,
    "timestamp_to_day_of_month": lambda at: at.day - 1,
    "timestamp_to_day_of_month_1_based": lambda at: at.day,
    "timestamp_to_day_of_week": lambda at: at.weekday,
    "timestamp_to_hours": lambda at: at.hour,
    "timestamp_to_minutes": lambda at: at.minute,
    "timestamp_to_seconds": lambda at: at.second,
    "timestamp_to_milliseconds": lambda at: at.nanosecond // 10**6,
}


def _in(unit: int) -> Callable[[Duration], int]:
    return lambda duration: whole_units(duration, unit)


def _milliseconds(duration: Duration) -> int:
    whole = abs(duration.nanos) // 10**6
    return -whole if duration.nanos < 0 else whole


_TARGETS: Final[dict[str, Callable[[Any], Any]]] = {
    "bool": to_bool,
    "bytes": to_bytes,
    "double": to_double,
    "duration": to_duration,
    "int64": to_int,
    "string": to_text,
    "timestamp": to_timestamp,
    "uint64": to_uint,
}
_SOURCES: Final = ("bool", "bytes", "double", "duration", "int64", "string", "timestamp", "uint64")

BINDINGS: Final[Bindings] = {
    Operator.ADD: add,
    Operator.SUBTRACT: subtract,
    Operator.MULTIPLY: multiply,
    Operator.DIVIDE: divide,
    Operator.MODULO: modulo,
    Operator.NEGATE: negate,
    Operator.LOGICAL_NOT: invert,
    Operator.LESS: _comparison(Operator.LESS, (-1,)),
    Operator.LESS_EQUALS: _comparison(Operator.LESS_EQUALS, (-1, 0)),
    Operator.GREATER: _comparison(Operator.GREATER, (1,)),
    Operator.GREATER_EQUALS: _comparison(Operator.GREATER_EQUALS, (1, 0)),
    Operator.IN: contains,
    "size": size_of,
    "type": lambda value: TypeValue(type_name(value)),
    "dyn": lambda value: value,
    "matches": _matches,
    "contains_string": _text_test(lambda text, part: part in text),
    "starts_with_string": _text_test(str.startswith),
    "ends_with_string": _text_test(str.endswith),
    **{f"{source}_to_{target}": convert for target, convert in _TARGETS.items() for source in _SOURCES},
    **{id_: _in_zone(read) for id_, read in _PARTS.items()},
    **{f"{id_}_with_tz": _in_zone(read) for id_, read in _PARTS.items()},
    "timestamp_to_seconds_tz": _in_zone(_PARTS["timestamp_to_seconds"]),  # cel-go's spelling
    "duration_to_hours": _in(3600 * SECOND),
    "duration_to_minutes": _in(60 * SECOND),
    "duration_to_seconds": _in(SECOND),
    "duration_to_milliseconds": _milliseconds,
}
