"""Timestamps as the API spells them: RFC 3339 in UTC, with whole seconds (`metav1.Time`) or six digits (`MicroTime`).

Every time here is aware. What is read may have any offset and any number of fraction digits; it comes out in UTC, cut
to microseconds. A datetime without a time zone is refused, because it does not say which moment it means.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Self

from konverge.api.invalid import InvalidValue

_RFC3339 = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](\d+))?(Z|[+-](?:[01]\d|2[0-4]):(?:[0-5]\d|60))",
    re.ASCII,
)


class MicroTime(datetime):
    """A datetime that is written with exactly six digits of a second, as leases and events have it.

    msgspec leaves subclasses of datetime to its hooks: a field of this type needs an `enc_hook` that returns
    `format_micro_time(value)` and a `dec_hook` that returns `MicroTime.parse(text)`.
    """

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """Return the same moment in UTC."""
        utc = _utc(moment)
        return cls.combine(utc.date(), utc.time(), tzinfo=UTC)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an RFC 3339 text."""
        return cls.of(parse_time(text))

    def __str__(self) -> str:
        return format_micro_time(self)


def format_time(moment: datetime) -> str:
    """Write a moment as `metav1.Time` does: UTC, and the fraction of the second is cut off."""
    return _utc(moment).isoformat(timespec="seconds") + "Z"


def format_micro_time(moment: datetime) -> str:
    """Write a moment as `metav1.MicroTime` does: UTC, with six digits, zeros included."""
    return _utc(moment).isoformat(timespec="microseconds") + "Z"


def parse_time(text: str) -> datetime:
    """Read an RFC 3339 text, with any fraction and offset, as a time in UTC."""
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise InvalidValue(f"{text[:60]!r} is not a time: write RFC 3339, such as 2026-01-31T12:00:00Z")
    seconds, fraction, offset = match.groups()
    try:
        moment = datetime.fromisoformat(f"{seconds}.{(fraction or '')[:6]:0<6}{offset}")
        return moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidValue(f"{text[:60]!r} is not a time: {error}") from error


def _utc(moment: datetime) -> datetime:
    """The moment in UTC, without its time zone: the form that isoformat prints bare."""
    if moment.tzinfo is None:
        raise InvalidValue(f"{moment.isoformat()} has no time zone: make it aware, as clock.now() is")
    return moment.astimezone(UTC).replace(tzinfo=None)
