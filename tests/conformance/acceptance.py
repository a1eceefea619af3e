"""Acceptance: what a server refuses in an object is mended field by field until it takes it.

The server says which fields are wrong and often what would do; so objects as full as can be need no table of all that
is meaningful. Where nothing helps, a field is left out, and where that does not help either, what holds it.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

Step = str | int
Make = Callable[[list[Step]], Any]  # the smallest value at a path, or None where the schema has none


class Unacceptable(AssertionError):
    """No way was found to an object that is taken."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One thing that a server says against an object."""

    reason: str
    field: str
    message: str


_STEPS: Final = re.compile(r"\[([^\]]*)\]|\.?([^.\[\]]+)")
_QUOTED: Final = re.compile(r'"([^"]*)"')
_ROUNDS: Final = 300
# What a text may have to look like, the more usual forms first.
_TEXTS: Final = (
    *("a", "example.com", "example.com/a", "/a", "https://example.com/a", "10.0.0.1", "10.0.0.0/24", "1", "100m"),
    *("v1", "a.example.com", "true", "a=b", "system:a", "User", "2001:db8::1", "UTC", "* * * * *", "", "A", "*"),
)
_NUMBERS: Final = (1, 0, 2, 80, 100)
_PATIENCE: Final = 30  # rounds with one field before what holds it goes


def accepted(
    value: dict[str, Any], refusals: Callable[[dict[str, Any]], list[Refusal] | None], make: Make
) -> dict[str, Any]:
    """Return an object that is taken.

    `refusals` asks the server: nothing in the list means that the object is taken, None that no cause was given. Then
    the last changes were no help, and their fields go.
    """
    before, last, times = copy.deepcopy(value), list[Refusal](), Counter[str]()
    value = copy.deepcopy(value)
    for _ in range(_ROUNDS):
        found = refusals(value)
        if found == []:
            return value
        if found is None and not last:
            break  # nothing was changed yet, so nothing can be taken back
        if found is None:
            value, found = copy.deepcopy(before), last
            times.update({refusal.field: _PATIENCE for refusal in last})
        before, last = copy.deepcopy(value), found
        for refusal in found:
            times[refusal.field] += 1
            _mend(value, refusal, time=times[refusal.field], make=make)
    raise Unacceptable(f"no way was found to make this acceptable: {last} {value}")


def _mend(value: dict[str, Any], refusal: Refusal, *, time: int, make: Make) -> None:
    """Change or drop one field."""
    path = path_of(refusal.field)
    if path[:1] == ["metadata"]:
        return  # the name says something, and the rest is right
    holder, depth = _find(value, path)
    if depth < len(path) - 1 or time >= _PATIENCE:
        if refusal.reason == "FieldValueRequired" and time < _PATIENCE and isinstance(holder, dict):
            holder[path[depth]] = make(path[: depth + 1])
        else:
            _drop_around(value, path[: len(path) - max(0, time - _PATIENCE)])
        return
    other = _other(holder, path[-1], refusal, time=time, made=make(path))
    if other is not None:
        holder[path[-1]] = other
    else:
        _drop_around(value, path)


def _other(holder: Any, last: Step, refusal: Refusal, *, time: int, made: Any) -> Any:
    """Return another value for a field; None: it should go."""
    old = holder[last] if _has(holder, last) else None
    if refusal.reason == "FieldValueNotSupported":
        named = _QUOTED.findall(refusal.message.partition("supported values: ")[2])
        return named[time - 1] if time <= len(named) else None
    if old is None or old in ("", [], {}):
        return _another(made, time - 1) if refusal.reason == "FieldValueRequired" else None
    if refusal.reason in ("FieldValueInvalid", "FieldValueTypeInvalid"):
        return _another(old, time)
    return None


def _another(old: Any, time: int) -> Any:
    if isinstance(old, bool):
        return not old if time == 1 else old if time == 0 else None
    choices = _TEXTS if isinstance(old, str) else _NUMBERS if isinstance(old, int) else (old,)
    return choices[time] if time < len(choices) else None


def path_of(field: str) -> list[Step]:
    """Return the steps to a field that a server names."""
    return [
        found[2] if found[1] is None else int(found[1]) if found[1].isdigit() else found[1]
        for found in _STEPS.finditer(field)
    ]


def _find(value: Any, path: list[Step]) -> tuple[Any, int]:
    """Return the last holder that is there, and at which step of the path it stands."""
    for depth, step in enumerate(path[:-1]):
        if not _has(value, step):
            return value, depth
        value = value[step]
    return value, len(path) - 1


def _has(value: Any, step: Step) -> bool:
    if isinstance(value, dict):
        return step in value
    return isinstance(value, list) and isinstance(step, int) and step < len(value)


def _drop_around(value: dict[str, Any], path: list[Step]) -> None:
    """Drop the first thing of a name upwards from a path, but for what stands at the top."""
    while len(path) > 1:
        holder, depth = _find(value, path)
        if depth == len(path) - 1 and isinstance(holder, dict) and path[-1] in holder:
            del holder[path[-1]]
            return
        path = path[:-1]
