"""What a module is made of before it is text: frozen values that `build` makes and `emit` writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Named:
    """A type by its name: a built-in one, one of this module, or one to import from `module`."""

    name: str
    module: str = ""


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list."""

    item: Type


@dataclass(frozen=True, slots=True)
class DictOf:
    """A dict with string keys."""

    value: Type


@dataclass(frozen=True, slots=True)
class OneOf:
    """A union; the order is the order of the text."""

    options: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Optional:
    """A type or None."""

    type: Type


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker of `konverge.api.markers` with the text of its arguments."""

    name: str
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Marked:
    """A type with markers."""

    type: Type
    markers: tuple[Marker, ...]


Type: TypeAlias = Named | ListOf | DictOf | OneOf | Optional | Marked

ANY = Named("Any", "typing")
STR = Named("str")
INT = Named("int")
FLOAT = Named("float")
BOOL = Named("bool")
BYTES = Named("bytes")
INT_OR_STR = OneOf((INT, STR))
ANY_DICT = DictOf(ANY)
DATETIME = Named("datetime", "datetime")
MICRO_TIME = Named("MicroTime", "konverge.api.time")
QUANTITY = Named("QuantityText", "konverge.api.meta")
OBJECT_META = Named("ObjectMeta", "konverge.api.meta")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One attribute of a class."""

    name: str
    wire_name: str
    type: Type
    markers: tuple[Marker, ...] = ()
    required: bool = False
    # A spec or status: it reads as an empty one of its class when it is absent.
    implied: bool = False
    doc: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What makes a class a kind: how its objects are addressed. The plural is empty where it has no path of its own."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    subresources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """One class of a module."""

    name: str
    doc: str
    attributes: tuple[Attribute, ...]
    kind: Kind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One file: the classes of one group and version."""

    name: str
    group: str
    version: str
    source: str  # what it was generated from, for its docstring
    classes: tuple[Class, ...]

    @property
    def kinds(self) -> tuple[Class, ...]:
        """The classes that are kinds."""
        return tuple(cls for cls in self.classes if cls.kind is not None)

    @property
    def api_version(self) -> str:
        """The group and version as an object's apiVersion has them."""
        return f"{self.group}/{self.version}" if self.group else self.version
