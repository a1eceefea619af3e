"""A JSON value as a text in a cell: scalars as Go prints them, the others as Go's JSON."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

import msgspec

_ESCAPED: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def shown(value: Any) -> str:
    """Return a value as a cell of type string shows it."""
    if isinstance(value, str):
        return value
    if value is None:
        return "<no value>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number(value, least=-4, most=6, exponent_digits=2)  # Go prints numbers otherwise than it encodes them
    return go_json(value) if isinstance(value, (dict, list)) else str(value)


def go_json(value: Any) -> str:
    """Return a value as Go's encoder writes it: keys in order, characters that HTML knows escaped."""
    if isinstance(value, dict):
        members = (f"{_text(name)}:{go_json(value[name])}" for name in sorted(value))
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(go_json, value)) + "]"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return _number(value)
    return msgspec.json.encode(value).decode()


def _text(value: str) -> str:
    return msgspec.json.encode(value).decode().translate(_ESCAPED)


def _number(value: float, *, least: int = -6, most: int = 21, exponent_digits: int = 1) -> str:
    """Return a number in the fewest digits; the power of its first digit says whether it is written plainly."""
    number = Decimal(repr(value)).normalize()
    if not number or least <= number.adjusted() < most:
        return f"{number:f}"
    mantissa, _, exponent = f"{number:e}".partition("e")
    return f"{mantissa}e{exponent[0]}{exponent[1:].rjust(exponent_digits, '0')}"
