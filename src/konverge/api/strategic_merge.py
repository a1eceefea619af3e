"""How a strategic merge patch changes a document; see `strategic_merge_patch` for what it means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from konverge.api.invalid import InvalidPatch
from konverge.api.json_value import Json, json_copy, json_kind
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


def apply(document: dict[str, Any], patch: dict[str, Any], schema: PatchSchema) -> dict[str, Any]:
    """Return the patched document; neither argument changes."""
    for value in (document, patch):
        if not isinstance(value, dict):
            raise InvalidPatch(f"strategic merge patch: document and patch are objects, not {json_kind(value)}")
    return _merge(json_copy(document), json_copy(patch), schema)


def _merge(original: dict[str, Any], patch: dict[str, Any], schema: PatchSchema | None) -> dict[str, Any]:
    """Merge in place; the caller owns both."""
    if PATCH in patch:
        return _directed(patch)
    if RETAIN_KEYS in patch:
        _retain(original, patch)
    for key in [key for key in patch if key.startswith(ELEMENT_ORDER)]:
        _merge_ordered(original, patch, key, schema)
    for key, value in patch.items():
        if key.startswith(DELETE_FROM_LIST):
            _delete_from_list(original, _list_name(key), value)
        elif value is None:
            original.pop(key, None)
        else:
            _merge_field(original, key, value, field_of(schema, key))
    return original


def _directed(patch: dict[str, Any]) -> dict[str, Any]:
    directive = patch.pop(PATCH)
    if directive == "replace":
        return patch
    if directive == "delete":
        return {}
    raise InvalidPatch(f"strategic merge patch: $patch on an object is replace or delete, not {directive!r}")


def _retain(original: dict[str, Any], patch: dict[str, Any]) -> None:
    keys = patch.pop(RETAIN_KEYS)
    if not isinstance(keys, list):
        raise InvalidPatch(f"strategic merge patch: {RETAIN_KEYS} is a list, not {json_kind(keys)}")
    for key, value in patch.items():
        directive = key.startswith((DELETE_FROM_LIST, ELEMENT_ORDER))
        if value is not None and not directive and key not in keys:
            raise InvalidPatch(f"strategic merge patch: {key!r} is set and not among the {RETAIN_KEYS}")
    for key in [key for key in original if key not in keys]:
        del original[key]


def _merge_field(original: dict[str, Any], key: str, value: Json, field: PatchField) -> None:
    present = original.get(key)
    if isinstance(present, dict) and isinstance(value, dict):
        original[key] = value if field.replaces else _merge(present, value, field.schema)
    elif isinstance(present, list) and isinstance(value, list):
        original[key] = _merge_lists(present, value, field) if field.merges else value
    elif _is_directed(value):
        original.pop(key, None)
    else:
        original[key] = _without_directives(_without_nulls(value))


def _merge_ordered(original: dict[str, Any], patch: dict[str, Any], key: str, schema: PatchSchema | None) -> None:
    """Merge one list and put it in the order that the patch asks for; the list is done with after that."""
    order = _list(patch.pop(key), key)
    name = _list_name(key)
    field = field_of(schema, name)
    present, added = name in original, name in patch
    old, new = _list(original.get(name, []), name), _list(patch.get(name, []), name)
    _check_order(new, order, name, field.merge_key)
    if not present and not added:
        return
    patch.pop(name, None)
    if not present:
        merged = _without_directives(new)
    elif not added:
        merged = list(old)
    else:
        merged = _merge_lists(list(old), new, field) if field.merges else new
    element_kind(old, new)
    original[name] = _arranged(merged, order, old, _identity(field.merge_key))


def _merge_lists(original: list[Any], patch: list[Any], field: PatchField) -> list[Any]:
    if element_kind(original, patch) is not dict:
        both = list(dict.fromkeys(original + patch))
        return _arranged(both, patch, original, _identity(None))
    if field.merge_key is None:
        raise InvalidPatch("strategic merge patch: the schema merges a list of objects and names no merge key")
    original, items = _special_items(original, patch, field.merge_key)
    identity = _identity(field.merge_key)
    return _arranged(_merge_items(list(original), items, field), items, original, identity)


def _special_items(original: list[Any], patch: list[Any], merge_key: str) -> tuple[list[Any], list[Any]]:
    """Carry out the items that are directives; the others are left to merge."""
    plain = [item for item in patch if PATCH not in item]
    directives = [item for item in patch if PATCH in item]
    for item in directives:
        if item[PATCH] == "delete":
            name = merge_key_value(item, merge_key)
            original = [other for other in original if other.get(merge_key) != name]
        elif item[PATCH] != "replace":
            raise InvalidPatch(f"strategic merge patch: $patch in a list is replace or delete, not {item[PATCH]!r}")
    if any(item[PATCH] == "replace" for item in directives):
        return plain, []
    return original, plain


def _merge_items(merged: list[Any], items: list[Any], field: PatchField) -> list[Any]:
    merge_key = str(field.merge_key)
    for item in items:
        name = merge_key_value(item, merge_key)
        place = next((index for index, other in enumerate(merged) if other.get(merge_key) == name), None)
        if place is None:
            merged.append(item)
        else:
            merged[place] = _merge(merged[place], json_copy(item), field.schema)
    return merged


def _arranged(merged: list[Any], wanted: list[Any], present: list[Any], identity: Callable[[Json], Json]) -> list[Any]:
    """Order a merged list: items of the patch as it wants them, the others where they were, woven by the old order."""
    first, before = [identity(item) for item in wanted], [identity(item) for item in present]
    ours = sorted((item for item in merged if identity(item) in first), key=lambda item: first.index(identity(item)))
    others = [item for item in merged if identity(item) not in first]
    others.sort(key=lambda item: _position(before, identity(item)))
    result = []
    for item in ours:
        place = _position(before, identity(item))
        while others and 0 <= _position(before, identity(others[0])) < place:
            result.append(others.pop(0))
        result.append(item)
    return result + others


def _position(names: list[Json], name: Json) -> int:
    return names.index(name) if name in names else -1


def _identity(merge_key: str | None) -> Callable[[Json], Json]:
    return (lambda item: item) if merge_key is None else (lambda item: merge_key_value(item, merge_key))


def _check_order(items: list[Any], order: list[Any], name: str, merge_key: str | None) -> None:
    """Every item that the patch sets must stand in the order it asks for, at its place."""
    identity = _identity(merge_key)
    rest = [item for item in items if not (isinstance(item, dict) and item.get(PATCH) == "delete")]
    if not order:
        return
    place = 0
    for wanted in map(identity, order):
        while place < len(rest) and _is_directed(rest[place]):
            place += 1
        if place < len(rest) and identity(rest[place]) == wanted:
            place += 1
    if place < len(rest):
        raise InvalidPatch(f"strategic merge patch: the items of {name!r} are not in the order of {ELEMENT_ORDER}")


def _delete_from_list(original: dict[str, Any], name: str, values: Json) -> None:
    if values is None:
        original.pop(name, None)
    elif isinstance(original.get(name), list) and isinstance(values, list):
        element_kind(original[name], values)
        original[name] = [value for value in original[name] if value not in values]


def _list(value: Json, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidPatch(f"strategic merge patch: {name!r} must be a list, not {json_kind(value)}")
    return value


def _list_name(key: str) -> str:
    directive, slash, name = key.partition("/")
    if not slash or directive not in {ELEMENT_ORDER, DELETE_FROM_LIST}:
        raise InvalidPatch(f"strategic merge patch: {key!r} does not name its list; write {directive}/<list>")
    return name


def _is_directed(value: Json) -> bool:
    return isinstance(value, dict) and PATCH in value


def _without_directives(value: Json) -> Json:
    """Take out what is meant for something that is not there to be patched."""
    if isinstance(value, dict):
        return {key: _without_directives(item) for key, item in value.items() if not _is_directed(item)}
    if isinstance(value, list):
        return [_without_directives(item) for item in value if not _is_directed(item)]
    return value


def _without_nulls(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value
