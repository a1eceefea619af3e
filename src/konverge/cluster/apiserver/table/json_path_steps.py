"""The steps of a JSON path: each takes the values found so far and returns those that follow.

A null has nothing in it: a step passes over it. `PathError` says that the path does not fit the value.
"""

from __future__ import annotations

import operator as operators
from collections.abc import Callable, Iterator
from typing import Any, Final

Values = list[Any]
Step = Callable[[Values], Values]


class PathError(Exception):
    """A text that is no path, or a path that does not fit a value."""


def field(name: str) -> Step:
    """Go to a field of an object; what is no object has none."""
    return lambda values: [value[name] for value in values if isinstance(value, dict) and name in value]


def constant(value: Any) -> Step:
    """Put a constant in the place of each value."""
    return lambda values: [value for _ in values] if not isinstance(value, str) else [value]


def unknown(word: str) -> Step:
    """Fail: a word that is none of the language's."""

    def fail(_: Values) -> Values:
        raise PathError(f"unrecognized identifier {word}")

    return fail


def _children(value: Any) -> Values:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list):
        return value
    return list(value.encode()) if isinstance(value, str) else []


def wildcard(values: Values) -> Values:
    """Go to everything in an object or a list."""
    return [child for value in values for child in _children(value)]


def descent(values: Values) -> Values:
    """Go to the values themselves and to everything below them that has something in it."""
    found: Values = []
    for value in values:
        children = _children(value)
        if children:
            found.append(value)
            found += descent(children)
    return found


def union(paths: list[list[Step]]) -> Step:
    """Go to what each of several paths finds."""
    return lambda values: [found for path in paths for found in _walked(path, values)]


def _walked(path: list[Step], values: Values) -> Values:
    for step in path:
        values = step(values)
    return values


def _lists(values: Values) -> Iterator[Values]:
    """Yield the lists; what is none is an error when it is reached, as a step may end before."""
    for value in values:
        if value is None:
            continue
        if not isinstance(value, list):
            raise PathError("not an array or slice")
        yield value


def index(place: int) -> Step:
    """Go to one item; a negative place counts from the end."""

    def step(values: Values) -> Values:
        found = []
        for items in _lists(values):
            at = place + len(items) if place < 0 else place
            if not 0 <= at < len(items):
                raise PathError(f"array index out of bounds: index {at}, length {len(items)}")
            found.append(items[at])
        return found

    return step


def sliced(start: int | None, end: int | None, stride: int | None) -> Step:
    """Go to some items; ends that are out of range do not fit."""

    def step(values: Values) -> Values:
        found: Values = []
        for items in _lists(values):
            size = len(items)
            first = (start or 0) + (size if (start or 0) < 0 else 0)
            last = size if end is None else end + (size if end < 0 else 0)
            if first == last:
                return found
            if not (0 <= first < size and first < last <= size) or (stride is not None and stride <= 0):
                raise PathError(f"array index out of bounds: length {size}")
            found += items[first : last : stride or 1]
        return found

    return step


def exists(path: list[Step]) -> Step:
    """Keep the items in which a path finds something."""

    def has(item: Any) -> bool:
        try:
            return bool(_walked(path, [item]))
        except PathError:
            return True  # as kubectl: what could not be looked at is kept

    return lambda values: [item for items in _filtered(values) for item in items if has(item)]


def compared(left: list[Step], operator: str, right: list[Step]) -> Step:
    """Keep the items for which a comparison holds; both sides must be of one kind."""

    def holds(item: Any) -> bool:
        found, wanted = _walked(left, [item]), _walked(right, [item])
        if not found or not wanted:
            return False
        if len(found) > 1 or len(wanted) > 1:
            raise PathError("can only compare one element at a time")
        return _holds(found[0], operator, wanted[0])

    return lambda values: [item for items in _filtered(values) for item in items if holds(item)]


def _filtered(values: Values) -> list[Values]:
    if not all(isinstance(value, list) for value in values):
        raise PathError("not array or slice and cannot be filtered")
    return values


_OPERATORS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operators.eq,
    "!=": operators.ne,
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
}


def _holds(left: Any, operator: str, right: Any) -> bool:
    compare = _OPERATORS.get(operator)
    if compare is None:
        raise PathError(f"unrecognized filter operator {operator}")
    if type(left) is not type(right) or not isinstance(left, (bool, int, float, str)):
        raise PathError("incompatible types for comparison")
    if isinstance(left, bool) and operator not in ("==", "!="):
        raise PathError("invalid type for comparison")
    return compare(left, right)
