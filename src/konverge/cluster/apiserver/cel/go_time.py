"""Go's time for CEL: RFC 3339 texts and the fields of a calendar, in nanoseconds and for every year.

Python's datetime ends at microseconds and at the year 1; what the real server reads and prints does not.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from konverge.cluster.apiserver.cel.values import Duration, Timestamp

SECOND: Final = 10**9
DAY: Final = 86_400
MIN_SECONDS: Final = -62_135_596_800  # 0001-01-01T00:00:00Z
MAX_SECONDS: Final = 253_402_300_799  # 9999-12-31T23:59:59Z
_MOMENT: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)?",
    re.ASCII,
)
_DATE: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_MONTH_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Clock(NamedTuple):
    """The fields of a moment, as Go counts them: months, days and days of the year from 1."""

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    nanosecond: int
    weekday: int  # 0: Sunday
    year_day: int


def parse_moment(text: str, *, needs_zone: bool = True) -> Timestamp | None:
    """Read an RFC 3339 text; None where Go would not. Without `needs_zone` a text without one is in UTC."""
    match = _MOMENT.fullmatch(text)
    if match is None or (match[8] is None and needs_zone):
        return None
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    offset = _offset(match[8] or "Z")
    if offset is None or not _is_date(year, month, day) or hour > 23 or minute > 59 or second > 59:  # noqa: PLR2004
        return None
    seconds = days_since_epoch(year, month, day) * DAY + hour * 3600 + minute * 60 + second - offset
    return Timestamp(seconds * SECOND + int((match[7] or "0")[:9].ljust(9, "0")), offset)


def parse_date(text: str) -> Timestamp | None:
    """Read `2006-01-02`."""
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day = map(int, match.groups())
    return Timestamp(days_since_epoch(year, month, day) * DAY * SECOND) if _is_date(year, month, day) else None


def _offset(zone: str) -> int | None:
    if zone == "Z":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if hours > 24 or minutes > 60:  # noqa: PLR2004 - Go's own limits
        return None
    seconds = hours * 3600 + minutes * 60
    return -seconds if zone[0] == "-" else seconds


def _is_date(year: int, month: int, day: int) -> bool:
    if not 1 <= month <= 12:  # noqa: PLR2004
        return False
    leap = month == 2 and _is_leap(year)  # noqa: PLR2004
    return 1 <= day <= _MONTH_DAYS[month - 1] + leap


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_since_epoch(year: int, month: int, day: int) -> int:
    """Return the day's number, counted from 1970-01-01, in the calendar of today."""
    year -= month <= 2  # noqa: PLR2004 - the year begins in March, so that the leap day is its last
    era, of_era = divmod(year, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _date_of(days: int) -> tuple[int, int, int]:
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9  # noqa: PLR2004
    return year + era * 400 + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1  # noqa: PLR2004


def clock_of(moment: Timestamp, offset: int) -> Clock:
    """Return the fields of a moment in a zone that is `offset` seconds east of UTC."""
    seconds, nanosecond = divmod(moment.nanos, SECOND)
    days, rest = divmod(seconds + offset, DAY)
    year, month, day = _date_of(days)
    year_day = days - days_since_epoch(year, 1, 1) + 1
    return Clock(year, month, day, rest // 3600, rest // 60 % 60, rest % 60, nanosecond, (days + 4) % 7, year_day)


def shown_moment(moment: Timestamp, offset: int | None = None) -> str:
    """Write a moment as RFC 3339 with the nanoseconds it has."""
    zone = moment.offset if offset is None else offset
    at = clock_of(moment, zone)
    fraction = f".{at.nanosecond:09d}".rstrip("0") if at.nanosecond else ""
    date = f"{at.year:04d}-{at.month:02d}-{at.day:02d}"
    return f"{date}T{at.hour:02d}:{at.minute:02d}:{at.second:02d}{fraction}{_shown_zone(zone)}"


def _shown_zone(offset: int) -> str:
    if offset == 0:
        return "Z"
    minutes = abs(offset) // 60
    return f"{'-' if offset < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


def seconds_of(duration: Duration) -> float:
    """Return a duration in seconds, rounded as Go rounds it."""
    return _in_units(duration.nanos, SECOND)


def _in_units(nanos: int, unit: int) -> float:
    whole, rest = divmod(abs(nanos), unit)
    value = float(whole) + float(rest) / unit
    return -value if nanos < 0 else value


def whole_units(duration: Duration, unit: int) -> int:
    """Return a duration in whole units of nanoseconds, cut towards zero."""
    return int(_in_units(duration.nanos, unit))
