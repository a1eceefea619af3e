"""Validation of a value by its type, in structured-merge-diff's words: what an apply must hold to to be merged."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from konverge.cluster.apiserver.apply.path_element import printed_float, shown
from konverge.cluster.apiserver.apply.typed_error import TypedError, joined
from konverge.cluster.apiserver.apply.types import Form, ListType, MapType, Scalar, Type
from konverge.cluster.apiserver.go_text import quoted, shown_float

_GO_TYPES: Final = {
    str: "string",
    int: "int64",
    float: "float64",
    bool: "bool",
    dict: "map[string]interface {}",
    list: "[]interface {}",
}


def validate(kind: Type, value: Any, *, allows_duplicates: bool) -> None:
    """Raise TypedError where a value is not of its type; lists may have an item twice where that is allowed."""
    errors = list(_errors(kind, value, allows_duplicates=allows_duplicates))
    if errors:
        raise joined([f"{path}: {message}" if path else message for path, message in errors])


_Errors = list[tuple[str, str]]


def _errors(kind: Type, value: Any, *, allows_duplicates: bool) -> _Errors:
    if value is None or type(value) in kind.accepted:
        return []
    try:
        form = kind.form(value)
    except TypedError as error:
        return [("", str(error))]
    if form is Form.MAP and kind.map is not None:
        return _map_errors(kind.map, value, allows_duplicates=allows_duplicates)
    if form is Form.LIST and kind.list is not None:
        return _list_errors(kind.list, value, allows_duplicates=allows_duplicates)
    return [("", _scalar_error(kind.scalar, value))]


def _scalar_error(scalar: Scalar | None, value: Any) -> str:
    if scalar is Scalar.NUMERIC:
        return f"expected numeric (int or float), got {_GO_TYPES[type(value)]}"
    if scalar is Scalar.STRING:
        return f"expected string, got &value.valueUnstructured{{Value:{_go_syntax(value)}}}"
    wanted = "boolean" if scalar is Scalar.BOOLEAN else "any scalar"
    return f"expected {wanted}, got &{{{_go_value(value)}}}"


def _map_errors(kind: MapType, value: Any, *, allows_duplicates: bool) -> _Errors:
    if not isinstance(value, dict):
        return [("", f"expected map, got &{{{_go_value(value)}}}")]
    errors: _Errors = []
    for name, part in value.items():
        found = kind.fields.get(name) or kind.element
        if found is None:
            return [*errors, (f".{name}", "field not declared in schema")]
        if part is None or type(part) in found.accepted:
            continue
        below = _errors(found, part, allows_duplicates=allows_duplicates)
        errors += [(f".{name}{path}", message) for path, message in below]
    return errors


def _list_errors(kind: ListType, items: Any, *, allows_duplicates: bool) -> _Errors:
    if not isinstance(items, list):
        return [("", f"expected list, got &{{{_go_value(items)}}}")]
    errors: _Errors = []
    seen: set[str] = set()
    for index, item in enumerate(items):
        try:
            element = f"i:{index}" if kind.is_atomic else kind.path_element(item)
        except TypedError as error:
            return [*errors, ("", f"element {index}: {error}")]
        if element in seen and not allows_duplicates:
            errors.append(("", f"duplicate entries for key {shown(element)}"))
        seen.add(element)
        below = _errors(kind.element, item, allows_duplicates=allows_duplicates)
        errors += [(shown(element) + path, message) for path, message in below]
    return errors


def _go_value(value: Any) -> str:
    """Return a JSON value as Go's `%v` prints it."""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return printed_float(value)
    return _printed(value, part=_go_value, layout=("map[{}]", " ", "[{}]", " ", "<nil>"), name=str)


def _go_syntax(value: Any) -> str:
    """Return a JSON value as Go's `%#v` prints it."""
    if isinstance(value, str):
        return quoted(value)
    layout = ("map[string]interface {{}}{{{}}}", ", ", "[]interface {{}}{{{}}}", ", ", "interface {}(nil)")
    return _printed(value, part=_go_syntax, layout=layout, name=quoted)


def _printed(
    value: Any, *, part: Callable[[Any], str], layout: tuple[str, str, str, str, str], name: Callable[[str], str]
) -> str:
    around_map, between_pairs, around_list, between_items, nothing = layout
    if value is None:
        return nothing
    if isinstance(value, dict):
        pairs = (f"{name(key)}:{part(below)}" for key, below in sorted(value.items()))
        return around_map.format(between_pairs.join(pairs))
    if isinstance(value, list):
        return around_list.format(between_items.join(map(part, value)))
    return shown_float(value) if isinstance(value, float) else json.dumps(value)
