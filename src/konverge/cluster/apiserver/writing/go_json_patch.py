"""JSON patches as the real server's library applies them: more is allowed than the standard says.

A value that is missing is a null, an absent key can be replaced, copied (as null) and tested (against null), an index
may count from the end, and what stands before the first slash of a path is passed over. What cannot be applied is told
in that library's words: admission shows them, the verb PATCH does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from konverge.api.invalid import InvalidPatch
from konverge.api.json_value import json_copy, json_equal
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.decode import Findings, Malformed, read_json
from konverge.cluster.apiserver.writing.go_json import go_kind
from konverge.cluster.apiserver.writing.options import FieldValidation

_NUMBER: Final = re.compile(r"[-+]?[0-9]{1,19}", re.ASCII)  # longer ones are no index of anything
_MOST_COPIED: Final = 3 * 1024 * 1024  # bytes of JSON: each copy may hold the ones before it
_ABSENT: Final = object()
_MISSING: Final = "missing value"
_UNREAD: Final = "json: cannot unmarshal {} into Go value of type jsonpatch.{}"


class TestFailed(InvalidPatch):
    """The document is not what a `test` operation wants."""


class _Unplaced(Exception):
    """A path that leads to nothing."""


def apply(document: JsonObject, patch: Sequence[JsonObject | None]) -> Any:
    """Return the patched document, which is changed; raises `InvalidPatch`."""
    result: Any = document
    copied = 0
    for operation in patch:
        asked = operation or {}
        if asked.get("op") == "copy":
            copied += len(msgspec.json.encode(_source(result, asked)))
            if copied > _MOST_COPIED:
                raise InvalidPatch(
                    f"Unable to complete the copy, the accumulated size increase of copy is {copied}, exceeding the "
                    f"limit {_MOST_COPIED}"
                )
        kind = asked["op"] if isinstance(asked.get("op"), str) else "unknown"
        run = _OPERATIONS.get(kind)
        if run is None:
            raise InvalidPatch(f"Unexpected kind: {kind}")
        result = run(result, asked)
    return result


def read(text: bytes) -> list[JsonObject | None]:
    """Return the operations of a patch's text; raises `Malformed` in Go's words."""
    found = read_json(text, Findings(FieldValidation.IGNORE))
    operations = [] if found is None else found
    if not isinstance(operations, list):
        raise Malformed(_UNREAD.format(go_kind(operations), "Patch"))
    for each in operations:
        if not isinstance(each, dict | None):
            raise Malformed(_UNREAD.format(go_kind(each), "Operation"))
    return operations


def _path(operation: JsonObject, name: str = "path") -> str:
    path = operation.get(name)
    if not isinstance(path, str):
        raise InvalidPatch(f"{operation.get('op')} operation failed to decode {name}: {_MISSING}")
    return path


def _find(document: Any, path: str, complaint: str) -> tuple[Any, str]:
    """Return what holds the last step of a path, and that step."""
    try:
        return _found(document, path)
    except (_Unplaced, InvalidPatch):
        raise InvalidPatch(f"{complaint}: {_MISSING}") from None


def _found(document: Any, path: str) -> tuple[Any, str]:
    _, *steps = path.split("/")
    if not steps:
        raise _Unplaced
    *inner, last = (step.replace("~1", "/").replace("~0", "~") for step in steps)
    for step in inner:
        document = _get(document, step)
        if not isinstance(document, dict | list):
            raise _Unplaced
    return document, last


def _get(holder: Any, step: str) -> Any:
    return holder.get(step) if isinstance(holder, dict) else holder[_index(step, len(holder))]


def _index(step: str, size: int) -> int:
    if not _NUMBER.fullmatch(step):
        raise InvalidPatch(f"strconv.Atoi: parsing {quoted(step)}: invalid syntax")
    index = int(step)
    if not -size <= index < size:
        raise InvalidPatch(f"Unable to access invalid index: {index}: invalid index referenced")
    return index + size if index < 0 else index


def _put_in(holder: Any, last: str, value: Any) -> None:
    if isinstance(holder, dict):
        holder[last] = value
    elif last != "-" and not _NUMBER.fullmatch(last):
        wrong = f"strconv.Atoi: parsing {quoted(last)}: invalid syntax"
        raise InvalidPatch(f"value was not a proper array index: '{last}': {wrong}")
    else:
        holder.insert(len(holder) if last == "-" else _index(last, len(holder) + 1), value)


def _take_out(holder: Any, last: str) -> Any:
    if isinstance(holder, dict) and last not in holder:
        raise InvalidPatch(f"Unable to remove nonexistent key: {last}: {_MISSING}")
    return holder.pop(last if isinstance(holder, dict) else _index(last, len(holder)))


def _told(context: str, run: Callable[..., Any], *args: Any) -> Any:
    """Run a step; tell where it failed."""
    try:
        return run(*args)
    except InvalidPatch as error:
        raise InvalidPatch(f"{context}: {error}") from None


def _add(document: Any, operation: JsonObject) -> Any:
    path = _path(operation)
    holder, last = _find(document, path, f'add operation does not apply: doc is missing path: "{path}"')
    _told(f"error in add for path: '{path}'", _put_in, holder, last, operation.get("value"))
    return document


def _remove(document: Any, operation: JsonObject) -> Any:
    path = _path(operation)
    holder, last = _find(document, path, f'remove operation does not apply: doc is missing path: "{path}"')
    _told(f"error in remove for path: '{path}'", _take_out, holder, last)
    return document


def _replace(document: Any, operation: JsonObject) -> Any:
    path, value = _path(operation), operation.get("value")
    if not path:
        if not isinstance(value, dict | list):
            raise InvalidPatch("replace operation value must be object or array: %!w(<nil>)")
        return value
    holder, last = _find(document, path, f"replace operation does not apply: doc is missing path: {path}")
    if isinstance(holder, dict):
        holder[last] = value
    else:
        try:
            holder[_index(last, len(holder))] = value
        except InvalidPatch:
            text = f"replace operation does not apply: doc is missing key: {path}: {_MISSING}"
            raise InvalidPatch(text) from None
    return document


def _move(document: Any, operation: JsonObject) -> Any:
    source = _path(operation, "from")
    holder, last = _find(document, source, f"move operation does not apply: doc is missing from path: {source}")
    value = _told(f"error in move for path: '{last}'", _take_out, holder, last)
    path = _path(operation)
    holder, last = _find(document, path, f"move operation does not apply: doc is missing destination path: {path}")
    _told(f"error in move for path: '{path}'", _put_in, holder, last, value)
    return document


def _copy(document: Any, operation: JsonObject) -> Any:
    value = json_copy(_source(document, operation))
    path = _path(operation)
    holder, last = _find(document, path, f"copy operation does not apply: doc is missing destination path: {path}")
    _told("error while adding value during copy", _put_in, holder, last, value)
    return document


def _source(document: Any, operation: JsonObject) -> Any:
    source = _path(operation, "from")
    holder, last = _find(document, source, f"copy operation does not apply: doc is missing from path: {source}")
    return _told(f"error in copy for from: '{source}'", _get, holder, last)


def _test(document: Any, operation: JsonObject) -> Any:
    path, wanted = _path(operation), operation.get("value", _ABSENT)
    found = _tested(document, path) if path else document
    is_met = wanted in (None, _ABSENT) if found is None else wanted is not _ABSENT and json_equal(found, wanted)
    if not is_met:
        raise TestFailed(f"testing value {path} failed: test failed")
    return document


def _tested(document: Any, path: str) -> Any:
    holder, last = _find(document, path, f"test operation does not apply: is missing path: {path}")
    return _told(f"error in test for path: '{path}'", _get, holder, last)


_OPERATIONS: Final[dict[str, Callable[[Any, JsonObject], Any]]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}
