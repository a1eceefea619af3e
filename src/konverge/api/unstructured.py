"""Objects whose kind is data: `Unstructured` (any kind, whole) and `PartialObjectMetadata` (any kind, metadata only).

Both have the typed `metadata` of every object, so owner references, finalizers and labels work the same on all
forms. The rest of an `Unstructured` is plain JSON, by attribute or by item::

    view.spec.replicas          view["spec"]["replicas"]

A repr of a Secret in this form, or of a list of them, hides its values, as the typed one does; that of a part which the
author took out of it (`secret.data`) shows what is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import msgspec

from konverge.api.kind import Resource
from konverge.api.meta import LAST_APPLIED, ObjectMeta
from konverge.api.model import REDACTED, Model, decode, encode, field, shown
from konverge.api.object import Object
from konverge.api.round_trip import Merger, Origin


class Fields(dict[str, Any]):
    """A JSON object whose keys are attributes too.

    A key that is no Python name, or that a dict has a method for (`items`, `values`, `update`), is reached by item.
    A plain dict or list that is set is taken over by value: later changes to the author's own do not show here.
    """

    __slots__ = ()

    def __init__(self, *args: Any, **values: Any) -> None:
        if args or values:
            self.update(*args, **values)

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, _opened(value))

    def update(self, *args: Any, **values: Any) -> None:
        """Take over the values of mappings or pairs, as dict has it."""
        for name, value in dict(*args, **values).items():
            self[name] = value

    def setdefault(self, name: str, default: Any = None) -> Any:
        """Return the value of a key; set it to the default first if it is not there."""
        if name not in self:
            self[name] = default
        return self[name]

    def __ior__(self, other: Any) -> Self:  # type: ignore[override,misc]  # dict's own has overloads for what we all take
        self.update(other)
        return self

    def copy(self) -> Fields:
        """Return a shallow copy, as dict has it."""
        return Fields(self)

    def __copy__(self) -> Fields:
        return Fields(self)

    def __getattr__(self, name: str) -> Any:
        if name in self and not _is_special(name):
            return self[name]
        raise AttributeError(f"there is no field {name!r} here, only: {', '.join(self) or 'nothing'}")

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        if name not in self:
            raise AttributeError(f"there is no field {name!r} here, only: {', '.join(self) or 'nothing'}")
        del self[name]

    def __reduce__(self) -> tuple[Any, ...]:
        return Fields, (dict(self),)


def _is_special(name: str) -> bool:
    """Whether Python itself may be asking: a field of an object must not answer for `__deepcopy__`."""
    return name.startswith("__") and name.endswith("__")


def _opened(value: Any) -> Any:
    """Return a JSON value in which every dict is a `Fields`; one that is a `Fields` already is kept as it is."""
    if isinstance(value, (str, int, float, Fields)):
        return value
    if isinstance(value, Mapping):
        fields = Fields()
        dict.update(fields, {name: _opened(item) for name, item in value.items()})  # not once more by __setitem__
        return fields
    return [_opened(item) for item in value] if isinstance(value, (list, tuple)) else value


# What a repr must not show, by group and kind: where it stands in the object.
_SECRETS: Mapping[tuple[str, str], tuple[tuple[str, ...], ...]] = {
    ("", "Secret"): (("data",), ("stringData",)),
    ("authentication.k8s.io", "TokenRequest"): (("status", "token"),),
    ("authentication.k8s.io", "TokenReview"): (("spec", "token"),),
}


def redacted(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object, given as JSON, as it may be shown to anyone; so with each item of a list."""
    shown_content: Mapping[str, Any] = _shown_item(content, ("", ""))
    return shown_content


def _without_secrets(content: Mapping[str, Any], kind: tuple[str, str]) -> Mapping[str, Any]:
    """Return the content as a repr may show it: of a list, each item by its own kind, or by that of the list."""
    for path in _SECRETS.get(kind, ()):
        content = _hidden(content, path)
    if kind[1].endswith("List") and isinstance(content.get("items"), list):
        item_kind = (kind[0], kind[1].removesuffix("List"))
        content = {**content, "items": [_shown_item(item, item_kind) for item in content["items"]]}
    return content


def _shown_item(item: Any, kind: tuple[str, str]) -> Any:
    if not isinstance(item, Mapping):
        return item
    own = (_group(str(item["apiVersion"])), str(item["kind"])) if item.keys() >= {"apiVersion", "kind"} else kind
    return _hidden(_without_secrets(item, own), ("metadata", "annotations", LAST_APPLIED))


