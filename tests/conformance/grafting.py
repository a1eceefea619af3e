"""Grafting: what a server refuses in an object is replaced by what stands there in one that it takes.

First the field itself, and where that does not help, step by step what holds it; so much of the object stays as it was
made, and it ends within a few rounds, at the worst with the good object.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from typing import Any

from acceptance import Refusal, Step, path_of

Refusals = Callable[[dict[str, Any]], list[Refusal] | None]  # nothing: it is taken; None: no field is named


def grafted(value: dict[str, Any], good: dict[str, Any], refusals: Refusals) -> dict[str, Any] | None:
    """Return an object that is taken; None where the server refuses one and names no field."""
    value, times = copy.deepcopy(value), Counter[str]()
    while found := refusals(value):
        for refusal in found:
            path = path_of(refusal.field)
            _graft(value, good, path[: max(1, len(path) - times[refusal.field])])
            if times[refusal.field] > len(path):  # a server may name a field by another path than the object has
                value = copy.deepcopy(good)
        times.update({refusal.field for refusal in found})
    return value if found is not None else None


def _graft(value: dict[str, Any], good: dict[str, Any], path: list[Step]) -> None:
    """Take what stands at a path from the good object; a list as a whole."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    holder, donor = _at(value, path[:-1]), _at(good, path[:-1])
    if not path or not isinstance(holder, dict):
        return
    if isinstance(donor, dict) and path[-1] in donor:
        holder[path[-1]] = copy.deepcopy(donor[path[-1]])
    else:
        holder.pop(path[-1], None)


def _at(value: Any, path: list[Step]) -> Any:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
