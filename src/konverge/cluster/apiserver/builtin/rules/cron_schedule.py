"""Schedules in the notation of cron: five fields, or a descriptor such as `@daily`."""

from __future__ import annotations

import re
from typing import Final

from konverge.cluster.apiserver.go_text import quoted

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MONTH_NAMES: Final = {name: number for number, name in enumerate(_MONTHS, 1)}
_DAY_NAMES: Final = {name: number for number, name in enumerate(_DAYS)}
_NO_NAMES: Final[dict[str, int]] = {}
_FIELDS: Final = ((0, 59, _NO_NAMES), (0, 23, _NO_NAMES), (1, 31, _NO_NAMES), (1, 12, _MONTH_NAMES), (0, 6, _DAY_NAMES))
_DESCRIPTORS: Final = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_EVERY: Final = "@every "
_DURATION: Final = re.compile(r"[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)")
_NUMBER: Final = re.compile("[+-]?[0-9]+")
_ZONE: Final = re.compile("(CRON_)?TZ=[^ ]* +")


class _WrongScheduleError(ValueError):
    pass


def schedule_fault(schedule: str) -> str:
    """Say what is wrong with a schedule; nothing where nothing is."""
    schedule = _ZONE.sub("", schedule, count=1) if schedule.startswith(("TZ=", "CRON_TZ=")) else schedule
    if schedule.startswith("@"):
        return _descriptor_fault(schedule)
    fields = schedule.split()
    if len(fields) != len(_FIELDS):
        return f"expected exactly {len(_FIELDS)} fields, found {len(fields)}: [{' '.join(fields)}]"
    try:
        for field, (least, most, names) in zip(fields, _FIELDS, strict=True):
            for part in filter(None, field.split(",")):
                _check_part(part, least, most, names=names)
    except _WrongScheduleError as error:
        return str(error)
    return ""


def _descriptor_fault(descriptor: str) -> str:
    if descriptor in _DESCRIPTORS:
        return ""
    if not descriptor.startswith(_EVERY):
        return f"unrecognized descriptor: {descriptor}"
    duration = descriptor.removeprefix(_EVERY)
    if _DURATION.fullmatch(duration):
        return ""
    return f"failed to parse duration {descriptor}: time: invalid duration {quoted(duration)}"


def _check_part(part: str, least: int, most: int, *, names: dict[str, int]) -> None:
    span, *steps = part.split("/")
    low, *high = span.split("-")
    if low in ("*", "?"):
        start, end = least, most
    else:
        start = end = _number(low, names)
        if len(high) == 1:
            end = _number(high[0], names)
        elif high:
            raise _WrongScheduleError(f"too many hyphens: {part}")
    step = 1
    if len(steps) == 1:
        step, end = _number(steps[0], _NO_NAMES), end if high else most
    elif steps:
        raise _WrongScheduleError(f"too many slashes: {part}")
    _check_bounds(part, (start, end), (least, most), step=step)


def _check_bounds(part: str, given: tuple[int, int], allowed: tuple[int, int], *, step: int) -> None:
    (start, end), (least, most) = given, allowed
    if start < least:
        raise _WrongScheduleError(f"beginning of range ({start}) below minimum ({least}): {part}")
    if end > most:
        raise _WrongScheduleError(f"end of range ({end}) above maximum ({most}): {part}")
    if start > end:
        raise _WrongScheduleError(f"beginning of range ({start}) beyond end of range ({end}): {part}")
    if step == 0:
        raise _WrongScheduleError(f"step of range should be a positive number: {part}")


def _number(text: str, names: dict[str, int]) -> int:
    if text.lower() in names:
        return names[text.lower()]
    if not _NUMBER.fullmatch(text):
        wrong = f"strconv.Atoi: parsing {quoted(text)}: invalid syntax"
        raise _WrongScheduleError(f"failed to parse int from {text}: {wrong}")
    if int(text) < 0:
        raise _WrongScheduleError(f"negative number ({int(text)}) not allowed: {text}")
    return int(text)
