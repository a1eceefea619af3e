"""What is encoded once, and kept for how long."""

from __future__ import annotations

import gc

from konverge.cluster.apiserver.encodings import Encoded, Encodings


def test_once() -> None:
    """A line is encoded when it is first asked for."""
    encoded = Encoded()
    first = encoded.line((1, "ADDED"), lambda: b"line")
    assert encoded.line((1, "ADDED"), lambda: b"another") is first


def test_bounded() -> None:
    """Old lines are forgotten before they are too many, and one that is too long at once."""
    encoded = Encoded()
    for number in range(100):
        encoded.line(number, lambda: bytes(100_000))
    assert len(encoded) == 20
    assert len(encoded.line("long", lambda: bytes(10_000_000))) == 10_000_000
    assert len(encoded) == 0


def test_forms_are_apart_and_end_with_their_watchers() -> None:
    """Each form has its own lines, as long as someone holds them."""
    encodings = Encodings()
    plain, table = encodings.of("plain"), encodings.of("table")
    assert encodings.of("plain") is plain is not table
    plain.line(1, lambda: b"line")
    del plain
    gc.collect()
    assert len(encodings.of("plain")) == 0
