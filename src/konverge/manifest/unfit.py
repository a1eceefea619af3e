"""Unfit defaults: those that the field's own schema refuses. No server takes a CRD with one. Pure.

Looked at is what one value can be held against: types, bounds, enums, patterns. Rules in CEL are the server's to judge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

Schema = Mapping[str, Any]
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_BOUNDS: Final[Mapping[str, tuple[type | tuple[type, ...], Callable[[Any, Any], bool]]]] = {
    "minimum": ((int, float), lambda value, bound: value >= bound),
    "maximum": ((int, float), lambda value, bound: value <= bound),
    "minLength": (str, lambda value, bound: len(value) >= bound),
    "maxLength": (str, lambda value, bound: len(value) <= bound),
    "minItems": (list, lambda value, bound: len(value) >= bound),
    "maxItems": (list, lambda value, bound: len(value) <= bound),
    "minProperties": (dict, lambda value, bound: len(value) >= bound),
    "maxProperties": (dict, lambda value, bound: len(value) <= bound),
}


def unfit(value: Any, schema: Schema) -> str:
    """Return what of a schema a value is against, such as "minimum 5"; empty if nothing is."""
    if value is None:
        return ""
    return next(_against(value, schema), "")


def _against(value: Any, schema: Schema) -> Iterator[str]:
    if not _is_of(value, schema.get("type", "")):
        yield f"type {schema['type']}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"enum {schema['enum']}"
    for keyword, (kinds, holds) in _BOUNDS.items():
        if keyword in schema and isinstance(value, kinds) and not holds(value, schema[keyword]):
            yield f"{keyword} {schema[keyword]}"
    if isinstance(value, str) and not _fits(schema.get("pattern", ""), value):
        yield f"pattern {schema['pattern']}"
    for part, below in _parts(value, schema):
        yield from _against(part, below)


def _is_of(value: Any, name: str) -> bool:
    if isinstance(value, bool) and name:
        return name == "boolean"
    return not name or isinstance(value, _TYPES[name]) or (name == "integer" and value == _whole(value))


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, float) else None


def _fits(pattern: str, value: str) -> bool:
    try:
        return re.search(pattern, value) is not None
    except re.error:  # the server's patterns are Go's
        return True


def _parts(value: Any, schema: Schema) -> Iterator[tuple[Any, Schema]]:
    if isinstance(value, list):
        yield from ((each, schema.get("items") or {}) for each in value)
    if isinstance(value, dict):
        rest: Schema = schema.get("additionalProperties") or {}
        properties: Mapping[str, Schema] = schema.get("properties") or {}
        yield from ((each, properties.get(name, rest)) for name, each in value.items() if each is not None)
