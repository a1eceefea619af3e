"""Numbers as Go's strconv and fmt write and read them."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Final

_SPECIAL: Final = re.compile(r"([+-]?)(?:inf|infinity)|nan", re.IGNORECASE)
_DIGITS: Final = r"\d(?:_?\d)*"
_DECIMAL: Final = re.compile(rf"[+-]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?", re.ASCII)
_HEX: Final = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?\d+", re.ASCII)
_SHORTEST: Final = 6  # the power of ten from which `%g` without a precision writes an exponent


def shown_short(value: float) -> str:
    """Write a number as `%g` does: the fewest digits that read back the same."""
    special = _shown_special(value)
    if special:
        return special
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    power = len(digits) - 1 + int(exponent)
    if -4 <= power < _SHORTEST:  # noqa: PLR2004 - Go's own limit
        return shown_plain(value)
    mantissa = str(digits[0]) + ("." + "".join(map(str, digits[1:])) if len(digits) > 1 else "")
    return f"{'-' if sign else ''}{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"


def shown_plain(value: float) -> str:
    """Write a number without an exponent, with the fewest digits that read back the same."""
    special = _shown_special(value)
    if special:
        return special
    text = format(Decimal(repr(value)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _shown_special(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return ""


def parse_float(text: str) -> float | None:
    """Read a number as `strconv.ParseFloat` does; None where it fails, a number too large included."""
    match = _SPECIAL.fullmatch(text)
    if match is not None:
        return math.nan if match[1] is None else -math.inf if match[1] == "-" else math.inf
    if _HEX.fullmatch(text):
        return _read_hex(text)
    value = float(text) if _DECIMAL.fullmatch(text) else math.inf
    return None if math.isinf(value) else value


def _read_hex(text: str) -> float | None:
    try:
        return float.fromhex(text)
    except OverflowError:
        return None
