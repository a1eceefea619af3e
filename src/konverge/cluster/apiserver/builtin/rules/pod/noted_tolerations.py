"""Tolerations that are written as JSON in an annotation, as once they were: nothing reads them, but they are judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.pod.scheduling import toleration_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.go_json import go_kind, syntax_error

# The fields of the type that Go reads them as, by their names in lower case: it takes any.
_FIELDS: Final = {
    "key": ("key", "Key", "string"),
    "operator": ("operator", "Operator", "core.TolerationOperator"),
    "value": ("value", "Value", "string"),
    "effect": ("effect", "Effect", "core.TaintEffect"),
    "tolerationseconds": ("tolerationSeconds", "TolerationSeconds", "int64"),
}


class _Unreadable(Exception):
    """What Go's decoder says of the first value of another type than it wants."""


def noted_toleration_errors(text: str, path: str, *, key: str) -> Iterator[FieldError]:
    """Judge the text of an annotation."""
    try:
        tolerations = _read(text)
    except _Unreadable as fault:
        yield field_error.invalid(path, key, str(fault))
        return
    yield from toleration_errors(tolerations, f"{path}.{key}")


def _read(text: str) -> list[JsonObject]:
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise _Unreadable(syntax_error(text) or str(error)) from None
    if found is None:
        return []
    if not isinstance(found, list):
        raise _Unreadable(f"json: cannot unmarshal {go_kind(found)} into Go value of type []core.Toleration")
    return [_toleration(each) for each in found]


def _toleration(value: Any) -> JsonObject:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _Unreadable(f"json: cannot unmarshal {go_kind(value)} into Go value of type core.Toleration")
    given = ((_FIELDS.get(name.lower()), item) for name, item in value.items())
    return {field[0]: _item(item, field[1], field[2]) for field, item in given if field and item is not None}


def _item(item: Any, name: str, kind: str) -> Any:
    is_right = type(item) is int if kind == "int64" else isinstance(item, str)
    if is_right:
        return item
    number = f" {item}" if kind == "int64" and type(item) is float else ""
    raise _Unreadable(
        f"json: cannot unmarshal {go_kind(item)}{number} into Go struct field Toleration.{name} of type {kind}"
    )
