"""Protobuf, as far as a document needs it: fields are written by number; a default is not written."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any, Final

_VARINT: Final = 0
_FIXED64: Final = 1
_LENGTH: Final = 2
_SEVEN_BITS: Final = 0x7F
_64_BITS: Final = (1 << 64) - 1

Field = Callable[[int, Any], bytes]
Fields = Mapping[str, tuple[int, Field]]  # by the name in JSON: the number, and how the value is written


def varint(value: int) -> bytes:
    """Return an integer in groups of seven bits, the lowest first."""
    found = bytearray()
    while value > _SEVEN_BITS:
        found.append(value & _SEVEN_BITS | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def length_delimited(number: int, content: bytes) -> bytes:
    """Return a field that holds bytes: a text or a message."""
    return varint(number << 3 | _LENGTH) + varint(len(content)) + content


def text(number: int, value: str) -> bytes:
    """Return a text."""
    return length_delimited(number, value.encode()) if value else b""


def boolean(number: int, value: bool) -> bytes:  # noqa: FBT001 - a value to be written, not a switch
    """Return a truth value."""
    return varint(number << 3 | _VARINT) + b"\x01" if value else b""


def integer(number: int, value: float) -> bytes:
    """Return a whole number."""
    return varint(number << 3 | _VARINT) + varint(int(value) & _64_BITS) if value else b""


def double(number: int, value: float) -> bytes:
    """Return a number."""
    return varint(number << 3 | _FIXED64) + struct.pack("<d", value) if value else b""


def always_text(number: int, value: str) -> bytes:
    """Return a text that is one of several choices: it is written though it is empty."""
    return length_delimited(number, value.encode())


def always_boolean(number: int, value: bool) -> bytes:  # noqa: FBT001 - a value to be written, not a switch
    """Return a truth value that is one of several choices."""
    return varint(number << 3 | _VARINT) + (b"\x01" if value else b"\x00")


def always_double(number: int, value: float) -> bytes:
    """Return a number that is one of several choices."""
    return varint(number << 3 | _FIXED64) + struct.pack("<d", value)


def repeated(field: Field) -> Field:
    """Return how a list of such values is written."""
    return lambda number, values: b"".join(field(number, value) for value in values)


def message(encode: Callable[[Any], bytes]) -> Field:
    """Return how a message is written, given how its content is."""
    return lambda number, value: length_delimited(number, encode(value))


def encoded(value: Mapping[str, Any], fields: Fields) -> bytes:
    """Return a message's content: what a mapping has of these fields, in their order."""
    return b"".join(field(number, value[name]) for name, (number, field) in fields.items() if name in value)
