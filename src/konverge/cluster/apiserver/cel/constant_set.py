"""Membership in a list of constants, as a look into a set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from konverge.cluster.apiserver.cel.values import MAX_INT, MAX_UINT, MIN_INT, Uint, map_key

_PRIMITIVES: Final = frozenset({bool, int, Uint, float, str})


def constant_set(values: Sequence[Any]) -> Callable[[Any], bool] | None:
    """Return what tells whether a value is among the constants; None where one of them is no primitive value."""
    if any(value.__class__ not in _PRIMITIVES for value in values):
        return None
    known = frozenset(map_key(form) for value in values for form in _forms(value))

    def holds(value: Any) -> bool:
        return value.__class__ in _PRIMITIVES and map_key(value) in known

    return holds


def _forms(value: Any) -> Iterable[Any]:
    """Yield a constant in each type of number that it is equal in."""
    yield value
    if value.__class__ is float:
        whole = int(value) if float(value).is_integer() else None
        if whole is not None and MIN_INT < whole < MAX_INT:
            yield whole
        if whole is not None and 0 <= whole <= MAX_UINT:
            yield Uint(whole)
    elif value.__class__ is int:
        yield float(value)
        if value >= 0:
            yield Uint(value)
    elif value.__class__ is Uint:
        yield float(value)
        if value <= MAX_INT:
            yield int(value)
