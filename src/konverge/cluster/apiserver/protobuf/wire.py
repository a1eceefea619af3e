"""The fields of a message as they stand in its bytes: number, form, content. What they mean is not known here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from konverge.cluster.apiserver.protobuf.bad_message import BadMessage

VARINT: Final = 0
FIXED64: Final = 1
LENGTH: Final = 2
GROUP: Final = 3
GROUP_END: Final = 4
FIXED32: Final = 5
_FIXED: Final = {FIXED64: 8, FIXED32: 4}
_MORE: Final = 0x80  # another byte of the number follows
_BITS: Final = 64
_LARGEST_NUMBER: Final = (1 << 31) - 1  # of a field
_64_BITS: Final = (1 << 64) - 1
_CUT_OFF: Final = "unexpected EOF"


class Known(NamedTuple):
    """A field that someone reads: what errors call it, and the forms it may have."""

    name: str
    forms: tuple[int, ...]


class Part(NamedTuple):
    """A field: `content` is a number for a varint, bytes for every other form."""

    number: int
    form: int
    content: Any


def parts(data: bytes, known: Mapping[int, Known], message: str = "") -> Iterator[Part]:
    """Yield the known fields of a message in their order; others are passed over, and so are groups of them."""
    position, depth = 0, 0
    while position < len(data):
        tag, position = varint(data, position)
        number, form = tag >> 3, tag & 7
        if not depth:
            _check(number, form, known=known.get(number), message=message)
        if form in (GROUP, GROUP_END):
            depth += 1 if form == GROUP else -1
            continue
        content, position = _content(data, position, form)
        if not depth and number in known:
            yield Part(number, form, content)
    if depth:
        raise BadMessage(_CUT_OFF)


def _check(number: int, form: int, *, known: Known | None, message: str) -> None:
    if form == GROUP_END:
        raise BadMessage(f"proto: {message}: wiretype end group for non-group")
    if not 0 < number <= _LARGEST_NUMBER:
        raise BadMessage(f"proto: {message}: illegal tag {_signed(number)} (wire type {form})")
    if known is not None and form not in known.forms:
        raise BadMessage(f"proto: wrong wireType = {form} for field {known.name}")


def _signed(number: int) -> int:
    low = number & 0xFFFFFFFF
    return low - (1 << 32) if low > _LARGEST_NUMBER else low


def _content(data: bytes, position: int, form: int) -> tuple[int | bytes, int]:
    if form == VARINT:
        return varint(data, position)
    if form == LENGTH:
        size, position = varint(data, position)
        if size >> (_BITS - 1):
            raise BadMessage("proto: negative length found during unmarshaling")
    else:
        size = _FIXED.get(form, -1)
        if size < 0:
            raise BadMessage(f"proto: illegal wireType {form}")
    end = position + size
    if end > len(data):
        raise BadMessage(_CUT_OFF)
    return data[position:end], end


def varint(data: bytes, position: int) -> tuple[int, int]:
    """Return the number that begins at a position, without a sign, and the position after it."""
    if position < len(data) and data[position] < _MORE:  # most numbers are small
        return data[position], position + 1
    value = shift = 0
    while True:
        if shift >= _BITS:
            raise BadMessage("proto: integer overflow")
        if position >= len(data):
            raise BadMessage(_CUT_OFF)
        byte = data[position]
        position += 1
        value |= (byte & (_MORE - 1)) << shift
        if byte < _MORE:
            return value & _64_BITS, position
        shift += 7
