from __future__ import annotations

import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.api.watch import RawEvent, WatchDecoder
from konverge.errors import DecodeError

events = st.lists(
    st.builds(
        lambda kind, value: RawEvent(kind, msgspec.json.encode(value)),
        st.sampled_from(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]),
        st.dictionaries(st.text(max_size=3), st.text(max_size=5) | st.integers(-9, 9) | st.none(), max_size=3),
    ),
    max_size=8,
)


def _line(event: RawEvent) -> bytes:
    return b'{"type":"%s","object":%s}\n' % (event.type.encode(), event.object)


@given(events, st.data())
def test_chunks_may_be_cut_anywhere(expected: list[RawEvent], data: st.DataObject) -> None:
    """However the network cuts the bytes, inside a character too, the events are the same."""
    stream = b"".join(map(_line, expected))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    decoder = WatchDecoder(max_line=1000)
    found: list[RawEvent] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += decoder.feed(stream[start:end])
    assert found == expected
    assert decoder.close() == 0


def test_an_event_comes_as_soon_as_its_line_ends() -> None:
    """Nothing waits for the next chunk."""
    decoder = WatchDecoder()
    assert decoder.feed(b'{"type":"ADDED","object":{"a":1}}\n{"type":') == [RawEvent("ADDED", b'{"a":1}')]
    assert decoder.pending == 8
    assert decoder.feed(b'"DELETED","object":{"a": 2}}') == []
    assert decoder.feed(b"\n") == [RawEvent("DELETED", b'{"a": 2}')]
    assert decoder.pending == 0


def test_blank_lines_and_unknown_members_are_skipped() -> None:
    """Keep-alives and later additions to the protocol do no harm."""
    stream = b'\n\r\n  \n{"x":[{}],"object":{},"type":"ADDED"}\r\n\n'
    assert WatchDecoder().feed(stream) == [RawEvent("ADDED", b"{}")]


def test_an_error_event_is_an_event() -> None:
    """What to do about it is the client's decision."""
    line = b'{"type":"ERROR","object":{"kind":"Status","code":410}}\n'
    assert WatchDecoder().feed(line) == [RawEvent("ERROR", b'{"kind":"Status","code":410}')]


def test_the_object_does_not_keep_its_chunk_alive() -> None:
    """It is bytes of its own, not a view."""
    (event,) = WatchDecoder().feed(b'{"type":"ADDED","object":{"a":1}}\n')
    assert type(event.object) is bytes


def test_close_tells_what_was_cut_off() -> None:
    """A stream that ends inside a line was truncated; the decoder is empty after that."""
    decoder = WatchDecoder()
    decoder.feed(b'{"type":"ADDED","object":{}}\n{"type"')
    assert decoder.close() == 7
    assert decoder.close() == 0


@pytest.mark.parametrize(
    "line",
    [
        b"<html>bad gateway</html>",
        b'{"type":"ADDED"}',
        b'{"object":{}}',
        b'{"type":1,"object":{}}',
        b'{"type":"ADDED","object":{"a":}}',
        b'{"type":"\xff","object":{}}',
        b"[]",
        b'"x"',
        b"null",
    ],
)
def test_what_is_no_event_is_shown(line: bytes) -> None:
    """The error quotes the line at fault, unless it may hold an object: that might be a Secret."""
    with pytest.raises(DecodeError, match="is no event") as error:
        WatchDecoder().feed(b'{"type":"ADDED","object":{}}\n' + line + b"\n")
    shown = f"of {len(line)} bytes" if b"{" in line else repr(line)
    assert shown in str(error.value)


def test_a_bad_line_is_shown_in_part_only() -> None:
    """An error is no place for a whole object."""
    with pytest.raises(DecodeError) as error:
        WatchDecoder().feed(b"x" * 121 + b"\n")
    assert "x" * 120 in str(error.value)
    assert "x" * 121 not in str(error.value)


@pytest.mark.parametrize("chunk", [b"x" * 11, b"x" * 11 + b"\n", b"\n" + b"x" * 11])
def test_a_line_beyond_the_limit_is_refused(chunk: bytes) -> None:
    """The memory of an unfinished line is bounded, wherever the newline is."""
    decoder = WatchDecoder(max_line=10)
    with pytest.raises(DecodeError, match="more than 10 bytes"):
        decoder.feed(chunk)


def test_the_limit_counts_a_line_over_all_its_chunks() -> None:
    """Small chunks do not get around it, and several short lines in one chunk are no long one."""
    decoder = WatchDecoder(max_line=40)
    line = b'{"type":"ADDED","object":{}}\n'
    assert len(decoder.feed(line * 5)) == 5
    decoder.feed(b"x" * 30)
    with pytest.raises(DecodeError, match="more than 40 bytes"):
        decoder.feed(b"x" * 11)


def test_a_long_line_costs_linear_time() -> None:
    """A hundred megabytes in small chunks take CPU in proportion: quadratic work would take minutes."""
    chunk = b"x" * 16_384
    count = 100_000_000 // len(chunk)
    decoder = WatchDecoder()
    began = time.process_time()
    decoder.feed(b'{"type":"ADDED","object":"')
    for _ in range(count):
        decoder.feed(chunk)
    (event,) = decoder.feed(b'"}\n')
    assert len(event.object) == count * len(chunk) + 2
    assert time.process_time() - began < 20


def deep(levels: int = 20_000) -> bytes:
    """An object that is nested more deeply than any interpreter follows."""
    return b'{"kind":"Deep","spec":' + b'{"a":' * levels + b"1" + b"}" * levels + b"}"


def test_an_object_that_is_nested_too_deeply_is_an_event_of_its_own() -> None:
    """It fails where it is read; the events around it are what they are."""
    line = b'{"type":"ADDED","object":%s}\n'
    events = WatchDecoder().feed(line % b'{"a":1}' + line % deep() + line % b'{"b":2}')
    assert [event.object for event in events] == [b'{"a":1}', deep(), b'{"b":2}']
    assert {event.type for event in events} == {"ADDED"}


@pytest.mark.parametrize("other", [b'{"object":%s,"type":"ADDED"}\n' % deep(), b"no json\n"])
def test_a_line_that_is_no_event_beside_a_deep_one_is_an_error(other: bytes) -> None:
    """What cannot be told apart is a DecodeError, never a RecursionError."""
    with pytest.raises(DecodeError, match=r"nested too deeply|no event"):
        WatchDecoder().feed(b'{"type":"ADDED","object":%s}\n' % deep() + other)
