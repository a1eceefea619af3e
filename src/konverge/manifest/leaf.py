"""The schema of types that are made of nothing else: scalars, choices, and the two unions that servers know."""

from __future__ import annotations

import enum
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import msgspec

from konverge.api.choice import values_of
from konverge.api.quantity import Quantity
from konverge.api.time import MicroTime
from konverge.manifest.constraint import Schema
from konverge.manifest.description import class_description
from konverge.manifest.place import Place

_LEAVES: Final[dict[Any, Schema]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    bytes: {"type": "string", "format": "byte"},
    datetime: {"type": "string", "format": "date-time"},
    MicroTime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    UUID: {"type": "string", "format": "uuid"},
    Any: {"x-kubernetes-preserve-unknown-fields": True},
    object: {"x-kubernetes-preserve-unknown-fields": True},
    msgspec.Raw: {"x-kubernetes-preserve-unknown-fields": True},
}
_REMEDIES: Final[dict[Any, str]] = {
    timedelta: "use kv.DurationText, and kv.parse_duration to compute with it",
    Quantity: "use kv.QuantityText, and kv.Quantity to compute with it",
    Decimal: "use kv.QuantityText or str",
    time: "use str with a kv.Pattern",
    set: "use a list with kv.ListSet()",
    frozenset: "use a list with kv.ListSet()",
    tuple: "use a list",
    complex: "use a model of two numbers",
}
_EITHER: Final[Schema] = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
_QUANTITY: Final = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
_JSON_TYPES: Final = {str: "string", bool: "boolean", int: "integer", float: "number"}


def leaf_schema(kind: Any, place: Place) -> Schema:
    """Return the schema of a scalar, or refuse a type that has none."""
    try:
        if kind in _LEAVES:
            return dict(_LEAVES[kind])
    except TypeError:  # not hashable, so certainly none of them
        pass
    origin = getattr(kind, "__origin__", kind)
    remedy = _REMEDIES.get(origin, "use str, int, bool, list, dict[str, …] or a subclass of kv.Model")
    raise place.refusal(f"{getattr(kind, '__name__', kind)} has no form in a CRD", remedy)


def union_schema(options: tuple[Any, ...], place: Place) -> Schema:
    """Return the schema of a type that may be one of several."""
    match set(options):
        case found if found == {int, str}:
            return {**_EITHER}
        case found if found == {int, str, float}:
            return {**_EITHER, "pattern": _QUANTITY}
        case found if found == {int, float}:
            return {"type": "number"}
    names = " | ".join(getattr(option, "__name__", str(option)) for option in options)
    raise place.refusal(
        f"{names or 'None'} has no form in a CRD, where a field has one type",
        "write a model with an optional attribute for each case, and @kv.schema(kv.ExactlyOneOf(…)) on it",
    )


def choice_schema(kind: Any, place: Place) -> Schema:
    """Return the schema of an enum or a literal: its values, which are all of one type."""
    values = values_of(kind) or ()
    types = {_JSON_TYPES.get(type(value)) for value in values}
    if len(types) != 1 or None in types:
        raise place.refusal("the values of an enum must be of one type", "make them all str, or all int")
    found: Schema = {"type": types.pop(), "enum": list(values)}
    text = class_description(kind) if isinstance(kind, type) and issubclass(kind, enum.Enum) else ""
    return {**found, "description": text} if text else found
