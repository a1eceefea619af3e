"""What a field's schema says about its form and its documentation, as values that stand in `Annotated[...]`.

`schema` puts markers on a class: they hold wherever it is used, and for the classes made from it::

    @schema(ExactlyOneOf("config_map", "secret"), Title("Where to read from"))
    class Source(kv.Model): ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec

C = TypeVar("C", bound=type)


class Format(msgspec.Struct, frozen=True):
    """What kind of text or number it is: `Format("email")`, `Format("int32")`."""

    name: str


Int32: TypeAlias = Annotated[int, Format("int32")]
"""A whole number of 32 bits, as most numbers of Kubernetes' own kinds are."""

Int64: TypeAlias = Annotated[int, Format("int64")]
"""A whole number of 64 bits."""


class Type(msgspec.Struct, frozen=True):
    """The JSON type, where the attribute's own type does not tell it."""

    name: Literal["string", "number", "integer", "boolean", "array", "object"]


class Nullable(msgspec.Struct, frozen=True):
    """The wire may say null (`kv.NULL`), and the server stores it; without this it drops a null."""


class Title(msgspec.Struct, frozen=True):
    """A title for tools that show the schema."""

    text: str


class Doc(msgspec.Struct, frozen=True):
    """The description; it goes before the string below the attribute, and needs no source to be read."""

    text: str


class Example(msgspec.Struct, frozen=True):
    """A value for tools that show the schema."""

    value: Any


class ExternalDocs(msgspec.Struct, frozen=True):
    """Where there is more to read."""

    url: str
    description: str | None = None


class PreserveUnknownFields(msgspec.Struct, frozen=True):
    """The server keeps the fields that the schema does not name, where it would drop them."""


class EmbeddedResource(msgspec.Struct, frozen=True):
    """A whole object: the server asks for its apiVersion and kind and checks its metadata."""


class Schemaless(msgspec.Struct, frozen=True):
    """The attribute's type gives no schema: the other markers beside this one are all of it."""


def schema(*markers: Any) -> Callable[[C], C]:
    """Put markers on a class."""

    def decorate(cls: C) -> C:
        cls.__markers__ = (*markers, *cls.__dict__.get("__markers__", ()))  # type: ignore[attr-defined]
        return cls

    return decorate


def markers_of(cls: type) -> tuple[Any, ...]:
    """Return the markers of a class: those of the classes it is made from first."""
    return tuple(marker for part in reversed(cls.__mro__) for marker in part.__dict__.get("__markers__", ()))
