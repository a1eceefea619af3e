"""Values as Go prints them in causes: numbers by `%v`, lists and objects as its JSON encoder writes them."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any, Final

import msgspec

_ESCAPES: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def told(value: Any) -> Any:
    """Return a value for a `FieldError` that shows it as Go does; what looks the same in both is left as it is."""
    if isinstance(value, float) and math.isfinite(value):
        return msgspec.Raw(go_float(value).encode())
    return msgspec.Raw(go_json(value).encode()) if isinstance(value, dict | list) else value


def go_float(value: float) -> str:
    """Return a number as `%v` prints a float64: an exponent below 1e-4 and from 1e6 on."""
    return _float(value, first=-4, last=5, digits=2)


def go_json(value: Any, *, is_struct: bool = False) -> str:
    """Return a value as Go's encoder writes it: whole floats without a point, `<` escaped, keys sorted.

    The fields of a struct keep their order, as do those of structs in it; what is JSON in one stands there as `Raw`.
    """
    if isinstance(value, msgspec.Raw):
        return bytes(value).decode()
    if isinstance(value, dict):
        names = value if is_struct else sorted(value)
        fields = (f"{go_json(name)}:{go_json(value[name], is_struct=is_struct)}" for name in names)
        return "{" + ",".join(fields) + "}"
    if isinstance(value, list):
        return "[" + ",".join(go_json(item, is_struct=is_struct) for item in value) + "]"
    if isinstance(value, float) and math.isfinite(value):
        return _float(value, first=-6, last=20, digits=1)
    return msgspec.json.encode(value).decode().translate(_ESCAPES)


def _float(value: float, *, first: int, last: int, digits: int) -> str:
    """Return the shortest digits; plain between two powers of ten, else with an exponent of so many digits."""
    if not value:
        return "-0" if math.copysign(1, value) < 0 else "0"
    number = Decimal(repr(value)).normalize()
    power = number.adjusted()
    if first <= power <= last:
        return f"{number:f}"
    mantissa = f"{number.scaleb(-power):f}"
    return f"{mantissa}e{'-' if power < 0 else '+'}{abs(power):0{digits}d}"
