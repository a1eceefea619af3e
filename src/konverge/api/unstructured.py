"""Objects whose kind is data: `Unstructured` (any kind, whole) and `PartialObjectMetadata` (any kind, metadata only).

Both have the typed `metadata` of every object, so owner references, finalizers and labels work the same on all
forms. The rest of an `Unstructured` is plain JSON, by attribute or by item::

    view.spec.replicas          view["spec"]["replicas"]
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import msgspec

from konverge.api.kind import Resource
from konverge.api.meta import ObjectMeta
from konverge.api.model import Model, decode, encode, field
from konverge.api.object import Object
from konverge.api.round_trip import Merger, Origin


class Fields(dict[str, Any]):
    """A JSON object whose keys are attributes too.

    A key that is no Python name, or that a dict has a method for (`items`, `values`, `update`), is reached by item.
    """

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        opened = _opened(value)
        if opened is not value:
            super().__setitem__(name, opened)  # kept, so that a change made through it is not lost
        return opened

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a key, opened like every other, or the default."""
        return self[name] if name in self else default  # noqa: SIM401 - this is that method

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"there is no field {name!r} here, only: {', '.join(self) or 'nothing'}")

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        del self[name]


def _opened(value: Any) -> Any:
    """Return a JSON value whose dicts are `Fields`: one level now, the next when it is reached."""
    if type(value) is dict:
        return Fields(value)
    if type(value) is list:
        value[:] = map(_opened, value)
    return value


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

    @classmethod
    def __decode__(cls, data: bytes | msgspec.Raw) -> Self:
        """Decode the shared part into its type and the rest into plain JSON."""
        head = decode(_Head, data)
        content = Fields(decode(dict, data))
        for name in _Head.__struct_encode_fields__:
            content.pop(name, None)
        return cls(api_version=head.api_version, kind=head.kind, metadata=head.metadata, content=content)

    def __as_built__(self) -> bytes:
        """Encode it as it shows."""
        return encode({"apiVersion": self.api_version, "kind": self.kind, "metadata": self.metadata, **self.content})

    def __with_changes__(self, origin: Origin) -> bytes:
        """Encode the origin plus the author's changes, the plain part merged by key."""
        before = type(self).__decode__(origin.data)
        old, new = _parts(before), _parts(self)
        return Merger.of(origin, before).mapping(msgspec.Raw(origin.data), old, new, kind=dict[str, Any])

    def __getattr__(self, name: str) -> Any:
        return getattr(self.content, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__struct_fields__:
            super().__setattr__(name, value)
        else:
            self.content[name] = value

    def __getitem__(self, wire_name: str) -> Any:
        return super().__getitem__(wire_name) if wire_name in _TYPED else self.content[wire_name]

    def __setitem__(self, wire_name: str, value: Any) -> None:
        if wire_name in _TYPED:
            super().__setitem__(wire_name, value)
        else:
            self.content[wire_name] = value

    def __contains__(self, wire_name: str) -> bool:
        return wire_name in _TYPED or wire_name in self.content


_TYPED = frozenset(_Head.__struct_encode_fields__)


def _parts(obj: Unstructured) -> dict[str, Any]:
    """The object as one mapping, its typed metadata inside."""
    head = {"apiVersion": obj.api_version, "kind": obj.kind, "metadata": obj.metadata}
    return {name: value for name, value in head.items() if value} | obj.content
