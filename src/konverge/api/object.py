"""Object: a typed value with an identity, that remembers the bytes it was read from.

`read` decodes an object and gives it its origin; `write` encodes it for the server: an object that was read goes out
as its origin plus the author's changes (see `round_trip`), one that the author built goes out as it shows. Copies
(`copy`, `deepcopy`, `pickle`, `copy.replace`) keep the origin, and so do the items of its lists.
"""

from __future__ import annotations

import copy
from functools import cache
from typing import Any, ClassVar, Self, TypeVar

import msgspec

from konverge.api.kind import GroupVersionKind, Resource
from konverge.api.meta import ObjectMeta
from konverge.api.model import Model, decode, encode, field, model_fields
from konverge.api.round_trip import Origin, merge, remember
from konverge.errors import RequestError

_EMPTY = (b"{}", b"null")

O = TypeVar("O", bound="Object")  # noqa: E741 - the house letter for objects, never a zero here


class Object(Model, dict=True):
    """Anything with a kind and metadata.

    A subclass for one kind sets `__resource__`. Where the server sends no `spec` or `status`, a subclass that
    declares them with `default_factory` reads them as empty; while empty they are not sent either.
    """

    __resource__: ClassVar[Resource]

    metadata: ObjectMeta = field(default_factory=ObjectMeta)

    @property
    def api_version(self) -> str:
        """The group and version, as the wire spells them."""
        return self.__resource__.api_version

    @property
    def kind(self) -> str:
        """The kind's name."""
        return self.__resource__.kind

    @property
    def gvk(self) -> GroupVersionKind:
        """The group, version and kind as one value."""
        return GroupVersionKind.parse(self.api_version, self.kind)

    def to_dict(self) -> dict[str, Any]:
        """Return the object as it would be sent, as plain dicts and lists."""
        result: dict[str, Any] = msgspec.json.decode(write(self))
        return result

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read an object from plain dicts and lists, such as a YAML file; unknown fields are kept."""
        return read(cls, encode(data))

    @classmethod
    def __decode__(cls, data: bytes | msgspec.Raw) -> Self:
        """Decode the bytes of one object."""
        return decode(cls, data)

    def __as_built__(self) -> bytes:
        """Encode an object of the author's making, with the identity of its class in front."""
        empty = {name: msgspec.UNSET for name in _implied(type(self)) if encode(getattr(self, name)) in _EMPTY}
        body = encode(self.__replace__(**empty) if empty else self)
        head = _identity(type(self))
        return head + b"}" if body == b"{}" else head + b"," + body[1:]

    def __with_changes__(self, origin: Origin) -> bytes:
        """Encode the origin plus the author's changes."""
        return merge(origin, self)

    def __copy__(self) -> Self:
        return self.__replace__()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        values = {name: copy.deepcopy(getattr(self, name), memo) for name in self.__struct_fields__}
        return _with_origin(type(self)(**values), copy.deepcopy(origin_of(self), memo))

    def __reduce__(self) -> tuple[Any, ...]:
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return _rebuild, (type(self), values, origin_of(self))

    def __replace__(self, **changes: Any) -> Self:
        values = {name: getattr(self, name) for name in self.__struct_fields__} | changes
        return _with_origin(type(self)(**values), origin_of(self))


def _rebuild(cls: type[O], values: dict[str, Any], origin: Origin | None) -> O:
    return _with_origin(cls(**values), origin)


def _with_origin(obj: O, origin: Origin | None) -> O:
    if origin is not None:
        obj.__dict__["origin"] = origin
    return obj


def origin_of(obj: Object) -> Origin | None:
    """Return what the object was read from; `None` if the author built it."""
    origin: Origin | None = obj.__dict__.get("origin")
    return origin


def read(cls: type[O], data: bytes | msgspec.Raw) -> O:
    """Decode an object and let it remember the bytes it came from."""
    obj = cls.__decode__(data)
    obj.__dict__["origin"] = remember(obj, data)
    return obj


def mark_extracted(obj: O) -> O:
    """Mark an object as holding only what one manager owns, so that it may be applied."""
    origin = origin_of(obj)
    if origin is not None:
        origin.extracted = True
    return obj


def become(obj: O, other: O) -> O:
    """Make an object what another one is, its origin included: what a write answers is what the author holds then."""
    for name in obj.__struct_fields__:
        setattr(obj, name, getattr(other, name))
    return _with_origin(obj, origin_of(other))


def has_changes(obj: Object) -> bool:
    """Whether the author changed an object since it was read; one that was never read is all change."""
    origin = origin_of(obj)
    return origin is None or encode(type(obj).__decode__(origin.data)) != encode(obj)


def write(obj: Object) -> bytes:
    """Encode an object for the server: its origin plus the author's changes, or as it shows if it has no origin."""
    origin = origin_of(obj)
    if origin is not None:
        return obj.__with_changes__(origin)
    if obj.metadata.uid:
        raise RequestError(
            f'{obj.kind} "{obj.metadata.key}" has a uid, so it was read from a server, but it has lost the bytes it '
            "came from: sending it would drop the fields its type does not know. Copy objects with copy.copy, "
            "copy.deepcopy, copy.replace or konverge.replace, not with msgspec.structs.replace or by hand"
        )
    return obj.__as_built__()


def replace(obj: O, **changes: Any) -> O:
    """Return a copy with these attributes changed (`copy.replace`, which only Python 3.13 has)."""
    return obj.__replace__(**changes)


@cache
def _identity(cls: type[Object]) -> bytes:
    resource = cls.__resource__
    return encode({"apiVersion": resource.api_version, "kind": resource.kind})[:-1]


@cache
def _implied(cls: type[Object]) -> tuple[str, ...]:
    """The attributes that read as empty when they are absent, and are not sent while empty."""
    return tuple(
        info.name
        for info in model_fields(cls)
        if isinstance(info.default_factory, type) and issubclass(info.default_factory, Model)
    )
