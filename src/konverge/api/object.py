"""Object: a typed value with an identity, that remembers the bytes it was read from.

`read` decodes an object and gives it its origin; `write` encodes it for the server: an object that was read goes out
as its origin plus the author's changes (see `round_trip`), one that the author built goes out as it shows. Copies
(`copy`, `deepcopy`, `pickle`, `copy.replace`) keep the origin, and so do the items of its lists.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, get_args

import msgspec

from konverge.api import merge_patch
from konverge.api.json_value import Json, json_equal
from konverge.api.kind import GroupVersionKind, Resource
from konverge.api.meta import ObjectMeta
from konverge.api.model import (
    TOO_DEEP,
    Model,
    decode,
    decoder,
    encode,
    field,
    implied_of,
    model_fields,
    rebuild,
    set_values,
)
from konverge.api.round_trip import Merger, Origin, merge, remember
from konverge.api.semantic import settled
from konverge.api.sendable import refuse_unsendable
from konverge.api.type_shape import visitor
from konverge.errors import DecodeError, RequestError

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
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read an object from plain dicts and lists, such as a YAML file; unknown fields are kept.

        A manifest may be applied; what a server has stored, told by its uid, may not.
        """
        obj = read(cls, encode(data))
        return obj if obj.metadata.uid else mark_extracted(obj)

    @classmethod
    def __decode__(cls, data: bytes | msgspec.Raw) -> Self:
        """Decode the bytes of one object."""
        return decode(cls, data)

    def __as_built__(self) -> bytes:
        """Encode an object of the author's making, with the identity of its class in front."""
        if _nests_objects(type(self)):
            body = bytes(Merger({}, dict).fresh(self))
        else:
            empty = [name for name in implied_of(type(self)) if encode(getattr(self, name)) == b"{}"]
            body = encode(self.__replace__(**dict.fromkeys(empty, msgspec.UNSET)) if empty else self)
        head = _identity(type(self))
        return head + b"}" if body == b"{}" else head + b"," + body[1:]

    def __with_changes__(self, origin: Origin) -> bytes:
        """Encode the origin plus the author's changes."""
        return merge(origin, self)

    def __copy__(self) -> Self:
        copied: Self = super().__copy__()  # type: ignore[misc]  # msgspec has it, its type stubs do not
        return _with_origin(copied, origin_of(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        copied = self.__copy__()
        memo[id(self)] = copied
        for name in self.__struct_fields__:
            setattr(copied, name, copy.deepcopy(getattr(self, name), memo))
        # After the attributes: the origin finds its items in the memo.
        return _with_origin(copied, copy.deepcopy(origin_of(self), memo))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), set_values(self), origin_of(self))

    if not TYPE_CHECKING:  # a type checker that sees it would take every attribute for one that can be set

        def __setattr__(self, name: str, value: Any) -> None:
            # The origin needs a __dict__, which would take any name: a misspelt one must not be lost in it.
            if name not in self.__struct_fields__:
                raise AttributeError(f"{type(self).__name__} has no attribute {name!r} that can be set")
            super().__setattr__(name, value)


def _rebuild(cls: type[O], values: dict[str, Any], origin: Origin | None) -> O:
    return _with_origin(rebuild(cls, values), origin)


def _with_origin(obj: O, origin: Origin | None) -> O:
    if origin is None:
        obj.__dict__.pop("origin", None)
    else:
        obj.__dict__["origin"] = origin
    return obj


def origin_of(obj: Object) -> Origin | None:
    """Return what the object was read from; `None` if the author built it."""
    origin: Origin | None = obj.__dict__.get("origin")
    return origin


def read(cls: type[O], data: bytes | msgspec.Raw) -> O:
    """Decode an object and let it remember the bytes it came from."""
    try:
        obj = cls.__decode__(data)
        obj.__dict__["origin"] = remember(obj, data)
    except RecursionError:
        raise DecodeError(f"cannot read this as {cls.__name__}: {TOO_DEEP}") from None
    refuse_other_kind(cls, bytes(data))
    return obj


@cache
def reader(cls: type[O]) -> Callable[[bytes], O]:
    """Return a function that does what `read` does, with everything looked up that can be: for lists and watches.

    What does not fit raises msgspec's own errors, or a `DecodeError`; `read` says the same in words.
    """
    if cls.__decode__ != Object.__decode__.__get__(None, cls):  # an author's own, or that of an Unstructured
        return partial(read, cls)
    decode_one, visit, own = decoder(cls).decode, visitor(cls), _openings(cls)

    def read_one(data: bytes) -> O:
        if not data.startswith(own):
            refuse_other_kind(cls, data)
        items: list[Any] = []
        try:
            obj: O = decode_one(data)
            visit(obj, items)
        except RecursionError:
            raise DecodeError(f"cannot read this as {cls.__name__}: {TOO_DEEP}") from None
        obj.__dict__["origin"] = Origin(data, items)
        return obj

    return read_one


