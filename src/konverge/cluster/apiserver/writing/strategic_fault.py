"""What the real server says of a strategic merge patch that it cannot apply.

The patch library of `konverge.api` words its refusals for people; here they get the code and the words of Go's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from konverge.api.invalid import InvalidPatch
from konverge.api.patch_schema import ELEMENT_ORDER, PATCH, RETAIN_KEYS, PatchSchema, field_of
from konverge.cluster.apiserver.failure import Failure, bad_request
from konverge.cluster.apiserver.strategy import JsonObject

REJECTED: Final = "the server rejected our request due to an error in our request"
_KNOWN: Final = ("replace", "delete", "merge")
# A part of our own words → the code and the words of the real server; an empty text is its usual refusal.
_WORDS: Final = (
    ("is set and not among the $retainKeys", 400, "invalid patch format of retainKeys"),
    ("$retainKeys is a list", 400, "invalid patch format of retainKeys"),
    ("write $setElementOrder/<list>", 400, "invalid patch format of setElementOrder list"),
    ("write $deleteFromPrimitiveList/<list>", 400, "invalid patch format of primitive list"),
    ("lists or nulls for items", 422, ""),
    ("must be of one type", 500, "list element types are not identical"),
)


def strategic_fault(error: InvalidPatch, patch: JsonObject, rules: PatchSchema) -> Failure:
    """Return the refusal of a patch."""
    for faulty in _unknown_directives(patch):
        return Failure(500, "", f"unknown patch type: {_go_text(faulty[PATCH])} in map: {go_map(faulty)}")
    for item, key in _without_merge_key(patch, rules):
        return Failure(500, "", f"map: {go_map(item)} does not contain declared merge key: {key}")
    for name, order, items in _orders(patch):
        if not isinstance(order, list):
            return Failure(500, "", f"expected a []interface {{}}, but received a {_go_type(order)}")
        if f"the items of {name!r} are not in the order" in str(error):
            lists = f"{go_map(items)}\n doesn't match {ELEMENT_ORDER} list:\n{go_map(order)}\n"
            return Failure(500, "", f"The order in patch list:\n{lists}")
    for part, code, words in _WORDS:
        if part in str(error):
            return _refusal(code, words)
    return Failure(500, "", str(error))


def unmerged(patch: JsonObject, current: Any) -> JsonObject:
    """Return what Go's merge leaves of a patch, which is what an error shows: ordered lists are taken out of it."""
    ordered = {name.partition("/")[2] for name in patch if name.startswith(f"{ELEMENT_ORDER}/")}
    left: JsonObject = {}
    for name, value in patch.items():
        if name in ordered or name == RETAIN_KEYS or name.startswith(f"{ELEMENT_ORDER}/"):
            continue
        there = current.get(name) if isinstance(current, dict) else None
        left[name] = unmerged(value, there) if isinstance(value, dict) and isinstance(there, dict) else value
    return left


def _refusal(code: int, words: str) -> Failure:
    if not words:
        return Failure(code, "Invalid", REJECTED, details={})
    return bad_request(words) if code == 400 else Failure(code, "", words)  # noqa: PLR2004 - the only one with a reason


def _unknown_directives(value: Any) -> Iterator[JsonObject]:
    if isinstance(value, dict):
        if value.get(PATCH, "replace") not in _KNOWN:
            yield value
        for item in value.values():
            yield from _unknown_directives(item)
    elif isinstance(value, list):
        for item in value:
            yield from _unknown_directives(item)


def _orders(value: Any) -> Iterator[tuple[str, Any, Any]]:
    """Find each order that a patch asks for: the list's name, the order, and what the patch has of the list."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name.startswith(f"{ELEMENT_ORDER}/"):
                of = name.partition("/")[2]
                yield of, item, value.get(of, [])
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for child in children:
        yield from _orders(child)


def _go_type(value: Any) -> str:
    names = {str: "string", bool: "bool", int: "int64", float: "float64", dict: "map[string]interface {}"}
    return names.get(type(value), "%!s(<nil>)")


def _go_text(value: Any) -> str:
    """Return a value as `%s` prints it."""
    return value if isinstance(value, str) else f"%!s({_go_type(value)}={go_map(value)})"


def _without_merge_key(patch: JsonObject, rules: PatchSchema | None) -> Iterator[tuple[JsonObject, str]]:
    for name, value in patch.items():
        field = field_of(rules, name.removeprefix(f"{ELEMENT_ORDER}/"))
        if isinstance(value, dict):
            yield from _without_merge_key(value, field.schema)
        elif isinstance(value, list) and field.merges and field.merge_key:
            items = [item for item in value if isinstance(item, dict)]
            for item in items:
                if field.merge_key not in item and item.get(PATCH) != "replace":
                    yield item, field.merge_key
                yield from _without_merge_key(item, field.schema)


def go_map(value: Any) -> str:
    """Return a value as `%+v` prints it: `map[spec:map[replicas:x]]`."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{name}:{go_map(value[name])}' for name in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(go_map, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "<nil>" if value is None else str(value)
