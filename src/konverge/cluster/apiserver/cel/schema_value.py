"""JSON seen through its schema: what `self` and `oldSelf` are.

`converter(schema)` reads a schema once; the function it returns makes CEL values of JSON values. Objects, maps and
lists become `views`, so that a rule pays for what it looks at.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.formatted_text import FORMATS
from konverge.cluster.apiserver.cel.property_name import escaped
from konverge.cluster.apiserver.cel.views import (
    Converter,
    ListShape,
    ListView,
    MapListView,
    ObjectShape,
    ObjectView,
    Preserved,
    Schema,
    SetView,
)

_LISTS: Final[dict[str, type[ListView]]] = {"set": SetView, "map": MapListView}
_GO_NAMES: Final[dict[type, str]] = {
    bool: "bool",
    int: "int64",
    float: "float64",
    str: "string",
    list: "[]interface {}",
    dict: "map[string]interface {}",
}
_META_TEXT: Final = {"type": "string"}
_META: Final = {
    "kind": _META_TEXT,
    "apiVersion": _META_TEXT,
    "metadata": {"type": "object", "properties": {"name": _META_TEXT, "generateName": _META_TEXT}},
}


def converter(schema: Schema, *, is_root: bool = False) -> Converter:
    """Return the function that converts values of a schema; `is_root`: of a whole object, with its metadata."""
    convert = _converter(_with_meta(schema) if is_root else schema)
    return partial(_or_null, convert) if schema.get("nullable") else convert


def _or_null(convert: Converter, value: Any) -> Any:
    return None if value is None else convert(value)


def _invalid(value: Any, complaint: str) -> CelError:
    """Return the error of a value that its schema does not allow."""
    return CelError("invalid data, got null for schema with nullable=false" if value is None else complaint)


def _with_meta(schema: Schema) -> Schema:
    """Give a schema the properties that every object has, unless it declares them itself."""
    properties = schema.get("properties") or {}
    meta = properties.get("metadata") or {}
    names = meta.get("properties") or {}
    declared = [properties.get("kind"), properties.get("apiVersion"), names.get("name"), names.get("generateName")]
    if meta.get("type") == "object" and all(one and one.get("type") == "string" for one in declared):
        return schema
    return {**schema, "properties": {**properties, **_META}}


def _converter(schema: Schema) -> Converter:  # noqa: PLR0911 - a table of types
    if schema.get("x-kubernetes-int-or-string"):
        return _int_or_string
    match schema.get("type") or "":
        case "object":
            return _object_converter(schema)
        case "array":
            return _array_converter(schema)
        case "string":
            read = FORMATS.get(schema.get("format") or "")
            return _text if read is None else partial(_formatted, read)
        case "number":
            return _number
        case "integer":
            return _integer
        case "boolean":
            return _boolean
        case other:
            return _preserved if schema.get("x-kubernetes-preserve-unknown-fields") else partial(_untyped, other)


def _int_or_string(value: Any) -> Any:
    if value.__class__ is str or value.__class__ is int:
        return value
    raise _invalid(value, "invalid data, expected XIntOrString value to be either a string or integer")


def _untyped(name: str, value: Any) -> Any:
    raise _invalid(
        value,
        "invalid type, expected object, array, number, integer, boolean or string, or no type with "
        f"x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got {name}",
    )


def _unlike(value: Any, name: str) -> CelError:
    kind = _GO_NAMES.get(value.__class__, value.__class__.__name__)
    return _invalid(value, f"invalid data, expected {name}, got {kind}")


def _integer(value: Any) -> int:
    if value.__class__ is int:
        return value
    raise _unlike(value, "int")


def _boolean(value: Any) -> bool:
    if value.__class__ is bool:
        return value
    raise _unlike(value, "bool")


def _number(value: Any) -> float:
    if value.__class__ is float or value.__class__ is int:
        return float(value)
    raise _unlike(value, "float")


def _text(value: Any) -> str:
    if value.__class__ is str:
        return value
    raise _unlike(value, "string")


def _formatted(read: Callable[[str], Any], value: Any) -> Any:
    return read(_text(value))


def _preserved(value: Any) -> Preserved:
    if value is None:
        raise _invalid(value, "")
    return Preserved(value)


def _object_converter(schema: Schema) -> Converter:
    is_embedded = bool(schema.get("x-kubernetes-embedded-resource"))
    shape = ObjectShape(_with_meta(schema) if is_embedded else schema, converter)

    def convert(value: Any) -> ObjectView:
        if value.__class__ is not dict:
            raise _invalid(value, "invalid data, expected a map for the provided schema with type=object")
        return ObjectView(value, shape)

    return convert


def _array_converter(schema: Schema) -> Converter:
    items = schema.get("items")
    if not items:
        return _without_items
    view = _LISTS.get(schema.get("x-kubernetes-list-type") or "", ListView)
    shape = ListShape(
        items, tuple(escaped(key) or key for key in schema.get("x-kubernetes-list-map-keys") or ()), converter
    )

    def convert(value: Any) -> ListView:
        if value.__class__ is not list:
            raise _invalid(value, "invalid data, expected an array for the provided schema with type=array")
        return view(value, shape)

    return convert


def _without_items(value: Any) -> Any:
    raise _invalid(value, "invalid array type, expected Items with a non-empty Schema")
