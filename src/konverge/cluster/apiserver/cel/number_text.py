"""Numbers as Go's strconv writes and reads them."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Final

_SPECIAL: Final = re.compile(r"([+-]?)(?:inf|infinity)|nan", re.IGNORECASE)
_DIGITS: Final = r"\d(?:_?\d)*"
_DECIMAL: Final = re.compile(rf"[+-]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?", re.ASCII)
_HEX: Final = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?\d+", re.ASCII)


def shown_plain(value: float) -> str:
    """Write a finite number without an exponent, with the fewest digits that read back the same."""
    text = format(Decimal(repr(value)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


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
