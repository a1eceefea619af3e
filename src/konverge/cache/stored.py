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
from konverge.api.kind import GroupVersionKind, ObjectKey
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


class TooDeep(DecodeError):
    """An object that no one can read, however often it is sent: nested deeper than the interpreter goes."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """What the store keeps of an object: its bytes, and what tells two of them apart without reading them."""

    data: bytes
    uid: str
    version: int


class Stored(Generic[T]):
    """An object as it stands in the store; cheap to pass around, decoded by whoever wants more than its metadata."""

    __slots__ = ("_form", "_header", "_key", "entry")

    def __init__(
        self, entry: Entry, form: Form[T], header: Header | None = None, *, key: ObjectKey | None = None
    ) -> None:
        self.entry = entry
        self._form = form
        self._header = header
        self._key = key

    @property
    def metadata(self) -> Header:
        """The metadata, decoded once."""
        if self._header is None:
            self._header = _HEADER.decode(self.entry.data).metadata
        return self._header

    @property
    def key(self) -> ObjectKey:
        """The namespace and name; where the store knows them, nothing is decoded."""
        if self._key is None:
            self._key = self.metadata.key
        return self._key

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


class _Taken(Header):
    """A header that also tells what the managed fields are."""

    managed_fields: Raw = Raw()


class _TakenEnvelope(msgspec.Struct):
    metadata: _Taken


class Head:
    """The apiVersion and kind that every object of a form has, and how the server begins to write such objects."""

    __slots__ = ("fields", "kind", "openings")

    def __init__(self, gvk: GroupVersionKind) -> None:
        self.kind = gvk.kind
        api_version, kind = encode(gvk.api_version), encode(gvk.kind)
        self.fields = {"apiVersion": Raw(api_version), "kind": Raw(kind)}
        # A custom resource has its fields sorted, a built-in kind in the order of the server's types.
        self.openings = (
            b'{"apiVersion":%b,"kind":%b,"metadata":{' % (api_version, kind),
            b'{"kind":%b,"apiVersion":%b,"metadata":{' % (kind, api_version),
        )


_HEADER = msgspec.json.Decoder(_Envelope)
_TAKEN = msgspec.json.Decoder(_TakenEnvelope)
_FIELDS: msgspec.json.Decoder[dict[str, Raw]] = msgspec.json.Decoder(dict[str, Raw])
_WIRE = msgspec.json.Encoder()
_NONE = Raw()
_MANAGED = b',"managedFields":'


def parse(data: bytes | Raw, *, head: Head, keep_managed_fields: bool = False) -> tuple[Header, Entry]:
    """Take an object in: read its header, drop its managedFields, and give it its own bytes.

    `head` is set where the object has another or none: the items of a built-in list carry none, and metadata alone
    has those of its envelope.
    """
    try:
        kept = bytes(data)
        header = _TAKEN.decode(kept).metadata
        managed = bytes(header.managed_fields)
        header.managed_fields = _NONE  # it would keep all of the data alive
        if keep_managed_fields or not kept.startswith(head.openings):
            kept = _rebuilt(kept, head, keep_managed_fields=keep_managed_fields)
        elif managed:
            kept = _cut(kept, managed, len(head.openings[0])) or _rebuilt(
                kept, head, keep_managed_fields=keep_managed_fields
            )
    except RecursionError as error:
        raise TooDeep(f"an object of kind {head.kind} is nested too deeply to be read") from error
    except msgspec.MsgspecError as error:
        raise DecodeError(f"an object of kind {head.kind} cannot be read: {error}") from error
    return header, Entry(kept, header.uid or "", header.version)


def _cut(data: bytes, managed: bytes, begin: int) -> bytes | None:
    """Cut the managed fields out of metadata that begins there: half of what it costs to rebuild the object.

    None where they are not found for certain: as the first of the metadata, or after a label of their name, which
    tells itself by what follows it.
    """
    start = data.find(_MANAGED, begin)
    value = start + len(_MANAGED)
    if start < 0 or not data.startswith(managed, value) or data.startswith(_MANAGED[1:], begin):
        return None
    return data[:start] + data[value + len(managed) :]


def _rebuilt(data: bytes, head: Head, *, keep_managed_fields: bool) -> bytes:
    """Write an object anew, field by field, from whatever it looks like."""
    fields = _FIELDS.decode(data)
    if not keep_managed_fields:
        metadata = _FIELDS.decode(fields["metadata"])
        if metadata.pop("managedFields", None) is not None:
            fields["metadata"] = Raw(_WIRE.encode(metadata))
    return _WIRE.encode({**fields, **head.fields})


def head_of(form: Form[T]) -> Head:
    """Return the apiVersion and kind that every object of a form has."""
    return Head(form.gvk)
