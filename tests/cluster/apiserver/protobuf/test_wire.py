from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.apiserver.openapi.protobuf import length_delimited
from konverge.cluster.apiserver.openapi.protobuf import varint as written
from konverge.cluster.apiserver.protobuf.bad_message import BadMessage
from konverge.cluster.apiserver.protobuf.wire import FIXED32, FIXED64, LENGTH, VARINT, Known, Part, parts, varint

KNOWN = {1: Known("One", (LENGTH,)), 2: Known("Two", (VARINT,)), 3: Known("Three", (FIXED64,))}


@given(st.integers(0, (1 << 64) - 1))
def test_a_number_is_read_as_it_was_written(number: int) -> None:
    """Seven bits a byte, the lowest first."""
    data = written(number)
    assert varint(data, 0) == (number, len(data))


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Nothing but `BadMessage` is raised, whatever arrives."""
    found: list[Part] = []
    with suppress(BadMessage):
        found += parts(data, KNOWN, "Any")
    assert all(part.form in KNOWN[part.number].forms for part in found)


def test_known_fields_are_found_among_others() -> None:
    """Unknown fields of every form are passed over, groups included."""
    others = b"\x20\x01" + bytes([5 << 3 | FIXED32]) + b"1234" + b"\x33" + b"\x08\x07" + b"\x34"
    data = others + length_delimited(1, b"a") + others + b"\x10\x05" + bytes([3 << 3 | FIXED64]) + b"12345678"
    found = [(part.number, part.content) for part in parts(data, KNOWN)]
    assert found == [(1, b"a"), (2, 5), (3, b"12345678")]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x0a", "unexpected EOF"),
        (b"\x0a\x02a", "unexpected EOF"),
        (b"\x33\x08\x07", "unexpected EOF"),
        (b"\x08", "proto: wrong wireType = 0 for field One"),
        (b"\x34", "proto: It: wiretype end group for non-group"),
        (b"\x00", "proto: It: illegal tag 0 (wire type 0)"),
        (b"\x26", "proto: illegal wireType 6"),
        (b"\x80" * 11, "proto: integer overflow"),
        (b"\x0a" + written((1 << 64) - 1), "proto: negative length found during unmarshaling"),
    ],
)
def test_what_is_broken_is_refused_in_go_s_words(data: bytes, words: str) -> None:
    """The words are those of Go's generated code."""
    with pytest.raises(BadMessage) as error:
        list(parts(data, KNOWN, "It"))
    assert str(error.value) == words
