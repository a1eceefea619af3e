"""Keys that stand twice in one object of a JSON text: the last one wins, and field validation names them all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec


def duplicate_fields(body: bytes, value: Any) -> list[str]:
    """Return the path of each repeated key (`metadata.labels.x`, `spec.items[1].name`); `value` is the decoded body.

    Every key is written with one colon, so a body with as many colons as its value has no repetition: that is asked
    first and costs a few microseconds. A colon may hide as an escape, so a body with such escapes is always scanned.
    """
    if b"\\u" not in body and body.count(b":") == msgspec.json.encode(value).count(b":"):
        return []
    return list(dict.fromkeys(path for path, is_repeated in _keys(_written(body), "") if is_repeated))


def places(body: bytes) -> dict[tuple[str, bool], int]:
    """Return where a path first stands in a text, and where it stands again (True), as numbers that only compare."""
    found: dict[tuple[str, bool], int] = {}
    for place, key in enumerate(_keys(_written(body), "")):
        found.setdefault(key, place)
    return found


def merged(body: bytes) -> Any:
    """Return the value of a text as Go's typed decoder reads it: what stands twice is read into the same place.

    So objects are joined, items of lists too, and of anything else the last one stays.
    """
    return json.loads(body, object_pairs_hook=_joined)


def _joined(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        found[key] = _into(found[key], value) if key in found else value
    return found


def _into(old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{key: _into(old[key], value) if key in old else value for key, value in new.items()}}
    if isinstance(old, list) and isinstance(new, list):
        return [_into(*pair) for pair in zip(old, new, strict=False)] + new[len(old) :]
    return new


class _Pairs(list[tuple[str, Any]]):
    """An object as it was written."""


def _written(body: bytes) -> Any:
    return json.loads(body, object_pairs_hook=_Pairs)


def _keys(value: Any, path: str) -> Iterator[tuple[str, bool]]:
    """Yield the path of each key in the order of the text, and whether it stands there again."""
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for key, item in value:
            inner = f"{path}.{key}" if path else key
            yield inner, key in seen
            seen.add(key)
            yield from _keys(item, inner)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _keys(item, f"{path}[{index}]")
