"""Scalars on their way out: from JSON to their content on the wire; the mirror of `scalar`."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from konverge.cluster.apiserver.openapi.protobuf import varint

_64_BITS: Final = (1 << 64) - 1


class ScalarWriter(NamedTuple):
    """A type: what is written where nothing was set (None: nothing), and how its content is written."""

    zero: bytes | None
    content: Callable[[Any], bytes]


def number(value: int) -> bytes:
    """Return a whole number; a negative one has all of the 64 bits, as in Go."""
    return varint(value & _64_BITS)


def _integer(value: float) -> bytes:
    return number(int(value))


def _truth(value: object) -> bytes:
    return b"\x01" if value else b"\x00"


def _double(value: float) -> bytes:
    return struct.pack("<d", value)


SCALAR_WRITERS: Final = {
    "string": ScalarWriter(b"", str.encode),
    "bytes": ScalarWriter(None, base64.b64decode),
    "bool": ScalarWriter(b"\x00", _truth),
    "int32": ScalarWriter(b"\x00", _integer),
    "int64": ScalarWriter(b"\x00", _integer),
    "double": ScalarWriter(bytes(8), _double),
}
