"""Durations as the API spells them ("1h30m", "300ms"), to and from `timedelta`.

The text is that of Go's time package, which `metav1.Duration` uses. It counts in nanoseconds and a `timedelta` in
microseconds, so the exact pair is `parse_nanoseconds` and `format_nanoseconds`; `parse_duration` refuses a text that a
`timedelta` cannot hold rather than change it silently.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TypeAlias

from konverge.api.invalid import InvalidValue

DurationText: TypeAlias = str
"""A duration in the spelling of the wire, such as "1h30m"; `parse_duration` computes with it."""

_MICRO, _MILLI, _SECOND = 10**3, 10**6, 10**9
# Go takes both characters for micro, the sign and the Greek letter.
_UNITS = {
    "ns": 1,
    "us": _MICRO,
    "\N{MICRO SIGN}s": _MICRO,
    "\N{GREEK SMALL LETTER MU}s": _MICRO,
    "ms": _MILLI,
    "s": _SECOND,
    "m": 60 * _SECOND,
    "h": 3600 * _SECOND,
}
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+", re.ASCII)
_UNIT = re.compile(r"[^0-9.]*", re.ASCII)
_TERM = re.compile(rf"(?=\.?[0-9])([0-9]*)\.?([0-9]*)({'|'.join(_UNITS)})", re.ASCII)
_MAX = 2**63 - 1
_PRINTABLE = range(0x20, 0x80)


def parse_duration(text: str) -> timedelta:
    """Read a duration; one that is no whole number of microseconds is refused."""
    nanoseconds = parse_nanoseconds(text)
    microseconds, rest = divmod(nanoseconds, _MICRO)
    if rest:
        raise InvalidValue(
            f"{text!r} is finer than a microsecond, which a timedelta cannot hold: use parse_nanoseconds"
        )
    return timedelta(microseconds=microseconds)


def format_duration(duration: timedelta) -> str:
    """Write a duration as the API server would."""
    return format_nanoseconds(duration // timedelta(microseconds=1) * _MICRO)


def parse_nanoseconds(text: str) -> int:
    """Read a duration exactly."""
    sign, rest = (text[0], text[1:]) if text[:1] in {"+", "-"} else ("", text)
    total = 0 if rest == "0" else _sum(rest, text)
    if total > _MAX + (sign == "-"):
        raise InvalidValue(f"{text!r} is too long: a duration ends at {format_nanoseconds(_MAX)}")
    return -total if sign == "-" else total


def duration_fault(text: str) -> str:
    """Say in the words of Go's time package what is wrong with a text that is no duration."""
    rest = text[1:] if text[:1] in {"+", "-"} else text
    shown = _quoted(text)
    while number := _NUMBER.match(rest):
        unit = _UNIT.match(rest, number.end())
        if unit is None or not unit[0]:
            return f"time: missing unit in duration {shown}"
        if unit[0] not in _UNITS:
            return f"time: unknown unit {_quoted(unit[0])} in duration {shown}"
        rest = rest[unit.end() :]
    return f"time: invalid duration {shown}"


def _quoted(text: str) -> str:
    """Quote a text as Go's time package does, which knows no characters beyond ASCII."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').encode()
    return '"' + "".join(chr(byte) if byte in _PRINTABLE else f"\\x{byte:02x}" for byte in escaped) + '"'


def format_nanoseconds(nanoseconds: int) -> str:
    """Write a duration exactly: the largest unit that fits below a second, else hours, minutes and seconds."""
    sign, rest = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
    if rest > _MAX + (sign == "-"):
        raise InvalidValue(f"{nanoseconds} nanoseconds are too long: a duration ends at {format_nanoseconds(_MAX)}")
    return sign + (_below_a_second(rest) if rest < _SECOND else _clock(rest))


def _sum(terms: str, text: str) -> int:
    position = total = 0
    while match := _TERM.match(terms, position):
        total += _term(*match.groups())
        position = match.end()
    if position == 0 or position != len(terms):
        units = "ns, us, ms, s, m, h"
        raise InvalidValue(f"{text!r} is not a duration: write numbers with units ({units}), such as 1h30m or 0.5s")
    return total


def _term(whole: str, fraction: str, unit: str) -> int:
    size = _UNITS[unit]
    part, scale = _leading_fraction(fraction)
    # In floating point, as Go does it, so that the last nanosecond of 0.3333333333333333333h is the same.
    return int(whole or "0") * size + (int(float(part) * (size / scale)) if part else 0)


def _leading_fraction(digits: str) -> tuple[int, float]:
    """As many digits as Go can hold; it ignores the others."""
    part, scale = 0, 1.0
    for digit in digits:
        longer = part * 10 + int(digit)
        if part > _MAX // 10 or longer > _MAX + 1:
            break
        part, scale = longer, scale * 10
    return part, scale


def _below_a_second(nanoseconds: int) -> str:
    if nanoseconds == 0:
        return "0s"
    if nanoseconds < _MICRO:
        return f"{nanoseconds}ns"
    unit, size = ("\N{MICRO SIGN}s", _MICRO) if nanoseconds < _MILLI else ("ms", _MILLI)
    return _decimal(nanoseconds, size) + unit


def _clock(nanoseconds: int) -> str:
    minutes, rest = divmod(nanoseconds, 60 * _SECOND)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{_decimal(rest, _SECOND)}s"
    if hours:
        return f"{hours}h{minutes}m{seconds}"
    return f"{minutes}m{seconds}" if minutes else seconds


def _decimal(amount: int, unit: int) -> str:
    whole, rest = divmod(amount, unit)
    places = len(str(unit)) - 1
    return f"{whole}.{rest:0{places}d}".rstrip("0") if rest else str(whole)
