from __future__ import annotations

import itertools
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.streaming.spdy_frames import (
    DICTIONARY,
    BadSpdy,
    Data,
    Frame,
    GoAway,
    Ping,
    RstStream,
    SpdyReader,
    SpdyWriter,
    SynReply,
    SynStream,
)

IDS = st.integers(1, 2**31 - 1)
NAMES = st.text("abcdefgh-", min_size=1, max_size=12)
HEADERS = st.dictionaries(NAMES, st.text(max_size=20), max_size=4)
FRAMES = st.lists(
    st.one_of(
        st.builds(SynStream, IDS, HEADERS, st.booleans()),
        st.builds(SynReply, IDS, HEADERS, st.booleans()),
        st.builds(RstStream, IDS, st.integers(1, 11)),
        st.builds(Ping, st.integers(1, 2**32 - 1)),
        st.builds(GoAway, IDS, st.integers(0, 2)),
        st.builds(Data, IDS, st.binary(max_size=200), st.booleans()),
    ),
    max_size=8,
)


def test_the_dictionary_is_the_protocols() -> None:
    """By its checksum, which every SPDY/3 header block carries: taken from a block that Go's spdystream wrote."""
    assert (len(DICTIONARY), zlib.adler32(DICTIONARY)) == (1423, 0xE3C6A7C2)


@given(frames=FRAMES, cuts=st.lists(st.integers(0, 5000), max_size=8))
def test_frames_come_out_as_they_went_in_whatever_the_cuts(frames: list[Frame], cuts: list[int]) -> None:
    """Every frame once, in order; header blocks share one compressed flow."""
    writer, reader = SpdyWriter(), SpdyReader()
    data = b"".join(map(writer.write, frames))
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    found = [frame for start, end in itertools.pairwise(places) for frame in reader.feed(data[start:end])]
    assert found == frames


def _control(kind: int, body: bytes, version: int = 3) -> bytes:
    return struct.pack(">II", 0x80000000 | version << 16 | kind, len(body)) + body


def _block(headers: bytes) -> bytes:
    deflate = zlib.compressobj(zdict=DICTIONARY)
    return deflate.compress(headers) + deflate.flush(zlib.Z_SYNC_FLUSH)


@pytest.mark.parametrize(
    "data",
    [
        _control(1, b"\0\0\0\1" + bytes(6) + b"nonsense"),  # not compressed
        _control(1, b"\0\0\0\1" + bytes(6) + _block(struct.pack(">II", 1, 99) + b"short")),  # a header that is cut
        _control(1, b"\0\0\0\1" + bytes(6) + _block(struct.pack(">I", 100_000))),  # too many
        _control(1, b"\0\0\0\1" + bytes(6) + _block(bytes(2 << 20))),  # a small block that becomes a large one
        _control(1, b"\0\0"),  # too short
        _control(3, b"\0\0\0\0\0\0\0\1"),  # of no stream
        _control(6, b"\0\0\0\1", version=2),
        struct.pack(">II", 0, 1) + b"x",  # data of no stream
    ],
)
def test_what_cannot_be_read(data: bytes) -> None:
    """Ends the connection: nothing after it could be understood."""
    with pytest.raises(BadSpdy):
        SpdyReader().feed(data)


def test_frames_that_nothing_depends_on_are_passed_over() -> None:
    """Settings and windows; what follows them is read."""
    data = _control(4, bytes(4)) + _control(9, bytes(8)) + SpdyWriter().write(Ping(1))
    assert SpdyReader().feed(data) == [Ping(1)]
