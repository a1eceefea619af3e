"""The amount of a quantity as apimachinery holds it: a small number with a power of ten, or a decimal of any size.

Which of the two it is can be seen: only a small number is ever an integer, so `1.5Gi` is none. A decimal comes from
what does not fit, and from binary suffixes with a fraction.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from konverge.api.quantity import Format, Quantity
from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.values import MAX_INT, MIN_INT

_SHAPE: Final = re.compile(r"([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII)
_EXPONENT: Final = re.compile(r"[eE]([+-]?[0-9]+)", re.ASCII)
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_WRONG: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_DIGITS: Final = 18  # of a small decimal number
_BINARY_DIGITS: Final = 15
_NANO: Final = -9
_FURTHEST: Final = 10_000  # powers of ten between two amounts that are added; beyond any use


@dataclass(frozen=True, slots=True)
class Amount:
    """`unscaled * 10**scale`."""

    unscaled: int
    scale: int
    format: Format
    is_decimal: bool = False

    def whole(self) -> int | None:
        """Return it as an integer, where apimachinery does."""
        if self.is_decimal or self.scale < 0:
            return None
        if self.unscaled == 0:
            return 0
        whole = self.unscaled * 10**self.scale if self.scale <= _DIGITS else MAX_INT + 1
        return whole if MIN_INT <= whole <= MAX_INT else None

    def approximate(self) -> float:
        """Return it as a float, rounded as Go rounds it."""
        return float(self.unscaled) * float(f"1e{self.scale}") if self.scale else float(self.unscaled)

    def sign(self) -> int:
        """Return -1, 0 or 1."""
        return (self.unscaled > 0) - (self.unscaled < 0)

    def compared(self, other: Amount) -> int:
        """Return -1, 0 or 1; amounts of very different size are told apart by their length."""
        if self.sign() != other.sign() or self.unscaled == 0:
            return (self.sign() > other.sign()) - (self.sign() < other.sign())
        sizes = self._size() - other._size()
        if sizes:
            return self.sign() if sizes > 0 else -self.sign()
        scale = min(self.scale, other.scale)
        one, two = self._scaled(scale), other._scaled(scale)
        return (one > two) - (one < two)

    def _size(self) -> int:
        return len(str(abs(self.unscaled))) + self.scale

    def plus(self, other: Amount) -> Amount:
        """Return the sum: a small number as long as it is one."""
        form = self.format if self.unscaled else other.format
        if self.is_decimal or other.is_decimal:
            return self._sum(other, form, is_decimal=True)
        if other.unscaled == 0:
            return Amount(self.unscaled, self.scale, form)
        if self.unscaled == 0:
            return Amount(other.unscaled, other.scale, form)
        small = self._sum(other, form, is_decimal=False)
        numbers = (self._scaled(small.scale), other._scaled(small.scale), small.unscaled)
        fits = all(MIN_INT <= number <= MAX_INT for number in numbers)
        return small if fits else Amount(small.unscaled, small.scale, form, is_decimal=True)

    def _scaled(self, scale: int) -> int:
        return self.unscaled * int(10 ** (self.scale - scale))

    def _sum(self, other: Amount, form: Format, *, is_decimal: bool) -> Amount:
        if abs(self.scale - other.scale) > _FURTHEST:
            raise CelError("the quantities differ too much in size to be added")
        scale = min(self.scale, other.scale)
        return Amount(self._scaled(scale) + other._scaled(scale), scale, form, is_decimal)

    def negated(self) -> Amount:
        """Return the opposite amount."""
        return Amount(-self.unscaled, self.scale, self.format, self.is_decimal)

    def __str__(self) -> str:
        return (
            "0"
            if not self.unscaled
            else str(Quantity(Decimal(self.unscaled).scaleb(self.scale)).with_format(self.format))
        )


def parse_amount(text: str) -> Amount:
    """Read a quantity; a text without digits is zero in most places, as it is there."""
    match = _SHAPE.fullmatch(text)
    if match is None or not text:
        raise CelError(_WRONG)
    sign, whole, fraction, suffix = match.groups()
    exponent, form = _suffix(suffix)
    digits, places = (whole or "0") + (fraction or ""), len(fraction or "")
    small = _small(digits, places, exponent=exponent, form=form)
    if small is not None:
        return small.negated() if sign == "-" else small
    if not text[: len(text) - len(suffix)].strip("+-."):
        raise CelError("unable to parse numeric part of quantity")
    large = _large(int(digits), places, exponent=exponent, form=form)
    return large.negated() if sign == "-" else large


def _suffix(text: str) -> tuple[int, Format]:
    if text in _DECIMAL:
        return _DECIMAL[text], Format.DECIMAL_SI
    if text in _BINARY:
        return _BINARY[text], Format.BINARY_SI
    match = _EXPONENT.fullmatch(text)
    if match is None or not MIN_INT <= int(match[1]) <= MAX_INT:
        raise CelError("unable to parse quantity's suffix")
    wrapped = (int(match[1]) + 2**31) % 2**32 - 2**31  # Go keeps 32 bits of it
    return wrapped, Format.DECIMAL_EXPONENT


def _small(digits: str, places: int, *, exponent: int, form: Format) -> Amount | None:
    if form is not Format.BINARY_SI:
        scale = exponent - places
        is_small = len(digits) <= _DIGITS and scale >= _NANO
        return Amount(int(digits), scale, form) if is_small else None
    room = _BINARY_DIGITS - len(digits) - exponent * 3 // 10 - 1
    value = int(digits) << exponent
    return Amount(value, 0, form) if places == 0 and room >= 0 and value <= MAX_INT else None


def _large(unscaled: int, places: int, *, exponent: int, form: Format) -> Amount:
    scale = -places
    if form is Format.BINARY_SI:
        unscaled <<= exponent
    else:
        scale += exponent
    if unscaled:
        unscaled, scale = _in_nanos(unscaled, scale)
    limit = MAX_INT * 10**-_NANO
    if form is Format.BINARY_SI and unscaled > limit:
        return Amount(MAX_INT, 0, form, is_decimal=True)
    if form is Format.BINARY_SI and 0 < unscaled < 10**-_NANO and scale == _NANO:
        form = Format.DECIMAL_SI
    return Amount(unscaled, scale, form, is_decimal=True)


def _in_nanos(unscaled: int, scale: int) -> tuple[int, int]:
    """Round up to whole nanos, which is as fine as a quantity gets."""
    shift = scale - _NANO
    if shift > _FURTHEST:
        return unscaled, scale
    if shift >= 0:
        return unscaled * 10**shift, _NANO
    return (-(-unscaled // 10**-shift) if -shift <= _FURTHEST else 1), _NANO
