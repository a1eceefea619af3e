"""The patched object as the real server's refusal of a patch shows it.

Go's patch library sorts what a patch went through and leaves the rest as it was: the object in the order of Go's types,
what operations add in the order of their text. So the patch is applied once more, to the object in that order.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from konverge.api import merge_patch
from konverge.api.json_value import json_copy
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing import go_json_patch
from konverge.cluster.apiserver.writing.expected import Expected

Place = tuple[str, ...]
_POINTERS: Final = ("path", "from")


def patched_text(current: JsonObject, patch: JsonObject | list[JsonObject], expected: Expected) -> str:
    """Return a patched object as text; `patch` is a merge patch or the operations of a JSON patch."""
    written = json_copy(current) if expected.is_custom else _as_go_writes(current, expected)
    if isinstance(patch, dict):
        value: Any = _merged(written, patch)
    else:
        value = _sorted_at(go_json_patch.apply(written, patch), (), opened=_opened(patch), tested=_tested(patch))
    return msgspec.json.encode(value, order="sorted" if expected.is_custom else None).decode()


def _as_go_writes(current: JsonObject, expected: Expected) -> JsonObject:
    # Loaded by the first such refusal: most servers never give one.
    from konverge.cluster.apiserver.protobuf.field_order import in_go_order  # noqa: PLC0415

    return in_go_order(current, expected.api_version, expected.kind)


# --- merge patches ---


def _merged(current: JsonObject, patch: JsonObject) -> JsonObject:
    found = {}
    for name in sorted({**current, **patch}):
        if name not in patch:
            found[name] = current[name]
        elif patch[name] is not None:
            found[name] = _replaced(current.get(name), patch[name])
    return found


def _replaced(current: Any, value: Any) -> Any:
    if isinstance(value, dict) and isinstance(current, dict):
        return _merged(current, value)
    return _sorted(merge_patch.apply(None, value))


def _sorted(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value, order="sorted"))


# --- JSON patches ---


def _opened(patch: list[JsonObject]) -> set[Place]:
    """Return the places of what the operations went through."""
    paths = [_place(operation[name]) for operation in patch for name in _POINTERS if name in operation]
    return {path[:depth] for path in paths for depth in range(len(path))}


def _tested(patch: list[JsonObject]) -> set[Place]:
    """Return the places of what was compared, which goes through all of it."""
    return {_place(operation["path"]) for operation in patch if operation.get("op") == "test"}


def _place(pointer: Any) -> Place:
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in str(pointer).split("/")[1:])


def _sorted_at(value: Any, place: Place, *, opened: set[Place], tested: set[Place]) -> Any:
    if place in tested:
        return _sorted(value)
    if isinstance(value, dict):
        names = sorted(value) if place in opened or not place else value
        return {name: _sorted_at(value[name], (*place, name), opened=opened, tested=tested) for name in names}
    if isinstance(value, list):
        return [_sorted_at(each, (*place, str(n)), opened=opened, tested=tested) for n, each in enumerate(value)]
    return value
