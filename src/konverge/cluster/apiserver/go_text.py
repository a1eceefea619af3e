"""Texts as Go prints them: the server's messages quote values, and clients compare them."""

from __future__ import annotations

import math
from typing import Final

_ESCAPES: Final = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    '"': '\\"',
    "\\": "\\\\",
}
_ASCII: Final = 0x80
_ONE_BYTE: Final = 0x100
_BASIC_PLANE: Final = 0x10000


def quoted(text: str) -> str:
    """Return a text as `%q` prints it."""
    if text.isprintable() and '"' not in text and "\\" not in text:  # as nearly all are
        return f'"{text}"'
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():  # a plain space is; other spaces are not, in Go as in Python
        return char
    code = ord(char)
    if code < _ASCII:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < _BASIC_PLANE else f"\\U{code:08x}"


def shown_float(value: float) -> str:
    """Return a number as `%v` prints a float64: the shortest digits, an exponent below 1e-4 and from 1e6 on."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    mantissa, _, exponent = f"{value!r}e0".partition("e")  # repr has the shortest digits that read back the same
    digits, power = _digits(mantissa, int(exponent.removesuffix("e0") or 0))
    sign = "-" if value < 0 else ""
    if -4 <= power < 6:  # noqa: PLR2004 - Go's own limits for %v
        return sign + _plain(digits, power)
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _digits(mantissa: str, exponent: int) -> tuple[str, int]:
    """Return the significant digits of a number and the power of ten of the first."""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    power = len(whole) - 1 + exponent
    digits = whole + fraction
    leading = len(digits) - len(digits.lstrip("0"))
    return digits.strip("0") or "0", power - leading


def _plain(digits: str, power: int) -> str:
    if power < 0:
        return "0." + "0" * (-power - 1) + digits
    whole = digits[: power + 1].ljust(power + 1, "0")
    return f"{whole}.{digits[power + 1 :]}" if len(digits) > power + 1 else whole
