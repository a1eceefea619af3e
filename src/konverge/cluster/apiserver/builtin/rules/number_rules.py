"""Numbers in specs and statuses: not below zero, above zero, within a range, a count or a percentage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import pattern_text
from konverge.cluster.apiserver.strategy import JsonObject

_PERCENT: Final = "[0-9]+%"
_FULL_PERCENT: Final = re.compile(_PERCENT)
_PERCENT_TEXT: Final = "a valid percent string must be a numeric string followed by an ending '%'"
_WHOLE: Final = 100
_MOST_DIGITS: Final = 20
LARGEST_INT32: Final = 2**31 - 1


def nonnegative(holder: JsonObject, names: Iterable[str], path: str) -> Iterator[FieldError]:
    """Judge the numbers of these names that are there."""
    for name in names:
        value = holder.get(name)
        if value is not None and value < 0:
            yield field_error.invalid(f"{path}.{name}", value, "must be greater than or equal to 0")


def positive(value: int, path: str) -> Iterator[FieldError]:
    """Judge a number that must be above zero."""
    if value <= 0:
        yield field_error.invalid(path, value, "must be greater than zero")


def id_errors(value: int | None, path: str) -> Iterator[FieldError]:
    """Judge the number of a user or a group."""
    if value is not None and not 0 <= value <= LARGEST_INT32:
        yield field_error.invalid(path, value, f"must be between 0 and {LARGEST_INT32}, inclusive")


def count_or_percent(value: int | str, path: str) -> Iterator[FieldError]:
    """Judge a count, or a percentage as text."""
    if isinstance(value, str):
        if not _FULL_PERCENT.fullmatch(value):
            yield field_error.invalid(path, value, pattern_text(_PERCENT_TEXT, _PERCENT, "1%", "93%"))
    elif value < 0:
        yield field_error.invalid(path, value, "must be greater than or equal to 0")


def above_whole(value: int | str, path: str) -> Iterator[FieldError]:
    """Judge a percentage that may not be above a hundred."""
    if isinstance(value, str) and _FULL_PERCENT.fullmatch(value) and _number(value[:-1]) > _WHOLE:
        yield field_error.invalid(path, value, "must not be greater than 100%")


def amount_of(value: int | str) -> int:
    """Return the number of a count or a percentage; 0 for a text that is neither."""
    if isinstance(value, int):
        return value
    digits = value.removesuffix("%")
    return _number(digits) if re.fullmatch("[0-9]+", digits) else 0


def _number(digits: str) -> int:
    # Python reads no number of many digits; one of this length is more than any that is compared with it.
    return int(digits.lstrip("0")[:_MOST_DIGITS] or 0)
