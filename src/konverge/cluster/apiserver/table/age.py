"""Ages as kubectl shows them: two or three significant figures, such as `5s`, `4m30s`, `26h`, `3y12d`."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from konverge import clock
from konverge.api.invalid import InvalidValue
from konverge.api.time import parse_time

_MINUTE: Final = 60
_HOUR: Final = 3600
_DAY: Final = 24  # hours
_YEAR: Final = 365  # days
_FIRST_YEAR: Final = 1  # Go's zero time: not set
UNKNOWN: Final = "<unknown>"


def age(timestamp: str | None) -> str:
    """Return how long ago a moment was."""
    moment = _moment(timestamp)
    return UNKNOWN if moment is None else human_duration(clock.now() - moment)


def age_of_text(text: str) -> str:
    """Return how long ago a moment was that an author wrote, and perhaps misspelled."""
    if text in ("", "null"):
        return UNKNOWN
    try:
        return age(text)
    except InvalidValue:
        return "<invalid>"


def between(start: str, end: str) -> str:
    """Return how long it is from one moment to another."""
    return human_duration(parse_time(end) - parse_time(start))


def is_later(timestamp: str, other: str) -> bool:
    """Whether a moment is after another; an empty text is before all."""
    if not other or not timestamp:
        return bool(timestamp)
    return parse_time(timestamp) > parse_time(other)


def _moment(timestamp: str | None) -> datetime | None:
    if not timestamp:
        return None
    moment = parse_time(timestamp)
    return None if moment.year == _FIRST_YEAR else moment


def human_duration(duration: timedelta) -> str:
    """Return a duration in few figures; a little below zero is zero, as clocks differ."""
    total = duration / timedelta(seconds=1)
    seconds = int(total)
    if seconds < -1:
        return "<invalid>"
    if total < 0:
        return "0s"
    if seconds < 2 * _MINUTE:
        return f"{seconds}s"
    if seconds < 3 * _HOUR:
        return _minutes(seconds)
    return _hours(seconds // _MINUTE)


def _minutes(seconds: int) -> str:
    minutes, rest = divmod(seconds, _MINUTE)
    return f"{minutes}m{rest}s" if minutes < 10 and rest else f"{minutes}m"  # noqa: PLR2004 - seconds matter so long


def _hours(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    if hours < 8:  # noqa: PLR2004 - minutes matter so long
        return f"{hours}h{rest}m" if rest else f"{hours}h"
    return f"{hours}h" if hours < 2 * _DAY else _days(hours)


def _days(hours: int) -> str:
    days, rest = divmod(hours, _DAY)
    if days < 8:  # noqa: PLR2004 - hours matter so long
        return f"{days}d{rest}h" if rest else f"{days}d"
    if days < 2 * _YEAR:
        return f"{days}d"
    years, rest = divmod(days, _YEAR)
    return f"{years}y{rest}d" if years < 8 and rest else f"{years}y"  # noqa: PLR2004 - days matter so long
