"""The CEL type of a schema, with what its sizes can be: what `self` is.

A part of a schema without a type (unknown fields are kept, or a list without items) has no CEL type: it cannot be
named in a rule. Sizes are limits of the schema, or what fits into a request of 3 MiB.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from konverge.cluster.apiserver.cel.estimate import Estimate
from konverge.cluster.apiserver.cel.property_name import escaped
from konverge.cluster.apiserver.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    Type,
    list_of,
    map_of,
    struct,
)

Schema: TypeAlias = Mapping[str, Any]

LARGEST_REQUEST: Final = 3 * 1024 * 1024
_LARGEST_STRING: Final = LARGEST_REQUEST - 2  # without its quotes
_BYTES_PER_CHARACTER: Final = 4
_STRING_SCHEMA: Final[Schema] = {"type": "string"}


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredType:
    """A schema's type: a scalar, a list (`element`), a map (`key` and `element`) or an object (`fields`)."""

    scalar: Type | None = None
    element: DeclaredType | None = None
    key: DeclaredType | None = None
    fields: Mapping[str, DeclaredType] | None = None  # by escaped name
    max_elements: int = 0  # characters, items or properties
    min_size: int = 2  # the bytes of the smallest such value in JSON

    def named(self, name: str, structs: dict[str, Mapping[str, Type]]) -> Type:
        """Return the CEL type; objects are named by where they stand, and their fields put into `structs`."""
        if self.scalar is not None:
            return self.scalar
        if self.fields is not None:
            structs[name] = {each: type_.named(f"{name}.{each}", structs) for each, type_ in self.fields.items()}
            return struct(name)
        assert self.element is not None  # noqa: S101 - what is no scalar and no object holds elements
        if self.key is not None:
            return map_of(STRING, self.element.named(f"{name}.@elem", structs))
        return list_of(self.element.named(f"{name}.@idx", structs))

    def size_of(self, path: list[str]) -> Estimate | None:
        """Return the size of what a path leads to, which begins at a variable: `self`, or one of a fold."""
        node: DeclaredType | None = self
        for name in path[1:]:
            node = node.below(name) if node is not None else None
        return None if node is None else Estimate(0, node.max_elements)

    def below(self, name: str) -> DeclaredType | None:
        """Return the type of a field, or of the items, values or keys."""
        if name in {"@items", "@values"}:
            return self.element
        if name == "@keys":
            return self.key
        return self.fields.get(name) if self.fields is not None else None


_BOOL: Final = DeclaredType(BOOL, min_size=4)
_DOUBLE: Final = DeclaredType(DOUBLE, min_size=1)
_INT: Final = DeclaredType(INT, min_size=1)
_KEY: Final = DeclaredType(STRING)


def declared_type(schema: Schema, *, is_resource_root: bool = False) -> DeclaredType | None:
    """Return the type of a schema, where it has one."""
    if schema.get("x-kubernetes-int-or-string"):
        limit = schema.get("maxLength")
        return DeclaredType(DYN, max_elements=_LARGEST_STRING if limit is None else _in_bytes(limit), min_size=1)
    if is_resource_root:
        schema = _with_metadata(schema)
    reader = _READERS.get(schema.get("type") or "")
    return None if reader is None else reader(schema)


def _child(schema: Schema) -> DeclaredType | None:
    return declared_type(schema, is_resource_root=bool(schema.get("x-kubernetes-embedded-resource")))


def _list(schema: Schema) -> DeclaredType | None:
    items = schema.get("items")
    element = _child(items) if isinstance(items, Mapping) else None
    if element is None:
        return None
    limit = schema.get("maxItems")
    most = (LARGEST_REQUEST - 2) // (element.min_size + 1) if limit is None else max(limit, 0)
    return DeclaredType(element=element, max_elements=most)


def _object(schema: Schema) -> DeclaredType | None:
    additional = schema.get("additionalProperties")
    if isinstance(additional, Mapping):
        return _map(schema, additional)
    required = frozenset(schema.get("required") or ())
    fields: dict[str, DeclaredType] = {}
    min_size = 2
    for name, property_ in (schema.get("properties") or {}).items():
        type_ = _child(property_)
        if type_ is None:
            continue
        identifier = escaped(name)
        if identifier is not None:
            fields[identifier] = type_
        if name in required and property_.get("default") is None:
            min_size += len(name.encode()) + type_.min_size + 4
    return DeclaredType(fields=fields, min_size=min_size)


def _map(schema: Schema, additional: Schema) -> DeclaredType | None:
    element = _child(additional)
    if element is None:
        return None
    limit = schema.get("maxProperties")
    most = (LARGEST_REQUEST - 2) // (element.min_size + 6) if limit is None else max(limit, 0)
    return DeclaredType(key=_KEY, element=element, max_elements=most)


def _string(schema: Schema) -> DeclaredType:
    format_ = schema.get("format") or ""
    if format_ in _TIMES:
        return _TIMES[format_]
    limit = schema.get("maxLength")
    if format_ == "byte":
        return DeclaredType(BYTES, max_elements=_LARGEST_STRING if limit is None else max(limit, 0))
    if limit is not None:
        return DeclaredType(STRING, max_elements=_in_bytes(limit))
    values = schema.get("enum")
    if values:
        longest = max((len(value.encode()) for value in values if isinstance(value, str)), default=0)
        return DeclaredType(STRING, max_elements=longest)
    return DeclaredType(STRING, max_elements=_LARGEST_STRING)


def _in_bytes(max_length: int) -> int:
    return max(max_length, 0) * _BYTES_PER_CHARACTER


def _with_metadata(schema: Schema) -> Schema:
    """Return the schema of a whole resource: its apiVersion, kind and name are always known."""
    properties = schema.get("properties") or {}
    metadata = properties.get("metadata") or {}
    named = metadata.get("properties") or {}
    strings = (properties.get("kind"), properties.get("apiVersion"), named.get("name"), named.get("generateName"))
    if metadata.get("type") == "object" and all((each or {}).get("type") == "string" for each in strings):
        return schema
    known = {
        "kind": _STRING_SCHEMA,
        "apiVersion": _STRING_SCHEMA,
        "metadata": {"type": "object", "properties": {"name": _STRING_SCHEMA, "generateName": _STRING_SCHEMA}},
    }
    return {**schema, "properties": {**properties, **known}}


_TIMES: Final = {
    "duration": DeclaredType(DURATION, max_elements=32, min_size=3),
    "date": DeclaredType(TIMESTAMP, max_elements=12, min_size=12),
    "date-time": DeclaredType(TIMESTAMP, max_elements=32, min_size=21),
}
_READERS: Final[dict[str, Callable[[Schema], DeclaredType | None]]] = {
    "array": _list,
    "object": _object,
    "string": _string,
    "boolean": lambda _: _BOOL,
    "number": lambda _: _DOUBLE,
    "integer": lambda _: _INT,
}
