"""`format`: the clauses `%s %d %f %e %b %x %X %o` of cel-go's string extensions, version 2 (American English)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from konverge.cluster.apiserver.cel.breadth import is_too_broad
from konverge.cluster.apiserver.cel.cel_error import CelError, CostExceeded
from konverge.cluster.apiserver.cel.conversion import to_bytes, to_text
from konverge.cluster.apiserver.cel.values import (
    Duration,
    Timestamp,
    TypeValue,
    Uint,
    is_list,
    is_map,
    type_name,
)
from konverge.cluster.apiserver.go_text import quoted

_PRECISION: Final = 6
_WIDEST: Final = 10_000_009  # what is more is no number for Go, which then misses the letter after it
_NO_VERB: Final = "%!(NOVERB)"
_DIGITS: Final = 1074  # after the point of a double: none has more
_NUMBER_TEXTS: Final = frozenset({"NaN", "Infinity", "-Infinity"})
Clause: TypeAlias = Callable[[Any], str]


def format_text(pattern: str, arguments: Any) -> str:
    """`pattern.format(arguments)`."""
    values = list(arguments)
    if is_too_broad(values):
        raise CostExceeded
    parts: list[str] = []
    at = used = 0
    while (found := pattern.find("%", at)) >= 0:
        parts.append(pattern[at:found])
        if pattern.startswith("%%", found):
            parts.append("%")
            at = found + 2
            continue
        text, at = _formatted(pattern, found, values[used : used + 1] or _out_of_range(used))
        parts.append(text)
        used += 1
    return "".join(parts) + pattern[at:]


def _out_of_range(index: int) -> list[Any]:
    raise CelError(f"index {index} out of range")


def _formatted(pattern: str, start: int, values: list[Any]) -> tuple[str, int]:
    if start + 1 >= len(pattern):
        raise CelError("unexpected end of string")
    clause, end = _clause(pattern, start)
    try:
        return clause(values[0]), end
    except CelError as error:
        raise CelError(f"error during formatting: {error}") from error


def _clause(pattern: str, start: int) -> tuple[Clause, int]:
    at, precision = start + 1, _PRECISION
    if pattern[at] == ".":
        end = at + 1
        while end < len(pattern) and pattern[end] in "0123456789":
            end += 1
        precision, at = _precision(pattern[at + 1 : end], is_open=end >= len(pattern)), end
    verb = pattern[at]
    return _of_verb(verb, precision), at + 1


def _precision(digits: str, *, is_open: bool) -> int:
    wrong = "could not parse formatting clause: error while parsing precision: "
    if is_open:
        raise CelError(wrong + "could not find end of precision specifier")
    if not digits:
        text = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax'
        raise CelError(wrong + text)
    return int(digits)


def _of_verb(verb: str, precision: int) -> Clause:  # noqa: PLR0911 - a table of clauses
    match verb:
        case "s":
            return shown
        case "d":
            return _decimal
        case "f":
            return lambda value: _fixed(value, precision)
        case "e":
            return lambda value: _scientific(value, precision)
        case "b":
            return _binary
        case "x" | "X":
            return lambda value: _hex(value, is_upper=verb == "X")
        case "o":
            return _octal
        case _:
            raise CelError(f'could not parse formatting clause: unrecognized formatting clause "{verb}"')


def shown(value: Any) -> str:
    """`%s`."""
    if is_list(value):
        return "[" + ", ".join(_nested(one) for one in value) + "]"
    if is_map(value):
        return _shown_map(value)
    if value is None:
        return "null"
    if value.__class__ in (int, Uint, float, bool, str, bytes, Timestamp, Duration, TypeValue):
        return to_text(value)
    raise CelError(
        "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
        f"timestamps, was given {type_name(value)}"
    )


def _nested(value: Any) -> str:
    """Write what is in a list or map: texts are quoted, times are named."""
    kind = value.__class__
    if kind is str:
        return quoted(value)
    if kind is bytes:
        return "b" + quoted(to_text(value))
    if kind is float:
        text = _plain_fixed(value, _PRECISION)
        return text if math.isfinite(value) else f'"{text}"'
    if kind in (Timestamp, Duration):
        return f"{'timestamp' if kind is Timestamp else 'duration'}({quoted(to_text(value))})"
    if kind in (int, Uint, bool, TypeValue) or value is None or is_list(value) or is_map(value):
        return shown(value)
    raise CelError(f"no formatting function for {type_name(value)}")


def _shown_map(value: Any) -> str:
    pairs = []
    for key in value.keys():  # noqa: SIM118 - no dict
        if key.__class__ not in (str, bool, int, Uint):
            raise CelError(f"no formatting function for map key of type {type_name(key)}")
        pairs.append((_nested(key), _nested(value.find(key)[0])))
    return "{" + ", ".join(f"{key}:{one}" for key, one in sorted(pairs)) + "}"


def _decimal(value: Any) -> str:
    if value.__class__ in (int, Uint):
        return str(int(value))
    raise CelError(f"decimal clause can only be used on integers, was given {type_name(value)}")


def _float(value: Any, clause: str) -> float:
    if value.__class__ is float:
        return float(value)
    if value.__class__ is str and value in _NUMBER_TEXTS:
        return float(value)
    raise CelError(f"{clause} clause can only be used on doubles, was given {type_name(value)}")


def _fixed(value: Any, precision: int) -> str:
    number = _float(value, "fixed-point")
    if precision > _WIDEST:
        return _NO_VERB
    return _special(number) or _with_digits(number, precision)


def _with_digits(number: float, precision: int) -> str:
    """Write a number as Go's library does: it keeps the lowest byte alone of how many digits there must be."""
    text, least = f"{number:,.{min(precision, _DIGITS)}f}", precision % 256
    if precision == least:
        return text
    whole, _, digits = text.partition(".")
    kept = digits.rstrip("0").ljust(least, "0")
    return f"{whole}.{kept}" if kept else whole


