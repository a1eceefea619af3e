"""Answers in protobuf, made of the JSON that the verbs answer with: objects, lists, the events of a watch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from konverge.cluster.apiserver.openapi.protobuf import always_text, length_delimited
from konverge.cluster.apiserver.protobuf.captured import captured
from konverge.cluster.apiserver.protobuf.envelope import PREFIX
from konverge.cluster.apiserver.protobuf.message import JsonObject

_UNGROUPED: Final = "v1"  # where a kind is found that says no version: the versions of the core group
_TYPE, _RAW, _ENCODING, _CONTENT_TYPE = 1, 2, 3, 4  # of an envelope
_ITEMS: Final = 2  # of every list of objects
_SIZE_OF_FRAME: Final = 4  # bytes that say how long an event is


def object_body(value: JsonObject) -> bytes:
    """Return an object, by the kind that it says."""
    api_version, kind = value.get("apiVersion", ""), value["kind"]
    return _enveloped(api_version, kind, captured().writer(api_version or _UNGROUPED, kind).content(value))


def item_writer(api_version: str, kind: str) -> Callable[[JsonObject], bytes]:
    """Return what makes an item of a list of an object."""
    write = captured().writer(api_version, kind).content
    return lambda value: length_delimited(_ITEMS, write(value))


def list_body(head: JsonObject, items: Iterable[bytes]) -> bytes:
    """Return a list: a head without items, and the items as `item_writer` made them."""
    api_version, kind = head["apiVersion"], head["kind"]
    metadata = captured().writer(api_version, kind).content({"metadata": head["metadata"]})
    return _enveloped(api_version, kind, b"".join((metadata, *items)))


def event_frame(kind: str, value: JsonObject) -> bytes:
    """Return an event of a watch, with its length in front."""
    carried = length_delimited(_TYPE, object_body(value))
    event = always_text(_TYPE, kind) + length_delimited(_RAW, carried)
    return len(event).to_bytes(_SIZE_OF_FRAME) + event


def _enveloped(api_version: str, kind: str, raw: bytes) -> bytes:
    head = length_delimited(_TYPE, always_text(1, api_version) + always_text(2, kind))
    end = always_text(_ENCODING, "") + always_text(_CONTENT_TYPE, "")
    return PREFIX + head + length_delimited(_RAW, raw) + end
