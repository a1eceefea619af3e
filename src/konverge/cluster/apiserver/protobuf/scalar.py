"""Scalars: the values that are no messages, from their content on the wire to JSON."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from konverge.cluster.apiserver.protobuf.wire import FIXED64, LENGTH, VARINT, varint

_LARGEST_PLAIN: Final = 1e21  # from here on Go writes an exponent


class Scalar(NamedTuple):
    """A type: its form on the wire, what Go has where nothing was set, and how its content is read."""

    form: int
    zero: Any
    read: Callable[[Any], Any]


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _signed(bits: int) -> Callable[[int], int]:
    most, span = 1 << (bits - 1), 1 << bits

    def read(content: int) -> int:
        low = content & (span - 1)
        return low - span if low >= most else low

    return read


def _double(content: bytes) -> int | float:
    number: float = struct.unpack("<d", content)[0]
    return int(number) if number.is_integer() and abs(number) < _LARGEST_PLAIN else number


SCALARS: Final = {
    "string": Scalar(LENGTH, "", _text),
    "bytes": Scalar(LENGTH, None, _base64),
    "bool": Scalar(VARINT, False, bool),
    "int32": Scalar(VARINT, 0, _signed(32)),
    "int64": Scalar(VARINT, 0, _signed(64)),
    "double": Scalar(FIXED64, 0, _double),
}


def unpacked(content: bytes) -> list[int]:
    """Return numbers that stand in one field, one after the other."""
    found, position = [], 0
    while position < len(content):
        number, position = varint(content, position)
        found.append(number)
    return found
