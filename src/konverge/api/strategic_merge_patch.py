"""Strategic merge patch, the patch of built-in kinds: `apply` one to a document, `create` one from two documents.

It is a merge patch that knows the schema: a list with the strategy `merge` is matched item by item, by a merge key or,
for plain values, by the value itself. Directives say the rest: `$patch: replace|delete` on an object or list item,
`$retainKeys`, `$setElementOrder/<list>`, `$deleteFromPrimitiveList/<list>`. The behaviour is that of the API server,
odd corners included: an object deleted by `$patch: delete` stays as an empty one, `$patch: merge` is refused, and
a null in the patch removes.

`create` writes what kubectl would, with two improvements: an unchanged field of strategy `replace` is left out, and a
list that has one merge key twice (the ports of a Service can), which matching would spoil, is replaced whole.

This module holds the schema and `create`; `strategic_merge` is its other half.
"""

from __future__ import annotations

from typing import Any

from konverge.api.invalid import InvalidPatch
from konverge.api.json_value import Json, json_copy, json_equal
from konverge.api.patch_schema import (
    DELETE_FROM_LIST,
    ELEMENT_ORDER,
    PATCH,
    RETAIN_KEYS,
    PatchField,
    PatchSchema,
    element_kind,
    field_of,
    merge_key_value,
)
from konverge.api.strategic_merge import apply

__all__ = ["PatchField", "PatchSchema", "apply", "create"]


def create(before: dict[str, Any], after: dict[str, Any], schema: PatchSchema) -> dict[str, Any]:
    """Return a patch that turns `before` into `after`; empty where there is nothing to do."""
    patch: dict[str, Any] = json_copy(_diff(before, after, schema, retain_keys=False))
    return patch


def _diff(
    before: dict[str, Any], after: dict[str, Any], schema: PatchSchema | None, *, retain_keys: bool
) -> dict[str, Any]:
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        if key in before:
            _diff_field(patch, key, (before[key], value), field_of(schema, key))
        else:
            patch[key] = value
    if retain_keys and patch and (kept := sorted(key for key, value in after.items() if value is not None)):
        patch[RETAIN_KEYS] = kept
    return patch


def _diff_field(patch: dict[str, Any], key: str, values: tuple[Json, Json], field: PatchField) -> None:
    before, after = values
    if json_equal(before, after):
        return
    if isinstance(before, list) and isinstance(after, list) and field.merges:
        _diff_lists(patch, key, (before, after), field)
    elif isinstance(before, dict) and isinstance(after, dict) and not field.replaces:
        # Empty only where the two differ by nulls that a patch cannot set and the server does not keep.
        if inner := _diff(before, after, field.schema, retain_keys=field.retains_keys):
            patch[key] = inner
    else:
        patch[key] = after


def _diff_lists(patch: dict[str, Any], key: str, lists: tuple[list[Any], list[Any]], field: PatchField) -> None:
    before, after = lists
    if not before:
        patch[key] = after
    elif element_kind(before, after) is dict:
        _diff_objects(patch, key, lists, field)
    else:
        _diff_scalars(patch, key, lists)


def _diff_scalars(patch: dict[str, Any], key: str, lists: tuple[list[Any], list[Any]]) -> None:
    before, after = lists
    if added := [value for value in after if value not in before]:
        patch[key] = added
    if removed := sorted((value for value in dict.fromkeys(before) if value not in after), key=str):
        patch[f"{DELETE_FROM_LIST}/{key}"] = removed
    if after:
        patch[f"{ELEMENT_ORDER}/{key}"] = after


def _diff_objects(patch: dict[str, Any], key: str, lists: tuple[list[Any], list[Any]], field: PatchField) -> None:
    before, after = lists
    merge_key = field.merge_key
    if merge_key is None:
        raise InvalidPatch(f"strategic merge patch: the schema merges the list {key!r} and names no merge key")
    old = [(merge_key_value(item, merge_key), item) for item in before]
    new = [(merge_key_value(item, merge_key), item) for item in after]
    if _repeats(old) or _repeats(new):
        patch[key] = [*after, {PATCH: "replace"}]
        return
    items = [change for name, item in new if (change := _diff_item(name, item, old, field)) is not None]
    kept = [name for name, _ in new]
    gone = sorted((name for name, _ in old if name not in kept), key=str)
    items += [{merge_key: name, PATCH: "delete"} for name in gone]
    if items:
        patch[key] = items
    if after:
        patch[f"{ELEMENT_ORDER}/{key}"] = [{merge_key: name} for name in kept]


def _diff_item(
    name: Json, item: dict[str, Any], old: list[tuple[Json, dict[str, Any]]], field: PatchField
) -> dict[str, Any] | None:
    """What the patch says about one item: all of a new one, the changes of an old one, None where it stays."""
    before = next((candidate for other, candidate in old if other == name), None)
    if before is None:
        return item
    change = _diff(before, item, field.schema, retain_keys=field.retains_keys)
    return {**change, str(field.merge_key): name} if change else None


def _repeats(items: list[tuple[Json, dict[str, Any]]]) -> bool:
    names = [name for name, _ in items]
    return any(name in names[:index] for index, name in enumerate(names))