def _plain_fixed(number: float, precision: int) -> str:
    if math.isfinite(number):
        return f"{number:.{precision}f}"
    return "NaN" if math.isnan(number) else "+Inf" if number > 0 else "-Inf"


def _special(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    return "" if math.isfinite(number) else "∞" if number > 0 else "-∞"


def _scientific(value: Any, precision: int) -> str:
    number = _float(value, "scientific")
    special = _special(number)
    if precision > _WIDEST:
        return _NO_VERB
    # cel-go gives the precision as a width, so the digits are always the same; Go keeps two bytes of it.
    return (special or _with_power(number)).rjust(precision % 65536)


def _with_power(number: float) -> str:
    mantissa, exponent = f"{number:.{_PRECISION}e}".split("e")
    power = int(exponent)
    return f"{mantissa}\N{MULTIPLICATION SIGN}10{'⁻' if power < 0 else ''}{_superscript(abs(power))}"


def _superscript(power: int) -> str:
    return f"{power:02d}".translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _binary(value: Any) -> str:
    if value.__class__ in (int, Uint, bool):
        return f"{int(value):b}"
    raise CelError(f"only integers and bools can be formatted as binary, was given {type_name(value)}")


def _hex(value: Any, *, is_upper: bool) -> str:
    if value.__class__ in (int, Uint):
        text = f"{int(value):x}"
    elif value.__class__ in (str, bytes):
        text = to_bytes(value).hex()
    else:
        kind = type_name(value)
        raise CelError(f"only integers, byte buffers, and strings can be formatted as hex, was given {kind}")
    return text.upper() if is_upper else text


def _octal(value: Any) -> str:
    if value.__class__ in (int, Uint):
        return f"{int(value):o}"
    raise CelError(f"octal clause can only be used on integers, was given {type_name(value)}")
