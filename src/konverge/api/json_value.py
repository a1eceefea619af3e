"""JSON values as Python has them after decoding: their type, strict equality and a quick deep copy.

Python says `True == 1`; JSON does not. The patches compare and copy by these two functions alone.
"""

from __future__ import annotations

from typing import Any, TypeAlias

# What a decoder returns: dict, list, str, int, float, bool or None. Any, because a recursive alias would force a
# cast on every step into a document whose shape only its reader knows.
Json: TypeAlias = Any


def json_equal(left: Json, right: Json) -> bool:
    """Whether two values are the same JSON: 1 and 1.0 are one number, True and 1 are not one value."""
    if isinstance(left, dict):
        return (
            isinstance(right, dict)
            and left.keys() == right.keys()
            and all(json_equal(value, right[key]) for key, value in left.items())
        )
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(json_equal, left, right))
    return isinstance(left, bool) is isinstance(right, bool) and bool(left == right)


def json_copy(value: Json) -> Json:
    """Return a copy that shares no dict and no list with the value."""
    if isinstance(value, dict):
        return {key: json_copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [json_copy(item) for item in value]
    return value


def json_kind(value: Json) -> str:
    """What messages call a value: never the value itself, which may be a secret."""
    if value is None:
        return "null"
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean"}
    return names.get(type(value), "a number")
