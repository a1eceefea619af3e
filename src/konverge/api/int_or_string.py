"""Values that are a number or a text, most often a percentage: `maxUnavailable: 1` or `maxUnavailable: 25%`."""

from __future__ import annotations

import re
from typing import TypeAlias

from konverge.api.invalid import InvalidValue

IntOrString: TypeAlias = int | str

_PERCENT = re.compile(r"([+-]?[0-9]{1,18})%", re.ASCII)


def scaled_value(value: IntOrString, total: int, *, round_up: bool) -> int:
    """Resolve a value against a total: a number stands for itself, "25%" for that share of the total.

    A text without the percent sign is refused, even "5": the server refuses it too, because it cannot tell a number
    that was quoted by accident from a percentage whose sign was forgotten.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise InvalidValue(f"{value!r} is neither a whole number nor a percentage such as '25%'")
    share = int(match[1]) * total
    return -(-share // 100) if round_up else share // 100
