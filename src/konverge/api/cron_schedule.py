"""Schedules in the notation of cron: five fields, a descriptor such as `@daily`, or `@every 90m`; read, and computed.

The notation, the messages and the computation are those of robfig/cron, which Kubernetes uses: `*`, `?`, lists, ranges,
steps, names of months and days, and a day that matches by month or by week where both are restricted. A schedule may
begin with `TZ=Europe/Berlin `; else it is in the zone it is computed in.

    CronSchedule.parse("30 6 * * mon-fri").next_after(clock.now())
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from konverge.api.duration import duration_fault, parse_nanoseconds
from konverge.api.invalid import InvalidValue

_MONTHS: Final = {
    name: number
    for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)  # noqa: SIM905 - reads as a calendar
}
_DAYS: Final = {name: number for number, name in enumerate("sun mon tue wed thu fri sat".split())}  # noqa: SIM905 - as above
_NO_NAMES: Final[dict[str, int]] = {}
_DESCRIPTORS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_EVERY: Final = "@every "
_SECOND: Final = timedelta(seconds=1)
_MINUTE: Final = timedelta(minutes=1)
_HOUR: Final = timedelta(hours=1)
_YEARS: Final = 5  # how far a next time is looked for: 31 February never comes


class Bounds(msgspec.Struct, frozen=True):
    """What one of the five fields takes."""

    least: int
    most: int
    names: dict[str, int] = _NO_NAMES


_FIELDS: Final = (Bounds(0, 59), Bounds(0, 23), Bounds(1, 31), Bounds(1, 12, _MONTHS), Bounds(0, 6, _DAYS))


class CronField(msgspec.Struct, frozen=True):
    """The values at which one field matches; with a star it was written as one, and restricts nothing."""

    values: frozenset[int]
    star: bool = False

    def __contains__(self, value: int) -> bool:
        return value in self.values


class CronSchedule(msgspec.Struct, frozen=True, dict=True):
    """When something is due: at the times its fields match, or again and again after `every`."""

    text: str
    fields: tuple[CronField, ...] = ()  # minute, hour, day of month, month, day of week; none with `every`
    every: timedelta | None = None
    zone_name: str = ""  # the zone that the text names; empty: that of the moment it is computed from

    @classmethod
    def parse(cls, text: str) -> CronSchedule:
        """Read a schedule; `InvalidValue` says what is wrong with it, in the words of the API server."""
        if not text:
            raise InvalidValue("empty spec string")
        zone, rest = _split_zone(text)
        if rest.startswith(_EVERY):
            return cls(text, every=_interval(rest), zone_name=zone)
        if rest.startswith("@") and rest not in _DESCRIPTORS:
            raise InvalidValue(f"unrecognized descriptor: {rest}")
        words = _DESCRIPTORS.get(rest, rest).split()
        if len(words) != len(_FIELDS):
            raise InvalidValue(f"expected exactly {len(_FIELDS)} fields, found {len(words)}: [{' '.join(words)}]")
        return cls(text, tuple(_field(*pair) for pair in zip(words, _FIELDS, strict=True)), zone_name=zone)

    @cached_property
    def zone(self) -> tzinfo | None:
        """The zone that the text names."""
        return ZoneInfo(self.zone_name) if self.zone_name else None

    def next_after(self, moment: datetime, zone: tzinfo | None = None) -> datetime | None:
        """Return the first time after a moment, in UTC; None if there is none within five years.

        `zone` is where the clock hangs, unless the text names one itself; by default it is UTC.
        """
        whole = moment.astimezone(UTC).replace(microsecond=0)
        if self.every is not None:
            return whole + self.every
        return _Search(self.fields, self.zone or zone or UTC, whole + _SECOND).found()


class _Search:
    """Walks from a moment to the next one that matches: the month first, then the day, the hour and the minute.

    The walk is in UTC, and looks at the local clock only to compare: so an hour that daylight saving leaves out is
    passed over, and one that comes twice is met twice.
    """

    def __init__(self, fields: tuple[CronField, ...], zone: tzinfo, start: datetime) -> None:
        self._minutes, self._hours, self._days, self._months, self._weekdays = fields
        self._zone = zone
        self._at = start
        self._last_year = self._local.year + _YEARS

    @property
    def _local(self) -> datetime:
        return self._at.astimezone(self._zone)

    def found(self) -> datetime | None:
        """Return the moment; each step that moves on to another unit begins again with the month."""
        while self._local.year <= self._last_year:
            if not (self._month() and self._day() and self._hour() and self._minute() and self._second()):
                continue
            return self._at
        return None

    def _month(self) -> bool:
        local = self._local
        if local.month in self._months:
            return True
        year, month = divmod(local.year * 12 + local.month, 12)
        self._at = _instant(datetime(year, month + 1, 1, tzinfo=UTC), self._zone)
        return False

    def _day(self) -> bool:
        local = self._local
        if self._is_day(local):
            return True
        self._at = _instant(_clock(local, hour=0, minute=0) + timedelta(days=1), self._zone)
        if hour := self._local.hour:  # there is no midnight: the first hour of that day, or the last of the day before
            self._at += (24 - hour) * _HOUR if hour > 12 else -hour * _HOUR  # noqa: PLR2004 - noon tells them apart
        return False

    def _is_day(self, local: datetime) -> bool:
        by_month, by_week = local.day in self._days, local.isoweekday() % 7 in self._weekdays
        return (by_month and by_week) if self._days.star or self._weekdays.star else (by_month or by_week)

    def _hour(self) -> bool:
        local = self._local
        if local.hour in self._hours:
            return True
        self._at = _instant(_clock(local, hour=local.hour, minute=0), self._zone) + _HOUR
        return False

    def _minute(self) -> bool:
        if self._local.minute in self._minutes:
            return True
        self._at = self._at.replace(second=0) + _MINUTE
        return False

    def _second(self) -> bool:
        if self._at.second == 0:
            return True
        self._at = self._at.replace(second=0) + _MINUTE
        return False


def _clock(local: datetime, *, hour: int, minute: int) -> datetime:
    """What the local clock shows, as if it were UTC, with another time of the day."""
    return local.replace(hour=hour, minute=minute, second=0, microsecond=0, tzinfo=UTC)


def _instant(shown: datetime, zone: tzinfo) -> datetime:
    """The moment at which a zone's clock shows a time; where there are two or none, the one that Go chooses."""
    guess = shown - _offset(shown, zone)
    return shown - _offset(guess, zone)


