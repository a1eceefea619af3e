"""Stored: one object as the cache holds it: its JSON, of which only what everyone needs has been read.

The bytes are decoded into a type when someone reads the object, so every read is a private copy that is safe to
change, and nothing is held twice.
"""

from __future__ import annotations

from datetime import datetime
from typing import Generic

import msgspec
from msgspec import Raw

from konverge.api.form import Form, T
from konverge.api.kind import ObjectKey
from konverge.api.meta import OwnerReference
from konverge.api.model import encode
from konverge.api.object import read
from konverge.errors import DecodeError


class Header(msgspec.Struct, rename="camel"):
    """The metadata that predicates and handlers look at, without the rest of the object."""

    name: str | None = None
    namespace: str | None = None
    uid: str | None = None
    resource_version: str | None = None
    generation: int | None = None
    deletion_timestamp: datetime | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: list[OwnerReference] | None = None
    finalizers: list[str] | None = None

    @property
    def key(self) -> ObjectKey:
        """The namespace and name."""
        return ObjectKey(self.namespace or "", self.name or "")

    @property
    def version(self) -> int:
        """The resource version as the number it is, by which the server orders all writes; 0 if it is none."""
        return version_of(self.resource_version)


def version_of(resource_version: str | None) -> int:
    """Return a resource version as a number."""
    return int(resource_version) if resource_version and resource_version.isdigit() else 0


class Entry(msgspec.Struct, frozen=True, gc=False):
    """What the store keeps of an object: its bytes, and what tells two of them apart without reading them."""

    data: bytes
    uid: str
    version: int


class Stored(Generic[T]):
    """An object as it stands in the store; cheap to pass around, decoded by whoever wants more than its metadata."""

    __slots__ = ("_form", "_header", "entry")

    def __init__(self, entry: Entry, form: Form[T], header: Header | None = None) -> None:
        self.entry = entry
        self._form = form
        self._header = header

    @property
    def metadata(self) -> Header:
        """The metadata, decoded once."""
        if self._header is None:
            self._header = _HEADER.decode(self.entry.data).metadata
        return self._header

    @property
    def key(self) -> ObjectKey:
        """The namespace and name."""
        return self.metadata.key

    def read(self) -> T:
        """Decode the object: a new one each time, the caller's own."""
        return read_entry(self.entry, self._form)

    def __repr__(self) -> str:
        return f"Stored({self._form.gvk.kind} {self.key} at {self.entry.version})"


def read_entry(entry: Entry, form: Form[T]) -> T:
    """Decode an object out of the store."""
    return read(form.cls, entry.data)


class _Envelope(msgspec.Struct):
    metadata: Header


_HEADER = msgspec.json.Decoder(_Envelope)
_META: msgspec.json.Decoder[Header] = msgspec.json.Decoder(Header)
_FIELDS: msgspec.json.Decoder[dict[str, Raw]] = msgspec.json.Decoder(dict[str, Raw])
_WIRE = msgspec.json.Encoder()


def parse(data: bytes | Raw, *, head: dict[str, Raw], keep_managed_fields: bool = False) -> tuple[Header, Entry]:
    """Take an object in: read its header, drop its managedFields, and give it its own bytes.

    `head` is the apiVersion and kind: the items of a built-in list carry none, and metadata alone has those of its
    envelope.
    """
    try:
        fields = _FIELDS.decode(data)
        metadata = fields["metadata"]
        header = _META.decode(metadata)
        if not keep_managed_fields:
            meta = _FIELDS.decode(metadata)
            if meta.pop("managedFields", None) is not None:
                fields["metadata"] = Raw(_WIRE.encode(meta))
    except (msgspec.MsgspecError, KeyError) as error:
        kind = bytes(head["kind"]).decode().strip('"')
        raise DecodeError(f"an object of kind {kind} cannot be read: {error or 'no metadata'}") from error
    return header, Entry(_WIRE.encode({**fields, **head}), header.uid or "", header.version)


def head_of(form: Form[T]) -> dict[str, Raw]:
    """Return the apiVersion and kind that every object of a form has, ready to be put in front."""
    return {"apiVersion": Raw(encode(form.gvk.api_version)), "kind": Raw(encode(form.gvk.kind))}
