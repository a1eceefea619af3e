"""JSON patches as the real server's library applies them: more is allowed than the standard says.

A value that is missing is a null, an absent key can be replaced, copied (as null) and tested (against null), an index
may count from the end, and what stands before the first slash of a path is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from konverge.api.invalid import InvalidPatch
from konverge.api.json_value import json_copy, json_equal
from konverge.cluster.apiserver.strategy import JsonObject

_NUMBER: Final = re.compile(r"[-+]?[0-9]{1,19}", re.ASCII)  # longer ones are no index of anything
_MOST_COPIED: Final = 3 * 1024 * 1024  # bytes of JSON: each copy may hold the ones before it
_ABSENT: Final = object()


def apply(document: JsonObject, patch: Sequence[JsonObject | None]) -> Any:
    """Return the patched document, which is changed; raises `InvalidPatch`, whose text nobody sees."""
    result: Any = document
    copied = 0
    for operation in patch:
        asked = operation or {}
        if asked.get("op") == "copy":
            copied += len(msgspec.json.encode(_source(result, asked)))
            if copied > _MOST_COPIED:
                raise InvalidPatch("the copies are too large")
        run = _OPERATIONS.get(asked.get("op") or "")
        if run is None:
            raise InvalidPatch("unexpected kind")
        result = run(result, asked)
    return result


def _path(operation: JsonObject, name: str = "path") -> str:
    path = operation.get(name)
    if not isinstance(path, str):
        raise InvalidPatch(f"no {name}")
    return path


def _find(document: Any, path: str) -> tuple[Any, str]:
    """Return what holds the last step of a path, and that step."""
    before, *steps = path.split("/")
    if not steps:
        raise InvalidPatch(f"no slash in {before}")
    *inner, last = (step.replace("~1", "/").replace("~0", "~") for step in steps)
    for step in inner:
        document = _get(document, step)
        if not isinstance(document, dict | list):
            raise InvalidPatch("missing path")
    return document, last


def _get(holder: Any, step: str) -> Any:
    return holder.get(step) if isinstance(holder, dict) else holder[_index(step, len(holder))]


def _index(step: str, size: int) -> int:
    if not _NUMBER.fullmatch(step):
        raise InvalidPatch("not an index")
    index = int(step)
    if not -size <= index < size:
        raise InvalidPatch("invalid index")
    return index + size if index < 0 else index


def _put_in(document: Any, path: str, value: Any) -> Any:
    holder, last = _find(document, path)
    if isinstance(holder, dict):
        holder[last] = value
    else:
        holder.insert(len(holder) if last == "-" else _index(last, len(holder) + 1), value)
    return document


def _take_out(document: Any, path: str) -> Any:
    holder, last = _find(document, path)
    if isinstance(holder, dict) and last not in holder:
        raise InvalidPatch("nonexistent key")
    return holder.pop(last if isinstance(holder, dict) else _index(last, len(holder)))


def _add(document: Any, operation: JsonObject) -> Any:
    return _put_in(document, _path(operation), operation.get("value"))


def _remove(document: Any, operation: JsonObject) -> Any:
    _take_out(document, _path(operation))
    return document


def _replace(document: Any, operation: JsonObject) -> Any:
    path, value = _path(operation), operation.get("value")
    if not path:
        if not isinstance(value, dict | list):
            raise InvalidPatch("value must be object or array")
        return value
    holder, last = _find(document, path)
    if isinstance(holder, dict):
        holder[last] = value
    else:
        holder[_index(last, len(holder))] = value
    return document


def _move(document: Any, operation: JsonObject) -> Any:
    value = _take_out(document, _path(operation, "from"))
    return _put_in(document, _path(operation), value)


def _copy(document: Any, operation: JsonObject) -> Any:
    return _put_in(document, _path(operation), json_copy(_source(document, operation)))


def _source(document: Any, operation: JsonObject) -> Any:
    return _get(*_find(document, _path(operation, "from")))


def _test(document: Any, operation: JsonObject) -> Any:
    path, wanted = _path(operation), operation.get("value", _ABSENT)
    found = _get(*_find(document, path)) if path else document
    is_met = wanted in (None, _ABSENT) if found is None else wanted is not _ABSENT and json_equal(found, wanted)
    if not is_met:
        raise InvalidPatch("testing value failed")
    return document


_OPERATIONS: Final[dict[str, Callable[[Any, JsonObject], Any]]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}