def refuse_other_kind(cls: type[Object], data: bytes) -> None:
    """Raise a DecodeError for bytes that say they are of another kind than the class; they need not say any."""
    own = _openings(cls)
    if data.startswith(own):
        return
    found = decode(_Identity, data)
    resource = cls.__resource__
    if found.kind and found.kind != resource.kind:
        theirs = " ".join(filter(None, (found.api_version, found.kind)))
        raise DecodeError(
            f"this is a {theirs[:120]}, not a {resource.api_version} {resource.kind}: read it as its own class, "
            "or as Unstructured"
        )


@cache
def _openings(cls: type[Object]) -> tuple[bytes, ...]:
    """How the bytes of an object begin, as servers write them; any bytes where the kind is not the class's own."""
    if "kind" in cls.__struct_fields__ or not hasattr(cls, "__resource__"):
        return (b"",)
    version, kind = b'"apiVersion":' + encode(cls.__resource__.api_version), b'"kind":' + encode(cls.__resource__.kind)
    return (b"{" + version + b"," + kind, b"{" + kind + b"," + version)


def mark_extracted(obj: O) -> O:
    """Mark an object as not a whole one of the server's (what one manager owns, a manifest): it may be applied."""
    origin = origin_of(obj)
    return obj if origin is None else _with_origin(obj, Origin(origin.data, origin.items, extracted=True))


def become(obj: O, other: O) -> O:
    """Make an object what another one is, its origin included: what a write answers is what the author holds then."""
    for name in obj.__struct_fields__:
        setattr(obj, name, getattr(other, name))
    return _with_origin(obj, origin_of(other))


def has_changes(obj: Object) -> bool:
    """Whether the author changed an object since it was read; one that was never read is all change.

    What makes no difference to a server is no change: an empty list or map where there was none, a quantity that is
    spelled in another way.
    """
    origin = origin_of(obj)
    if origin is None:
        return True
    before, after = _versions(obj, origin)
    return not json_equal(before, after)


def changes(obj: Object) -> dict[str, Any]:
    """Return the author's changes since an object was read, as a merge patch: empty where `has_changes` finds none.

    Of an object that was never read it is all of it. A merge patch cannot set a field to null: `InvalidPatch`.
    """
    origin = origin_of(obj)
    if origin is None:
        return obj.to_dict()
    refuse_unsendable(obj)
    patch: dict[str, Any] = merge_patch.create(*_versions(obj, origin))
    return patch


def _versions(obj: Object, origin: Origin) -> tuple[Json, Json]:
    """The object as it was read and as it is now, spelled as it was read where that makes no difference."""
    body = _with_changes(obj, origin)
    before = decode(dict, origin.data)
    return before, before if body == origin.data else settled(type(obj), before, decode(dict, body))


def write(obj: Object) -> bytes:
    """Encode an object for the server: its origin plus the author's changes, or as it shows if it has no origin."""
    refuse_unsendable(obj)
    origin = origin_of(obj)
    if origin is not None:
        return _identified(obj, _with_changes(obj, origin))
    if obj.metadata.uid:
        raise RequestError(
            f'{obj.kind} "{obj.metadata.key}" has a uid, so it was read from a server, but it has lost the bytes it '
            "came from: sending it would drop the fields its type does not know. Copy objects with copy.copy, "
            "copy.deepcopy, copy.replace or konverge.replace, not with msgspec.structs.replace or by hand"
        )
    return obj.__as_built__()


def _with_changes(obj: Object, origin: Origin) -> bytes:
    try:
        return obj.__with_changes__(origin)
    except RecursionError:
        raise RequestError(f'{obj.kind} "{obj.metadata.key}" cannot be written: {TOO_DEEP}') from None


class _Identity(msgspec.Struct, rename="camel"):
    api_version: str | None = ""
    kind: str | None = ""


def _identified(obj: Object, body: bytes) -> bytes:
    """Put the kind in front of bytes that do not say it, as the items of a built-in list do not."""
    found = decode(_Identity, body)
    if found.kind and found.api_version:
        return body
    wire = decode(dict[str, msgspec.Raw], body)
    identity = {"apiVersion": msgspec.Raw(encode(obj.api_version)), "kind": msgspec.Raw(encode(obj.kind))}
    return encode({**identity, **wire, **identity})


def replace(obj: O, **changes: Any) -> O:
    """Return a copy with these attributes changed (`copy.replace`, which only Python 3.13 has)."""
    return obj.__replace__(**changes)


@cache
def _identity(cls: type[Object]) -> bytes:
    resource = cls.__resource__
    return encode({"apiVersion": resource.api_version, "kind": resource.kind})[:-1]


@cache
def _nests_objects(cls: type[Object]) -> bool:
    """Whether there can be objects inside an object, as the volume claim templates of a StatefulSet are."""
    return any(isinstance(found, type) and issubclass(found, Object) for found in _parts_of(cls))


def _parts_of(cls: type[Model]) -> list[Any]:
    """Every type that the attributes of a model lead to."""
    found: dict[Any, None] = {}
    waiting = [info.type for info in model_fields(cls)]
    while waiting:
        kind = waiting.pop()
        if kind not in found:
            found[kind] = None
            waiting += get_args(kind)
            if isinstance(kind, type) and issubclass(kind, Model):
                waiting += [info.type for info in model_fields(kind)]
    return list(found)
