"""A body in protobuf, in two steps: what it claims to be, then its content as JSON."""

from __future__ import annotations

from konverge.cluster.apiserver.protobuf.captured import captured
from konverge.cluster.apiserver.protobuf.envelope import Envelope
from konverge.cluster.apiserver.protobuf.message import JsonObject, read_message

_OPTIONS = ("v1", "DeleteOptions")  # one message, though every group has a kind of this name


def read_content(envelope: Envelope, api_version: str, kind: str) -> JsonObject:
    """Return the object of a kind that the server knows, as JSON; raise `BadMessage`."""
    message = captured().find(api_version, kind)
    if message is None:
        raise LookupError(f"{api_version} {kind} is served, and its protobuf was not captured")
    return {"kind": kind, "apiVersion": api_version, **read_message(message, envelope.raw)}


def read_delete_options(envelope: Envelope) -> JsonObject:
    """Return the options of a deletion, which every group has as a kind of its own."""
    value = read_content(envelope, *_OPTIONS)
    return {**value, "apiVersion": envelope.api_version, "kind": envelope.kind}
