"""A quantity as Go holds it in memory, as far as it fits 64 bits; for `template_hash`.

That is the number, its scale and its format, and the text it was read from where that is canonical already.
"""

from __future__ import annotations

import re
from typing import Any, Final

_TEXT: Final = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(.*)", re.ASCII)
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_EXPONENT: Final = re.compile(r"[eE]([+-]?\d+)", re.ASCII)
_DIGITS: Final = 18  # that a number of 64 bits surely holds
_SMALLEST: Final = -9


def quantity_dump(value: Any) -> str:
    """Return the dump of a quantity as it is written on the wire; None is the zero value."""
    if value is None:
        return _dump(0, 0, "", "")
    text = str(value)
    if text == "0":
        return _dump(0, 0, text, "DecimalSI")
    match = _TEXT.fullmatch(text)
    number = _binary(text, match) if match and match[4] in _BINARY else _decimal(text, match) if match else None
    return text if number is None else number


def _binary(text: str, match: re.Match[str]) -> str | None:
    sign, whole, part = match[1], match[2].lstrip("0") or "0", (match[3] or "").rstrip("0")
    exponent = _BINARY[match[4]]
    if part or 15 - len(whole) - int(exponent * 3 / 10) - 1 < 0:
        return None
    amount = int(whole)
    canonical = bool(amount & 7)
    return _dump(_signed(sign, amount << exponent), 0, text if canonical else "", "BinarySI")


def _decimal(text: str, match: re.Match[str]) -> str | None:
    sign, whole, part = match[1], match[2].lstrip("0") or "0", match[3] or ""
    exponent = _EXPONENT.fullmatch(match[4])
    scale = int(exponent[1]) if exponent else _DECIMAL.get(match[4])
    if scale is None or len(whole + part) > _DIGITS:
        return None
    scale -= len(part)
    if scale < _SMALLEST:
        return None
    shifted = whole + part
    canonical = scale % 3 == 0 and not shifted.endswith("000") and shifted[0] != "0"
    form = "DecimalExponent" if exponent else "DecimalSI"
    return _dump(_signed(sign, int(shifted)), scale, text if canonical else "", form)


def _signed(sign: str, amount: int) -> int:
    return -amount if sign == "-" else amount


def _dump(amount: int, scale: int, text: str, form: str) -> str:
    whole = f"i:(resource.int64Amount){{value:(int64){amount} scale:(resource.Scale){scale}}}"
    return (
        f"{{{whole} d:(resource.infDecAmount){{Dec:(*inf.Dec)<nil>}} s:(string){text} Format:(resource.Format){form}}}"
    )
