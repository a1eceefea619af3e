"""What a schema alone says against an object's spec: fields that must be there, and values of enumerations.

The least that is asked of a kind that has no rules of its own yet; one that has judges all of this itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.go_scalar import GoType, Scalar
from konverge.cluster.apiserver.builtin.go_type import Listing, Map, Struct
from konverge.cluster.apiserver.field_error import FieldError

_MAY_BE_EMPTY: Final = {"value"}  # a text that is asked for and may be empty: that of an HTTP header


def schema_errors(kind: GoType, value: Any, path: str) -> Iterator[FieldError]:
    """Judge a value by its type."""
    if value is None:
        return
    if isinstance(kind, Struct):
        yield from _missing(kind, value, path)
        for name, item in value.items():
            yield from schema_errors(kind.fields[name].kind, item, f"{path}.{name}")
    elif isinstance(kind, Listing):
        for index, item in enumerate(value):
            yield from schema_errors(kind.item, item, f"{path}[{index}]")
    elif isinstance(kind, Map):
        for name, item in value.items():
            yield from schema_errors(kind.item, item, f"{path}[{name}]")
    elif isinstance(kind, Scalar) and kind.choices and value and value not in kind.choices:
        yield field_error.not_supported(path, value, kind.choices)


def _missing(kind: Struct, value: Any, path: str) -> Iterator[FieldError]:
    for name in kind.required:
        member = kind.fields[name].kind
        is_text = isinstance(member, Scalar) and member.base == "string" and name not in _MAY_BE_EMPTY
        if (is_text and not value.get(name)) or (isinstance(member, Struct) and value.get(name) is None):
            yield field_error.required(f"{path}.{name}")
