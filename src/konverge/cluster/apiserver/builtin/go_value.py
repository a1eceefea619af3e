"""Values that Go reads in its own way: times, quantities, bytes; normalized as the real server gives them back."""

from __future__ import annotations

import base64
import re
from typing import Final

from konverge.api.invalid import InvalidValue
from konverge.api.quantity import Quantity
from konverge.api.time import format_micro_time, format_time, parse_time

# What is in its form already: a day that every month has, of a year that Python has.
_SHORT_TIME: Final = re.compile(
    r"(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ", re.ASCII
)
_LAYOUT: Final = "2006-01-02T15:04:05Z07:00"
_MICRO_LAYOUT: Final = "2006-01-02T15:04:05.000000Z07:00"
_STEPS: Final = (
    *(("2006", r"\d{4}"), ("-", "-"), ("01", r"\d\d"), ("-", "-"), ("02", r"\d\d"), ("T", "T")),
    *(("15", r"\d\d"), (":", ":"), ("04", r"\d\d"), (":", ":"), ("05", r"\d\d(?:[.,]\d+)?")),
    ("Z07:00", r"Z|[+-]\d\d:\d\d"),
)
_MICRO_STEPS: Final = (*_STEPS[:-2], ("05", r"\d\d"), (".000000", r"[.,]\d{6}"), _STEPS[-1])
_MICRO_TIME: Final = re.compile("".join(f"(?:{pattern})" for _, pattern in _MICRO_STEPS), re.ASCII)
_QUANTITY_WORDS: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
# What a time's bytes are shown as, where not as they are.
_QUOTED: Final = {
    **{byte: f"\\x{byte:02x}" for byte in (*range(0x20), *range(0x80, 0x100))},
    ord('"'): '\\"',
    ord("\\"): "\\\\",
}


class Unreadable(ValueError):
    """A text that Go does not read; the message has its words."""


def time_text(text: str) -> str:
    """Return a time in UTC with whole seconds."""
    if _SHORT_TIME.fullmatch(text):
        return text
    try:
        return format_time(parse_time(text))
    except InvalidValue:
        raise Unreadable(_time_words(text, _LAYOUT)) from None


def micro_time_text(text: str) -> str:
    """Return a time in UTC with six digits of a second."""
    if _MICRO_TIME.fullmatch(text) is None:
        raise Unreadable(_time_words(text, _MICRO_LAYOUT, _MICRO_STEPS))
    try:
        return format_micro_time(parse_time(text))
    except InvalidValue:
        raise Unreadable(_time_words(text, _MICRO_LAYOUT, _MICRO_STEPS)) from None


def _time_words(text: str, layout: str, steps: tuple[tuple[str, str], ...] = _STEPS) -> str:
    rest = text
    for step, pattern in steps:
        found = re.match(pattern, rest, re.ASCII)
        if found is None:
            return f'parsing time {_quoted(text)} as "{layout}": cannot parse {_quoted(rest)} as "{step}"'
        rest = rest[found.end() :]
    if rest:
        return f"parsing time {_quoted(text)}: extra text: {_quoted(rest)}"
    return f"parsing time {_quoted(text)}: {_out_of_range(text)} out of range"


def _quoted(text: str) -> str:
    """Return a text as Go's code for times quotes it: not as all other code does."""
    return '"' + "".join(_QUOTED.get(byte, chr(byte)) for byte in text.encode()) + '"'


def _out_of_range(text: str) -> str:
    month, hour, minute, second = text[5:7], text[11:13], text[14:16], text[17:19]
    if not "01" <= month <= "12":
        return "month"
    parts = (("hour", hour, "23"), ("minute", minute, "59"), ("second", second, "59"))
    return next((name for name, value, most in parts if value > most), "day")


def quantity_text(value: str | float) -> str:
    """Return a quantity in its canonical form."""
    try:
        return str(Quantity(str(value).strip()))
    except InvalidValue:
        raise Unreadable(_QUANTITY_WORDS) from None


def bytes_text(text: str) -> str:
    """Return base64 as Go writes it; line ends inside are left out."""
    plain = text.replace("\n", "").replace("\r", "")
    try:
        base64.b64decode(plain, validate=True)
    except ValueError:  # of base64, or because it is not ASCII
        raise Unreadable(f"illegal base64 data at input byte {_bad_byte(plain)}") from None
    return plain


def _bad_byte(text: str) -> int:
    for index, char in enumerate(text):
        if not (char.isascii() and (char.isalnum() or char in "+/")):
            return index if char != "=" else _bad_padding(text, index)
    return len(text) - len(text) % 4


def _bad_padding(text: str, index: int) -> int:
    missing = -index % 4
    if index % 4 in {0, 1}:
        return index
    return min(index + missing, len(text))
