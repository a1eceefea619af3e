from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.streaming.websocket_frames import (
    LARGEST_MESSAGE,
    BadFrame,
    Frames,
    Message,
    Opcode,
    close_payload,
    frame,
)

MASK = b"\x01\x02\x03\x04"
MESSAGES = st.lists(
    st.tuples(st.sampled_from([Opcode.BINARY, Opcode.TEXT, Opcode.PING]), st.binary(max_size=300)), max_size=6
)


def pieces_of(data: bytes, cuts: list[int]) -> list[bytes]:
    """Cut bytes anywhere."""
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in itertools.pairwise(places)]


@given(messages=MESSAGES, cuts=st.lists(st.integers(0, 5000), max_size=8), mask=st.binary(min_size=4, max_size=4))
def test_messages_come_out_as_they_went_in_whatever_the_cuts(
    messages: list[tuple[Opcode, bytes]], cuts: list[int], mask: bytes
) -> None:
    """Every message once, in order, with its own bytes."""
    sent = [(opcode, payload[:125] if opcode is Opcode.PING else payload) for opcode, payload in messages]
    data = b"".join(frame(opcode, payload, mask=mask) for opcode, payload in sent)
    frames = Frames()
    found = [message for piece in pieces_of(data, cuts) for message in frames.feed(piece)]
    assert found == [Message(opcode, payload) for opcode, payload in sent]


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536, 200_000])
def test_every_way_to_write_a_length(size: int) -> None:
    """One byte, two or eight."""
    payload = bytes(index % 251 for index in range(size))
    assert Frames().feed(frame(Opcode.BINARY, payload, mask=MASK)) == [Message(Opcode.BINARY, payload)]


def test_a_message_in_parts_with_a_ping_between() -> None:
    """The ping comes first, then the whole message."""
    first = bytearray(frame(Opcode.BINARY, b"ab", mask=MASK))
    first[0] &= 0x7F  # not the last part
    last = frame(Opcode.CONTINUATION, b"cd", mask=MASK)
    found = Frames().feed(bytes(first) + frame(Opcode.PING, b"x", mask=MASK) + last)
    assert found == [Message(Opcode.PING, b"x"), Message(Opcode.BINARY, b"abcd")]


def _with(data: bytes, first: int) -> bytes:
    return bytes((first, *data[1:]))


@pytest.mark.parametrize(
    "data",
    [
        frame(Opcode.BINARY, b"a"),  # not masked
        _with(frame(Opcode.BINARY, b"a", mask=MASK), 0xC2),  # an extension's bit
        _with(frame(Opcode.BINARY, b"a", mask=MASK), 0x83),  # a kind that is none
        _with(frame(Opcode.PING, b"a", mask=MASK), 0x09),  # a control frame in parts
        frame(Opcode.PING, b"a" * 126, mask=MASK),  # a long one
        frame(Opcode.CONTINUATION, b"a", mask=MASK),  # of nothing
        _with(frame(Opcode.BINARY, b"a", mask=MASK), 0x02) * 2,  # a message within another
        b"\x82\xff" + (LARGEST_MESSAGE + 1).to_bytes(8),  # too long
    ],
)
def test_what_a_client_may_not_send(data: bytes) -> None:
    """Is refused at once, without waiting for its end."""
    with pytest.raises(BadFrame):
        Frames().feed(data)


def test_what_a_close_says() -> None:
    """A code, and as much of the reason as fits."""
    assert close_payload(1000) == b"\x03\xe8"
    assert len(close_payload(1002, "x" * 500)) == 125
