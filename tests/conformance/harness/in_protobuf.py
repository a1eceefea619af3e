"""What an answer in protobuf says, as JSON, so that two of them can be compared; and that it is written as Go does.

What is read is written again: the same bytes must come out, but for JSON that is carried inside, whose order is free.
"""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.openapi.protobuf import always_text, length_delimited
from konverge.cluster.apiserver.protobuf.captured import captured
from konverge.cluster.apiserver.protobuf.envelope import PREFIX, read_envelope
from konverge.cluster.apiserver.protobuf.message import read_message
from konverge.cluster.apiserver.protobuf.wire import LENGTH, Known, parts

__all__ = ["PREFIX", "content", "event"]

_EVENT: Final = {1: Known("Type", (LENGTH,)), 2: Known("Object", (LENGTH,))}
_CARRIED: Final = {1: Known("Raw", (LENGTH,))}


def content(body: bytes) -> Any:
    """Return an object: its kind, its fields, and how many bytes they are."""
    envelope = read_envelope(body)
    message = captured().find(envelope.api_version or "v1", envelope.kind)
    assert message is not None, f"{envelope.api_version} {envelope.kind}"
    value = read_message(message, envelope.raw)
    head = length_delimited(1, always_text(1, envelope.api_version) + always_text(2, envelope.kind))
    whole = PREFIX + head + length_delimited(2, envelope.raw) + always_text(3, "") + always_text(4, "")
    assert body == whole, "the envelope is another"
    written = captured().writer(envelope.api_version or "v1", envelope.kind).content(value)
    assert len(written) == len(envelope.raw), (written, envelope.raw)
    return {"kind": envelope.kind, "apiVersion": envelope.api_version, **value}


def event(frame: bytes) -> Any:
    """Return an event of a watch."""
    found = {number: part for number, _, part in parts(frame, _EVENT)}
    carried = [part for _, _, part in parts(found[2], _CARRIED)]
    return {"type": found[1].decode(), "object": content(carried[0])}
