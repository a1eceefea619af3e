"""Acceptance: what a server refuses in an object is mended field by field until it takes it.

The server says which fields are wrong and often what would do; so objects as full as can be need no table of what is
meaningful. Where nothing helps, a field is left out.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

_STEPS: Final = re.compile(r"\[([^\]]*)\]|\.?([^.\[\]]+)")
_SUPPORTED: Final = re.compile(r'supported values: "([^"]*)"')
_ROUNDS: Final = 120
# What a text may have to look like, the more usual forms first.
_TEXTS: Final = (
    *("a", "example.com", "example.com/a", "/a", "https://example.com/a", "10.0.0.1", "10.0.0.0/24", "1", "100m"),
    *("v1", "Always", "kubernetes.io/a", "true", "a=b", "system:a", "User", "2001:db8::1", "UTC", "* * * * *"),
)
_NUMBERS: Final = (1, 0, 2, 80, 100)

Refusals = list[tuple[str, str, str]]  # reason, field, message


def accepted(value: dict[str, Any], refusals: Callable[[dict[str, Any]], Refusals | None]) -> dict[str, Any] | None:
    """Return an object that is taken; None where none was found.

    `refusals` asks the server: nothing in the list means that the object is taken, None that no cause was given.
    """
    value, tried = copy.deepcopy(value), Counter[str]()
    for _ in range(_ROUNDS):
        found = refusals(value)
        if not found:
            return value if found is not None else None
        for reason, field, message in found:
            mend(value, field, reason=reason, message=message, times=tried)
    return None


def mend(value: dict[str, Any], field: str, *, reason: str, message: str, times: Counter[str]) -> None:
    """Change or drop one field."""
    holder, last = _find(value, _path(field))
    if holder is None:
        return
    times[field] += 1
    if reason == "FieldValueNotSupported" and (named := _SUPPORTED.search(message)) and times[field] < 3:
        holder[last] = named[1]
    elif reason == "FieldValueRequired" and isinstance(holder, dict) and holder.get(last) in (None, "", [], {}):
        holder[last] = (["a"], {"a": "b"}, "a", {}, [{}])[(times[field] - 1) % 5]
    elif reason == "FieldValueInvalid" and (other := _other(holder[last], times[field])) is not None:
        holder[last] = other
    else:
        del holder[last]


def _other(old: Any, time: int) -> Any:
    if isinstance(old, bool):
        return not old if time == 1 else None
    choices = _TEXTS if isinstance(old, str) else _NUMBERS if isinstance(old, int) else ()
    return choices[time] if time < len(choices) else None


def _path(field: str) -> list[str | int]:
    return [
        int(found[1]) if found[1] is not None and found[1].isdigit() else found[1] if found[1] is not None else found[2]
        for found in _STEPS.finditer(field)
    ]


def _find(value: Any, path: list[str | int]) -> tuple[Any, Any]:
    """Return the deepest holder on a path that is there, and the step from it; a missing last step is fine."""
    holder: Any = None
    last: Any = None
    for step in path:
        if isinstance(value, dict) and step not in value and str(step) in value:
            step = str(step)  # noqa: PLW2901 - a map's key that looks like an index
        if not _has(value, step):
            if isinstance(value, dict) and step == path[-1] and isinstance(step, str):
                return value, step
            break
        holder, last, value = value, step, value[step]
    return holder, last


def _has(value: Any, step: str | int) -> bool:
    if isinstance(value, dict):
        return step in value
    return isinstance(value, list) and isinstance(step, int) and step < len(value)
