"""JSON Patch (RFC 6902): `apply` one to a document, `create` one from two documents.

`apply` is strict and leaves its input alone; an error names the operation by its index and path, never a value, since
documents may hold secrets. `create` gives operations that turn one document into the other exactly: it is correct
first and small second (an edit in the middle of a list is found; a rotation is not).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from konverge.api.invalid import InvalidPatch
from konverge.api.json_value import Json, json_copy, json_equal, json_kind

_INDEX = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)


class PatchTestFailed(InvalidPatch):
    """A `test` operation found another value: the document is not what the patch was made for."""


def apply(document: Json, patch: Sequence[Mapping[str, Any]]) -> Json:
    """Return the patched document; neither argument changes, and a patch that fails changes nothing at all."""
    result = json_copy(document)
    for index, operation in enumerate(patch):
        try:
            result = _operate(result, operation)
        except InvalidPatch as error:
            shown = f"operation {index} ({_word(operation, 'op')} {_word(operation, 'path')!r})"
            raise type(error)(f"JSON patch, {shown}: {error}") from None
    return result


def create(before: Json, after: Json) -> list[dict[str, Any]]:
    """Return operations that turn `before` into `after`; none where they are the same JSON."""
    return list(_differences(before, after, ""))


def escape(token: str) -> str:
    """Write a key as one step of a JSON pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def _word(operation: Any, key: str) -> str:
    word = operation.get(key) if isinstance(operation, Mapping) else None
    return word if isinstance(word, str) else "?"


def _operate(document: Json, operation: Mapping[str, Any]) -> Json:
    if not isinstance(operation, Mapping):
        raise InvalidPatch(f"an operation is an object, not {json_kind(operation)}")
    run = _OPERATIONS.get(_word(operation, "op"))
    if run is None:
        raise InvalidPatch(f"`op` must be one of {', '.join(_OPERATIONS)}")
    return run(document, operation)


def _steps(operation: Mapping[str, Any], member: str) -> list[str]:
    pointer = operation.get(member)
    if not isinstance(pointer, str):
        raise InvalidPatch(f"`{member}` must be a JSON pointer")
    if pointer and not pointer.startswith("/"):
        raise InvalidPatch(f"`{member}` must be empty or start with '/'")
    if re.search(r"~(?![01])", pointer):
        raise InvalidPatch(f"`{member}` has a '~' that is neither ~0 nor ~1")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _value(operation: Mapping[str, Any]) -> Json:
    if "value" not in operation:
        raise InvalidPatch("`value` is missing")
    return json_copy(operation["value"])


def _add(document: Json, operation: Mapping[str, Any]) -> Json:
    return _insert(document, _steps(operation, "path"), _value(operation))


def _remove(document: Json, operation: Mapping[str, Any]) -> Json:
    _take(document, _steps(operation, "path"))
    return document


def _replace(document: Json, operation: Mapping[str, Any]) -> Json:
    steps, value = _steps(operation, "path"), _value(operation)
    if not steps:
        return value
    container = _find(document, steps[:-1])
    container[_place(container, steps[-1])] = value
    return document


def _move(document: Json, operation: Mapping[str, Any]) -> Json:
    source, target = _steps(operation, "from"), _steps(operation, "path")
    if target[: len(source)] == source and len(target) > len(source):
        raise InvalidPatch("a value cannot be moved into itself")
    if source == target:
        _find(document, source)
        return document
    return _insert(document, target, _take(document, source))


def _copy(document: Json, operation: Mapping[str, Any]) -> Json:
    return _insert(document, _steps(operation, "path"), json_copy(_find(document, _steps(operation, "from"))))


def _test(document: Json, operation: Mapping[str, Any]) -> Json:
    if not json_equal(_find(document, _steps(operation, "path")), _value(operation)):
        raise PatchTestFailed("the value there is not the one expected")
    return document


_OPERATIONS: dict[str, Callable[[Json, Mapping[str, Any]], Json]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _find(document: Json, steps: Sequence[str]) -> Json:
    for step in steps:
        document = document[_place(document, step)]
    return document


def _take(document: Json, steps: Sequence[str]) -> Json:
    if not steps:
        raise InvalidPatch("the whole document cannot be removed")
    container = _find(document, steps[:-1])
    place = _place(container, steps[-1])
    return container.pop(place)


def _insert(document: Json, steps: Sequence[str], value: Json) -> Json:
    if not steps:
        return value
    container, last = _find(document, steps[:-1]), steps[-1]
    if isinstance(container, list):
        container.insert(len(container) if last == "-" else _index(last, len(container)), value)
    elif isinstance(container, dict):
        container[last] = value
    else:
        raise InvalidPatch(f"{last!r} cannot be added to {json_kind(container)}")
    return document


def _place(container: Json, step: str) -> Any:
    """The key or index of something that is there."""
    if isinstance(container, list):
        return _index(step, len(container) - 1)
    if not isinstance(container, dict):
        raise InvalidPatch(f"{step!r} is looked for in {json_kind(container)}")
    if step not in container:
        raise InvalidPatch(f"there is no {step!r}")
    return step


def _index(step: str, largest: int) -> int:
    if not _INDEX.fullmatch(step) or int(step) > largest:
        raise InvalidPatch(f"{step!r} is not an index of a list that ends at {largest}")
    return int(step)


def _differences(before: Json, after: Json, path: str) -> Iterator[dict[str, Any]]:
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _object_differences(before, after, path)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _list_differences(before, after, path)
    elif not json_equal(before, after):
        yield {"op": "replace", "path": path, "value": json_copy(after)}


def _object_differences(before: dict[str, Any], after: dict[str, Any], path: str) -> Iterator[dict[str, Any]]:
    for key in before:
        if key not in after:
            yield {"op": "remove", "path": f"{path}/{escape(key)}"}
    for key, value in after.items():
        inner = f"{path}/{escape(key)}"
        if key in before:
            yield from _differences(before[key], value, inner)
        else:
            yield {"op": "add", "path": inner, "value": json_copy(value)}


def _list_differences(before: list[Any], after: list[Any], path: str) -> Iterator[dict[str, Any]]:
    """Keep the equal items at both ends, change the ones between in place, then remove or add what is left."""
    start = _common(before, after)
    kept = _common(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - kept], after[start : len(after) - kept]
    both = min(len(old), len(new))
    for offset in range(both):
        yield from _differences(old[offset], new[offset], f"{path}/{start + offset}")
    for _ in old[both:]:
        yield {"op": "remove", "path": f"{path}/{start + both}"}
    for offset, value in enumerate(new[both:], start + both):
        yield {"op": "add", "path": f"{path}/{offset}", "value": json_copy(value)}


def _common(left: Sequence[Json], right: Sequence[Json]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if not json_equal(one, other):
            break
        count += 1
    return count
