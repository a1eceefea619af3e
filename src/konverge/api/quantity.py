"""Quantities ("100m", "1.5Gi", "12e6"): exact, immutable, and spelled as the API server spells them.

Amounts follow the server's rules: a whole number of nano units (finer parts round away from zero) and, with a binary
suffix, a limit of 2**63 - 1. `str()` is the canonical form, equal for equal values of one format; `text` is the
spelling that was read, so that a value nobody touched goes back on the wire as it came.

Two things the server takes are refused or mended on purpose: a spelling without any digit ("m", which it reads as 0),
and amounts of 1000E and more, which it prints without their suffix.
"""

from __future__ import annotations

import re
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import total_ordering
from typing import Any, NoReturn

from konverge.api.invalid import InvalidValue

_NANOS = 10**9
_LIMIT = (2**63 - 1) * _NANOS
_LONGEST = 512  # characters, and the largest exponent: far beyond any use, short of what could hurt
_SPELLING = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?[0-9]+))?", re.ASCII)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX = ["", *_BINARY]


class Format(StrEnum):
    """The family of suffixes a quantity is written with."""

    DECIMAL_SI = "DecimalSI"
    BINARY_SI = "BinarySI"
    DECIMAL_EXPONENT = "DecimalExponent"


@total_ordering
class Quantity:
    """An amount of a resource: `Quantity("1.5Gi")`, `Quantity(3)`, `Quantity(Decimal("0.5"))`.

    Adds and subtracts quantities and whole or decimal numbers, multiplies with numbers, compares with both.
    """

    __slots__ = ("_nanos", "_text", "format")

    _nanos: int  # the whole value, exactly
    _text: str | None  # the spelling that was parsed; None for computed values
    format: Format

    def __init__(self, value: str | int | Decimal | Quantity) -> None:
        if isinstance(value, str):
            self._set(*_parse(value), value)
        elif isinstance(value, Quantity):
            self._set(value._nanos, value.format, value._text)  # noqa: SLF001 - the same class
        else:
            nanos = _number(value)
            if nanos is None:
                raise InvalidValue(f"a quantity is made of a str, int or Decimal, not of {type(value).__name__}")
            self._set(nanos, Format.DECIMAL_SI, None)

    def _set(self, nanos: int, form: Format, text: str | None) -> None:
        object.__setattr__(self, "_nanos", nanos)
        object.__setattr__(self, "format", form)
        object.__setattr__(self, "_text", text)

    @classmethod
    def _of(cls, nanos: int, form: Format, text: str | None = None) -> Quantity:
        self = cls.__new__(cls)
        self._set(nanos, form, text)
        return self

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Quantity cannot be changed ({name}); compute a new one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Quantity cannot be changed ({name}); compute a new one")

    def __reduce__(self) -> tuple[Any, ...]:
        return Quantity._of, (self._nanos, self.format, self._text)

    @property
    def text(self) -> str:
        """The spelling it was read with, or the canonical one where it was computed: what is sent."""
        return str(self) if self._text is None else self._text

    @property
    def decimal(self) -> Decimal:
        """The exact value, without a format."""
        digits = str(abs(self._nanos)).rjust(10, "0")
        text = f"{digits[:-9]}.{digits[-9:]}".rstrip("0").rstrip(".")
        return Decimal(f"-{text}" if self._nanos < 0 else text)

    def value(self) -> int:
        """The whole units, rounded away from zero."""
        return _divide(self._nanos, _NANOS)

    def milli_value(self) -> int:
        """The thousandths, rounded away from zero: the usual unit of CPU."""
        return _divide(self._nanos, 10**6)

    def round_up(self, exponent: int) -> Quantity:
        """Round away from zero to a multiple of 10**exponent."""
        unit = 10 ** max(exponent + 9, 0)
        return Quantity._of(_divide(self._nanos, unit) * unit, self.format)

    def with_format(self, form: Format) -> Quantity:
        """The same amount, written with another family of suffixes."""
        return Quantity._of(self._nanos, form)

    def __int__(self) -> int:
        return self.value()

    def __float__(self) -> float:
        return self._nanos / _NANOS

    def __bool__(self) -> bool:
        return self._nanos != 0

    def __neg__(self) -> Quantity:
        return Quantity._of(-self._nanos, self.format)

    def __abs__(self) -> Quantity:
        return Quantity._of(abs(self._nanos), self.format)

    def __add__(self, other: Quantity | int | Decimal) -> Quantity:
        nanos = _operand(other)
        return NotImplemented if nanos is None else Quantity._of(self._nanos + nanos, self._format_with(other))

    def __sub__(self, other: Quantity | int | Decimal) -> Quantity:
        nanos = _operand(other)
        return NotImplemented if nanos is None else Quantity._of(self._nanos - nanos, self._format_with(other))

    def __radd__(self, other: int | Decimal) -> Quantity:
        return self + other  # so that sum() works, which starts with 0

    def __mul__(self, factor: int | Decimal) -> Quantity:
        if isinstance(factor, bool) or not isinstance(factor, int | Decimal):
            return NotImplemented
        exact = self._nanos * _fraction(factor)
        return Quantity._of(_divide(exact.numerator, exact.denominator), self.format)

    __rmul__ = __mul__

    def _format_with(self, other: object) -> Format:
        """The format of a sum: a zero on the left has none of its own."""
        return other.format if not self._nanos and isinstance(other, Quantity) else self.format

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Quantity):
            return self._nanos == other._nanos
        exact = _exact(other)
        return NotImplemented if exact is None else Fraction(self._nanos, _NANOS) == exact

    def __lt__(self, other: Quantity | int | Decimal) -> bool:
        if isinstance(other, Quantity):
            return self._nanos < other._nanos
        exact = _exact(other)
        return NotImplemented if exact is None else Fraction(self._nanos, _NANOS) < exact

    def __hash__(self) -> int:
        return hash(Fraction(self._nanos, _NANOS))  # the hash of an equal int or Decimal

    def __str__(self) -> str:
        return _canonical(self._nanos, self.format)

    def __repr__(self) -> str:
        return f"Quantity({self.text!r})"


