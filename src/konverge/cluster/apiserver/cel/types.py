"""CEL's types as the checker knows them: what they are, and how they are written in messages.

A type is a value: two types are equal where their kind, name and parameters are. How one is assigned to another is in
`assignability`; the fields of an object type are in the environment, by the type's name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, auto
from typing import Final


class Kind(IntEnum):
    """The category of a type."""

    DYN = auto()
    ANY = auto()
    BOOL = auto()
    BYTES = auto()
    DOUBLE = auto()
    DURATION = auto()
    ERROR = auto()
    INT = auto()
    LIST = auto()
    MAP = auto()
    NULL = auto()
    OPAQUE = auto()
    STRING = auto()
    STRUCT = auto()
    TIMESTAMP = auto()
    TYPE = auto()
    TYPE_PARAM = auto()
    UINT = auto()


@dataclass(frozen=True, slots=True)
class Type:
    """A type: `parameters` are a list's element, a map's key and value, an optional's value, or what `type()` is of."""

    kind: Kind
    name: str  # at run time: `int`, `list`, `kubernetes.Quantity`, `google.protobuf.Timestamp`
    parameters: tuple[Type, ...] = ()
    is_wrapper: bool = field(default=False, compare=False)  # a primitive that may be null

    def __str__(self) -> str:
        shown = _SHOWN.get(self.kind)
        if shown is not None:
            return shown
        if not self.parameters:
            return f"wrapper({self.name})" if self.is_wrapper else self.name
        return f"{self.name}({', '.join(map(str, self.parameters))})"

    @property
    def is_dyn(self) -> bool:
        """Whether nothing is known before the expression runs."""
        return self.kind in {Kind.DYN, Kind.ANY}

    @property
    def is_error(self) -> bool:
        """Whether the check has failed below, and has been reported."""
        return self.kind is Kind.ERROR

    @property
    def is_optional(self) -> bool:
        """Whether it is `optional_type(T)`."""
        return self.kind is Kind.OPAQUE and self.name == OPTIONAL_NAME

    def unwrapped(self) -> Type:
        """Return what an optional is of, and any other type as it is."""
        return self.parameters[0] if self.is_optional else self


_SHOWN: Final = {
    Kind.ANY: "any",
    Kind.DURATION: "duration",
    Kind.ERROR: "!error!",
    Kind.NULL: "null",
    Kind.TIMESTAMP: "timestamp",
}
OPTIONAL_NAME: Final = "optional_type"

DYN: Final = Type(Kind.DYN, "dyn")
ANY: Final = Type(Kind.ANY, "google.protobuf.Any")
BOOL: Final = Type(Kind.BOOL, "bool")
BYTES: Final = Type(Kind.BYTES, "bytes")
DOUBLE: Final = Type(Kind.DOUBLE, "double")
DURATION: Final = Type(Kind.DURATION, "google.protobuf.Duration")
ERROR: Final = Type(Kind.ERROR, "error")
INT: Final = Type(Kind.INT, "int")
NULL: Final = Type(Kind.NULL, "null_type")
STRING: Final = Type(Kind.STRING, "string")
TIMESTAMP: Final = Type(Kind.TIMESTAMP, "google.protobuf.Timestamp")
TYPE: Final = Type(Kind.TYPE, "type")
UINT: Final = Type(Kind.UINT, "uint")


def list_of(element: Type) -> Type:
    """`list(element)`."""
    return Type(Kind.LIST, "list", (element,))


def map_of(key: Type, value: Type) -> Type:
    """`map(key, value)`."""
    return Type(Kind.MAP, "map", (key, value))


def opaque(name: str, *parameters: Type) -> Type:
    """Name a type without fields, such as `kubernetes.Quantity`."""
    return Type(Kind.OPAQUE, name, parameters)


def optional_of(value: Type) -> Type:
    """`optional_type(value)`."""
    return Type(Kind.OPAQUE, OPTIONAL_NAME, (value,))


def struct(name: str) -> Type:
    """Name a type with declared fields: an object of a schema."""
    return WELL_KNOWN.get(name) or Type(Kind.STRUCT, name)


def wrapper(primitive: Type) -> Type:
    """Return a primitive type that may be null."""
    return Type(primitive.kind, primitive.name, is_wrapper=True)


def type_param(name: str) -> Type:
    """Name a type that each use decides: the `T` of `list(T)`."""
    return Type(Kind.TYPE_PARAM, name)


def type_of(instance: Type) -> Type:
    """`type(instance)`: the type of a type's name."""
    return Type(Kind.TYPE, "type", (instance,))


LIST: Final = list_of(DYN)
MAP: Final = map_of(DYN, DYN)

# The protobuf messages that are CEL's own types under another name.
WELL_KNOWN: Final = {
    "google.protobuf.BoolValue": wrapper(BOOL),
    "google.protobuf.BytesValue": wrapper(BYTES),
    "google.protobuf.DoubleValue": wrapper(DOUBLE),
    "google.protobuf.FloatValue": wrapper(DOUBLE),
    "google.protobuf.Int64Value": wrapper(INT),
    "google.protobuf.Int32Value": wrapper(INT),
    "google.protobuf.UInt64Value": wrapper(UINT),
    "google.protobuf.UInt32Value": wrapper(UINT),
    "google.protobuf.StringValue": wrapper(STRING),
    "google.protobuf.Any": ANY,
    "google.protobuf.Duration": DURATION,
    "google.protobuf.Timestamp": TIMESTAMP,
    "google.protobuf.ListValue": list_of(DYN),
    "google.protobuf.NullValue": NULL,
    "google.protobuf.Struct": map_of(STRING, DYN),
    "google.protobuf.Value": DYN,
}
