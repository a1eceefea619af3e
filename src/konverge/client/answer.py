"""Whether an answer is about what was asked for: a proxy, or a server gone wrong, may answer 200 with anything.

Looked at before an object at hand becomes what was answered; what an answer does not say is not held against it.
"""

from __future__ import annotations

import msgspec

from konverge.api.form import Form, T
from konverge.errors import DecodeError

_METADATA_ONLY = "PartialObjectMetadata"


class _Metadata(msgspec.Struct):
    name: str | None = None


class Envelope(msgspec.Struct):
    """What an answer says of itself."""

    kind: str = ""
    metadata: _Metadata | None = None

    @property
    def name(self) -> str:
        """The name of the object, as far as it has one."""
        return (self.metadata and self.metadata.name) or ""


_ENVELOPE = msgspec.json.Decoder(Envelope)


def envelope(data: bytes) -> Envelope:
    """Read what an answer says of itself; what is no JSON object is a DecodeError."""
    try:
        return _ENVELOPE.decode(data)
    except msgspec.MsgspecError as error:
        raise DecodeError(f"the answer is no object of an API server, but perhaps of a proxy: {error}") from error


def check_answer(data: bytes, form: Form[T], name: str = "") -> None:
    """Refuse an answer that is of another kind than was asked for, or of another object."""
    found, kind = envelope(data), form.gvk.kind
    if found.kind and found.kind != kind and not (form.metadata_only and found.kind == _METADATA_ONLY):
        raise DecodeError(f'the server answered with a {_short(found.kind)} "{_short(found.name)}", not with a {kind}')
    if name and found.name and found.name != name:
        raise DecodeError(f'the server answered with {kind} "{_short(found.name)}", not with "{name}"')


def _short(text: str) -> str:
    """Enough of a text to know it by; the bytes may be anyone's."""
    return text[:80] if text.isprintable() else repr(text[:80])