def _parse(text: str) -> tuple[int, Format]:
    match = _SPELLING.fullmatch(text)
    if match is None or len(text) > _LONGEST:
        raise InvalidValue(_complaint(text))
    sign, whole, fraction, suffix, exponent = match.groups()
    digits = whole + (fraction or "")
    if not digits:
        raise InvalidValue(_complaint(text))
    places = len(fraction or "")
    amount = -int(digits) if sign == "-" else int(digits)
    if exponent is not None:
        return _scale(amount, _exponent(exponent, text) - places), Format.DECIMAL_EXPONENT
    if suffix in _BINARY:
        return _binary(_scale(amount << _BINARY[suffix], -places))
    return _scale(amount, _DECIMAL[suffix or ""] - places), Format.DECIMAL_SI


def _exponent(digits: str, text: str) -> int:
    exponent = int(digits)
    if abs(exponent) > _LONGEST:
        raise InvalidValue(f"{_quote(text)} is not a quantity: its exponent is beyond ±{_LONGEST}")
    return exponent


def _binary(nanos: int) -> tuple[int, Format]:
    nanos = max(-_LIMIT, min(_LIMIT, nanos))
    return nanos, Format.DECIMAL_SI if 0 < abs(nanos) < _NANOS else Format.BINARY_SI


def _complaint(text: str) -> str:
    hint = "write a number with an optional suffix (n u m k M G T P E, Ki Mi Gi Ti Pi Ei) or exponent (e6)"
    return f"{_quote(text)} is not a quantity: {hint}"


def _quote(text: str) -> str:
    shown = 40
    return repr(text if len(text) <= shown else text[:shown] + "…")


def _scale(amount: int, exponent: int) -> int:
    """Return amount * 10**exponent in nanos, rounded away from zero."""
    shift = exponent + 9
    return amount * 10**shift if shift >= 0 else _divide(amount, 10**-shift)


def _divide(amount: int, unit: int) -> int:
    return -(-amount // unit) if amount >= 0 else amount // unit


def _number(value: object) -> int | None:
    """The nanos of a plain number; None for anything else, bool and float included: neither means an amount."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    exact = _fraction(value)
    return _divide(exact.numerator * _NANOS, exact.denominator)


def _fraction(number: int | Decimal) -> Fraction:
    if isinstance(number, Decimal) and (not number.is_finite() or abs(number.adjusted()) > _LONGEST):
        raise InvalidValue(f"{number} cannot be a quantity: it is not finite, or its exponent is beyond ±{_LONGEST}")
    return Fraction(number)


def _operand(value: object) -> int | None:
    return value._nanos if isinstance(value, Quantity) else _number(value)  # noqa: SLF001 - the same module's class


def _exact(value: object) -> Fraction | None:
    """The number a quantity compares with; NaN and infinities compare with nothing."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    return None if isinstance(value, Decimal) and not value.is_finite() else Fraction(value)


def _canonical(nanos: int, form: Format) -> str:
    if nanos == 0:
        return "0"
    if form is Format.BINARY_SI and abs(nanos) >= 1024 * _NANOS and nanos % _NANOS == 0:
        return _canonical_binary(nanos // _NANOS)
    return _canonical_decimal(nanos, exponential=form is Format.DECIMAL_EXPONENT)


def _canonical_binary(amount: int) -> str:
    power = 0
    while amount % 1024 == 0 and power < len(_BINARY):
        amount, power = amount // 1024, power + 1
    return f"{amount}{_BINARY_SUFFIX[power]}"


def _canonical_decimal(nanos: int, *, exponential: bool) -> str:
    exponent = -9
    while nanos % 1000 == 0 and (exponential or exponent < _DECIMAL["E"]):
        nanos, exponent = nanos // 1000, exponent + 3
    if not exponential:
        return f"{nanos}{_DECIMAL_SUFFIX[exponent]}"
    return f"{nanos}e{exponent}" if exponent else str(nanos)
