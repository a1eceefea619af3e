"""What a strategic merge patch must know of a kind: per field, the strategy, the merge key and what lies below.

A plain dict of `PatchField` is a schema; a kind that contains itself gives an object with the same `get`. A field
that the schema does not know merges if it is an object and is replaced if it is a list.
"""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from konverge.api.invalid import InvalidPatch
from konverge.api.json_value import Json, json_kind

PATCH = "$patch"
RETAIN_KEYS = "$retainKeys"
ELEMENT_ORDER = "$setElementOrder"
DELETE_FROM_LIST = "$deleteFromPrimitiveList"


class PatchSchema(Protocol):
    """Gives the patch rules of an object's fields by name."""

    def get(self, name: str, /) -> PatchField | None:
        """Return the rules of the field, or None where it is not known."""
        ...


class PatchField(msgspec.Struct, frozen=True):
    """The patch rules of one field; `schema` is that of the object, of the list's items or of the map's values."""

    strategy: tuple[str, ...] = ()  # of "merge", "replace", "retainKeys"
    merge_key: str | None = None
    schema: PatchSchema | None = None

    @property
    def merges(self) -> bool:
        """Whether a list is matched item by item."""
        return "merge" in self.strategy

    @property
    def replaces(self) -> bool:
        """Whether an object is replaced whole."""
        return "replace" in self.strategy

    @property
    def retains_keys(self) -> bool:
        """Whether a patch says which keys of the object stay."""
        return "retainKeys" in self.strategy


_UNKNOWN = PatchField()


def field_of(schema: PatchSchema | None, name: str) -> PatchField:
    """Return the rules of a field, those of an unknown one included."""
    return (schema.get(name) if schema is not None else None) or _UNKNOWN


def element_kind(*lists: list[Any]) -> type | None:
    """Return the type that all items of mergeable lists have; None where there are no items."""
    kinds = {type(item) for items in lists for item in items}
    if kinds <= {int, float}:
        return float if kinds else None
    if len(kinds) > 1:
        raise InvalidPatch("strategic merge patch: the items of a merged list must be of one type")
    if kinds & {list, type(None)}:
        raise InvalidPatch("strategic merge patch: a merged list cannot have lists or nulls for items")
    return kinds.pop()


def merge_key_value(item: Json, merge_key: str) -> Json:
    """Return what identifies an item among the others of its list."""
    if not isinstance(item, dict):
        raise InvalidPatch(f"strategic merge patch: an item with merge key {merge_key!r} is {json_kind(item)}")
    if merge_key not in item:
        raise InvalidPatch(f"strategic merge patch: an item has no {merge_key!r}, the merge key of its list")
    return item[merge_key]