def _hidden(content: Any, path: tuple[str, ...]) -> Any:
    """Return the content with a placeholder at a path, if there is anything."""
    if not isinstance(content, Mapping) or path[0] not in content:
        return content
    below = content[path[0]]
    return {**content, path[0]: _hidden(below, path[1:]) if path[1:] else REDACTED}


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]


class _Head(Model):
    api_version: str = field(default="")
    kind: str = field(default="")
    metadata: ObjectMeta = field(default_factory=ObjectMeta)


class PartialObjectMetadata(Object):
    """An object of any kind of which only the metadata was asked for; `api_version` and `kind` are the object's own."""

    __resource__: ClassVar[Resource] = Resource(
        group="meta.k8s.io", version="v1", kind="PartialObjectMetadata", plural="", namespaced=False
    )

    api_version: str = field(default="")  # data here, the class's elsewhere
    kind: str = field(default="")  # data here, the class's elsewhere

    def __as_built__(self) -> bytes:
        """Encode it with its own kind."""
        return encode({"apiVersion": self.api_version, "kind": self.kind, "metadata": self.metadata})


class Unstructured(Object):
    """An object of any kind: `api_version`, `kind` and typed `metadata`, and everything else in `content`."""

    __resource__: ClassVar[Resource] = Resource(group="", version="", kind="Unstructured", plural="", namespaced=False)

    api_version: str = field(default="")  # data here, the class's elsewhere
    kind: str = field(default="")  # data here, the class's elsewhere
    content: Fields = field(default_factory=Fields)

    def __post_init__(self) -> None:
        if type(self.content) is not Fields:
            self.content = self.content  # opened on the way

    @classmethod
    def __decode__(cls, data: bytes | msgspec.Raw) -> Self:
        """Decode the shared part into its type and the rest into plain JSON."""
        head = decode(_Head, data)
        plain = decode(dict, data)
        for name in _TYPED:
            plain.pop(name, None)
        content = _opened(plain)
        return cls(api_version=head.api_version, kind=head.kind, metadata=head.metadata, content=content)

    def __as_built__(self) -> bytes:
        """Encode it as it shows."""
        return encode(_parts(self))

    def __with_changes__(self, origin: Origin) -> bytes:
        """Encode the origin plus the author's changes, the plain part merged by key."""
        before = type(self).__decode__(origin.data)
        raw = msgspec.Raw(origin.data)
        wire = decode(dict[str, msgspec.Raw], raw)
        old, new = _parts(before, wire), _parts(self, wire)
        return bytes(Merger.of(origin, before, self).mapping(raw, old, new, kind=dict[str, Any]))

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        values = dict(shown(self))
        if self.content:
            values["content"] = _without_secrets(self.content, (_group(self.api_version), self.kind))
        return list(values.items())

    def __getattr__(self, name: str) -> Any:
        if name in self.__struct_fields__ or _is_special(name):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        if name in self.content:
            return self.content[name]
        raise AttributeError(f"{self.kind} has no field {name!r}, only: {', '.join(self.content) or 'nothing'}")

    if TYPE_CHECKING:

        def __setattr__(self, name: str, value: Any) -> None: ...
    else:

        def __setattr__(self, name: str, value: Any) -> None:
            if name == "content":
                value = Fields() if value is None else _opened(value)
            if name in self.__struct_fields__:
                super().__setattr__(name, value)
            else:
                self.content[name] = value

    def __delattr__(self, name: str) -> None:
        if name in self.__struct_fields__:
            raise AttributeError(f"{name} cannot be deleted: set it to another value")
        delattr(self.content, name)

    def __getitem__(self, wire_name: str) -> Any:
        return super().__getitem__(wire_name) if wire_name in _TYPED else self.content[wire_name]

    def __setitem__(self, wire_name: str, value: Any) -> None:
        if wire_name in _TYPED:
            super().__setitem__(wire_name, value)
        else:
            self.content[wire_name] = value

    def __delitem__(self, wire_name: str) -> None:
        del self.content[wire_name]

    def __contains__(self, wire_name: str) -> bool:
        return wire_name in _TYPED or wire_name in self.content


_TYPED = frozenset(_Head.__struct_encode_fields__)


def _parts(obj: Unstructured, wire: Mapping[str, msgspec.Raw] | None = None) -> dict[str, Any]:
    """The object as one mapping, its typed metadata inside; of an empty part of the head, what the wire has of it."""
    parts: dict[str, Any] = {"apiVersion": obj.api_version, "kind": obj.kind, "metadata": obj.metadata}
    for name in [name for name, value in parts.items() if encode(value) in _EMPTY]:
        if wire is None or name not in wire:
            del parts[name]
        elif bytes(wire[name]) == b"null":
            parts[name] = None
    return parts | obj.content


_EMPTY = (b"{}", b'""', b"null")
