"""Texts that a schema's format makes values of: times, durations, bytes."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import Any, Final

from konverge.api.duration import parse_nanoseconds
from konverge.api.invalid import InvalidValue
from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.go_time import parse_date, parse_moment
from konverge.cluster.apiserver.cel.values import Duration, Timestamp


def _duration(text: str) -> Duration:
    try:
        return Duration(parse_nanoseconds(text))
    except InvalidValue:
        nanos = _scala_duration(text)
    if nanos is None:
        raise CelError(f"Invalid duration {text}: unable to parse {text} as duration")
    return Duration(nanos)


# The words that a duration may also be written with, longest first where one begins another.
_SPOKEN: Final = re.compile(r"(\d+)\s*([a-zA-Zµ]+)", re.ASCII)
_UNITS: Final[tuple[tuple[tuple[str, ...], int], ...]] = (
    (("ns", "nano"), 1),
    (("us", "µs", "micro"), 10**3),
    (("ms", "milli"), 10**6),
    (("s", "sec"), 10**9),
    (("m", "min"), 60 * 10**9),
    (("h", "hr", "hour"), 3600 * 10**9),
    (("d", "day"), 86_400 * 10**9),
    (("w", "wk", "week"), 7 * 86_400 * 10**9),
)


def _scala_duration(text: str) -> int | None:
    total, is_known = 0, False
    for factor, word in _SPOKEN.findall(text):
        for words, unit in _UNITS:
            name = word.lower()
            if name in words or name.startswith(words[-1]):
                total, is_known = total + int(factor) * unit, True
    return total if is_known else None


def _moment(text: str) -> Timestamp:
    moment = parse_moment(text, needs_zone=False) if text else Timestamp(0)
    if moment is None:
        raise CelError(f"Invalid date-time formatted string {text}: it is not in RFC 3339")
    return moment


def _date(text: str) -> Timestamp:
    date = parse_date(text)
    if date is None:
        raise CelError(f"Invalid date formatted string {text}: it is not a full date of RFC 3339")
    return date


_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_=\-\r\n]")


def _bytes(text: str) -> bytes:
    plain = text.replace("\r", "").replace("\n", "")
    try:
        if _FOREIGN.search(plain) is None:  # only the alphabet for URLs is read there
            return base64.b64decode(plain.encode(), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        pass
    wrong = _FOREIGN.search(text)
    position = wrong.start() if wrong else len(text)
    raise CelError(f"Invalid byte formatted string {text}: illegal base64 data at input byte {position}")


FORMATS: Final[dict[str, Callable[[str], Any]]] = {
    "duration": _duration,
    "date-time": _moment,
    "date": _date,
    "byte": _bytes,
}