def _offset(moment: datetime, zone: tzinfo) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta()


def _split_zone(text: str) -> tuple[str, str]:
    if not text.startswith(("TZ=", "CRON_TZ=")):
        return "", text
    name, _, rest = text.partition("=")[2].partition(" ")
    if not rest:
        raise InvalidValue("invalid schedule format: runtime error: slice bounds out of range [:-1]")
    try:
        ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidValue(f"provided bad location {name}: unknown time zone {name}") from None
    return name, rest.strip()


def _interval(descriptor: str) -> timedelta:
    duration = descriptor.removeprefix(_EVERY)
    try:
        nanoseconds = parse_nanoseconds(duration)
    except InvalidValue:
        raise InvalidValue(f"failed to parse duration {descriptor}: {duration_fault(duration)}") from None
    return max(timedelta(seconds=nanoseconds // 10**9), _SECOND)


def _field(text: str, bounds: Bounds) -> CronField:
    parts = [_part(part, bounds) for part in text.split(",") if part]
    values = frozenset[int]().union(*(part.values for part in parts))
    return CronField(values, star=any(part.star for part in parts))


def _part(part: str, bounds: Bounds) -> CronField:
    """Read `number`, `*`, `low-high`, each with or without a `/step`; a number with a step runs to the end."""
    span, *steps = part.split("/")
    low, *high = span.split("-")
    star = low in ("*", "?")
    if star:
        start, end = bounds.least, bounds.most
    else:
        start, end = _range(low, high, part, bounds)
    step = 1
    if len(steps) == 1:
        step, end = _number(steps[0], _NO_NAMES), end if high else bounds.most
    elif steps:
        raise InvalidValue(f"too many slashes: {part}")
    _check(part, (start, end), bounds, step=step)
    return CronField(frozenset(range(start, end + 1, step)), star=star and step == 1)


def _range(low: str, high: list[str], part: str, bounds: Bounds) -> tuple[int, int]:
    start = _number(low, bounds.names)
    if len(high) > 1:
        raise InvalidValue(f"too many hyphens: {part}")
    return start, _number(high[0], bounds.names) if high else start


def _check(part: str, given: tuple[int, int], bounds: Bounds, *, step: int) -> None:
    start, end = given
    if start < bounds.least:
        raise InvalidValue(f"beginning of range ({start}) below minimum ({bounds.least}): {part}")
    if end > bounds.most:
        raise InvalidValue(f"end of range ({end}) above maximum ({bounds.most}): {part}")
    if start > end:
        raise InvalidValue(f"beginning of range ({start}) beyond end of range ({end}): {part}")
    if step == 0:
        raise InvalidValue(f"step of range should be a positive number: {part}")


def _number(text: str, names: dict[str, int]) -> int:
    if text.lower() in names:
        return names[text.lower()]
    digits = text.removeprefix("-").removeprefix("+") if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdecimal()):
        wrong = f"strconv.Atoi: parsing {_quoted(text)}: invalid syntax"
        raise InvalidValue(f"failed to parse int from {text}: {wrong}")
    if int(text) < 0:
        raise InvalidValue(f"negative number ({int(text)}) not allowed: {text}")
    return int(text)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
