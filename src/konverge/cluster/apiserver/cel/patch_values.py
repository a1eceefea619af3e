"""What a patch is made of: `Object{spec: Object.spec{replicas: 3}}` and `JSONPatch{op: "remove", path: "/spec"}`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from konverge.cluster.apiserver.cel.equality import equal, same_maps

OBJECT: Final = "Object"
JSON_PATCH: Final = "JSONPatch"


class ObjectValue:
    """An object that an expression made; its type is named by where it stands."""

    __slots__ = ("CEL_TYPE", "fields")
    HAS_FIELDS: Final = True

    def __init__(self, name: str, fields: dict[str, Any]) -> None:
        self.CEL_TYPE = name
        self.fields = fields

    def __len__(self) -> int:
        return len(self.fields)

    def find(self, key: Any) -> tuple[Any, bool]:
        """Return a field's value."""
        return (self.fields[key], True) if key in self.fields else (None, False)

    def keys(self) -> Iterator[Any]:
        """Yield the names of the fields."""
        return iter(self.fields)

    def same(self, other: Any) -> bool:
        """Compare type and fields."""
        return other.__class__ is ObjectValue and self.CEL_TYPE == other.CEL_TYPE and same_maps(self, other)


class JsonPatchValue(ObjectValue):
    """One operation of a JSON patch."""

    __slots__ = ()

    def find(self, key: Any) -> tuple[Any, bool]:
        """Return a field's value: a text that is not set is empty."""
        value, found = super().find(key)
        return (value, found) if found or key == "value" else ("", True)

    def same(self, other: Any) -> bool:
        """Compare field by field."""
        if other.__class__ is not JsonPatchValue:
            return False
        pairs = [(self.find(name), other.find(name)) for name in ("op", "from", "path", "value")]
        return all(mine[1] == its[1] and equal(mine[0], its[0]) for mine, its in pairs)


def patch_maker(type_name: str) -> Callable[[dict[str, Any]], Any] | None:
    """Return what makes a value of a type; None where it is no type of patches."""
    if type_name == JSON_PATCH:
        return partial(JsonPatchValue, JSON_PATCH)
    is_object = type_name == OBJECT or type_name.startswith(f"{OBJECT}.")
    return partial(ObjectValue, type_name) if is_object else None
