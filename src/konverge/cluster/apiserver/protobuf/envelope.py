"""Envelope: what every body in protobuf begins with: four bytes that say so, and the kind of what is in it."""

from __future__ import annotations

from typing import Final, NamedTuple

from konverge.cluster.apiserver.protobuf.bad_message import BadMessage
from konverge.cluster.apiserver.protobuf.scalar import SCALARS
from konverge.cluster.apiserver.protobuf.wire import LENGTH, Known, parts

PREFIX: Final = b"k8s\x00"
_TYPE, _RAW = 1, 2
_API_VERSION, _KIND = 1, 2
_UNKNOWN: Final = {_TYPE: Known("TypeMeta", (LENGTH,)), _RAW: Known("Raw", (LENGTH,))}
_TYPE_META: Final = {_API_VERSION: Known("APIVersion", (LENGTH,)), _KIND: Known("Kind", (LENGTH,))}


class Envelope(NamedTuple):
    """A kind, empty where the sender did not say, and the bytes of its message."""

    api_version: str
    kind: str
    raw: bytes


def read_envelope(body: bytes) -> Envelope:
    """Open a body; raise `BadMessage` in Go's words."""
    if not body:
        raise BadMessage("empty data")
    if not body.startswith(PREFIX):
        prefix = " ".join(str(byte) for byte in PREFIX)
        raise BadMessage(f"provided data does not appear to be a protobuf message, expected prefix [{prefix}]")
    if len(body) == len(PREFIX):
        raise BadMessage("empty body")
    api_version, kind, raw = "", "", b""
    for number, _, content in parts(body[len(PREFIX) :], _UNKNOWN, "Unknown"):
        if number == _TYPE:
            api_version, kind = _type_of(content)
        else:
            raw = content
    return Envelope(api_version, kind, raw)


def _type_of(data: bytes) -> tuple[str, str]:
    found = {_API_VERSION: "", _KIND: ""}
    for number, _, content in parts(data, _TYPE_META, "TypeMeta"):
        found[number] = SCALARS["string"].read(content)
    return found[_API_VERSION], found[_KIND]
