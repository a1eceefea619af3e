"""What tightens a schema: for each keyword, from which old value to which new one stored objects may not fit any more.

Each check is given the old and the new schema of one field and yields the change and why it breaks; the walk goes
through both schemas at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from konverge.api.json_value import json_equal

Json = Mapping[str, Any]
Change = tuple[str, str]
Found = Iterator[tuple[str, str, str]]

_REFUSED = "a stored value outside of it is refused when it is next changed; before Kubernetes 1.33, at any update"
_BRANCHES = ("allOf", "anyOf", "oneOf", "not")
# Keywords that bound a value from below and from above.
_LOWER = ("minimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "maxLength", "maxItems", "maxProperties")
_FLAGS = ("exclusiveMinimum", "exclusiveMaximum", "uniqueItems", "x-kubernetes-embedded-resource")


def schema_changes(old: Json, new: Json, path: str = "") -> Found:
    """Yield the path, the change and the reason of each change that tightens a schema."""
    for check in _CHECKS:
        for change, why in check(old, new):
            yield path, change, why
    yield from _below(old, new, path)


def _below(old: Json, new: Json, path: str) -> Found:
    before, after = old.get("properties") or {}, new.get("properties") or {}
    for name in before:
        if name in after:
            yield from schema_changes(before[name], after[name], _join(path, name))
        else:
            yield from _removed(new, _join(path, name))
    for name in after:
        if name not in before:
            yield from _added(old, new, name, path=path)
    for part, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(old.get(part), Mapping) and isinstance(new.get(part), Mapping):
            yield from schema_changes(old[part], new[part], path + mark)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _removed(new: Json, path: str) -> Found:
    if new.get("x-kubernetes-preserve-unknown-fields") or new.get("additionalProperties"):
        return
    yield path, "the field is gone", "the server drops its value from stored objects when they are next written"


def _added(old: Json, new: Json, name: str, *, path: str) -> Found:
    """A new field is no harm, but where unknown fields were kept: any value may be stored in its place."""
    if old.get("x-kubernetes-preserve-unknown-fields") or isinstance(old.get("additionalProperties"), Mapping):
        yield _join(path, name), "the field has a schema now", "objects may be stored with any value there"
    if name in (new.get("required") or ()) and "default" not in new["properties"][name]:
        why = "stored objects do not have it, and are refused at their next update: give it a default"
        yield _join(path, name), "the new field is required", why


# --- one keyword each ---


def _type(old: Json, new: Json) -> Iterator[Change]:
    before, after = _type_of(old), _type_of(new)
    if after in (before, "any") or (before, after) in _WIDER:
        return
    yield f"the type was {before} and is {after}", "stored values of the old type do not fit it"


_WIDER = {("integer", "number"), ("integer", "int-or-string"), ("string", "int-or-string")}


def _type_of(schema: Json) -> str:
    if schema.get("x-kubernetes-int-or-string"):
        return "int-or-string"
    return str(schema.get("type") or "any")


def _bounds(old: Json, new: Json) -> Iterator[Change]:
    for name in _LOWER:
        if name in new and (name not in old or new[name] > old[name]):
            yield _told(name, old, new), _REFUSED
    for name in _UPPER:
        if name in new and (name not in old or new[name] < old[name]):
            yield _told(name, old, new), _REFUSED


def _told(name: str, old: Json, new: Json) -> str:
    return f"{name} {old[name]} became {new[name]}" if name in old else f"{name} {new[name]} is new"


def _flags(old: Json, new: Json) -> Iterator[Change]:
    for name in _FLAGS:
        if new.get(name) and not old.get(name):
            yield f"{name} is new", _REFUSED
    if old.get("nullable") and not new.get("nullable"):
        yield "nullable is gone", "a stored null is dropped, or refused where the field is required"
    name = "x-kubernetes-preserve-unknown-fields"
    if old.get(name) and not new.get(name):
        yield f"{name} is gone", "the server drops the fields that the schema does not name"


def _multiple(old: Json, new: Json) -> Iterator[Change]:
    wanted, had = new.get("multipleOf"), old.get("multipleOf")
    if wanted is not None and (had is None or had % wanted):
        yield _told("multipleOf", old, new), _REFUSED


def _replaced(old: Json, new: Json) -> Iterator[Change]:
    """Keywords of which nobody can tell whether another value takes less: any other value counts."""
    for name in ("pattern", "format"):
        if new.get(name) and new.get(name) != old.get(name) and not _is_wider_format(old, new, name):
            yield _told(name, old, new), _REFUSED
    for name in _BRANCHES:
        if name in new and not json_equal(old.get(name), new[name]) and not _is_any_type(new):
            yield f"{name} {'changed' if name in old else 'is new'}", _REFUSED


def _is_any_type(new: Json) -> bool:
    """Whether the branches are those that come with an int-or-string."""
    return bool(new.get("x-kubernetes-int-or-string"))


def _is_wider_format(old: Json, new: Json, name: str) -> bool:
    return name == "format" and (old.get(name), new[name]) == ("int32", "int64")


def _enum(old: Json, new: Json) -> Iterator[Change]:
    if "enum" not in new:
        return
    if "enum" not in old:
        yield f"enum {new['enum']} is new", _REFUSED
        return
    gone = [value for value in old["enum"] if not any(json_equal(value, kept) for kept in new["enum"])]
    if gone:
        yield (
            f"enum lost {', '.join(map(str, gone))}",
            "objects that are stored with it are refused at their next update",
        )


def _required(old: Json, new: Json) -> Iterator[Change]:
    before = old.get("properties") or {}
    for name in new.get("required") or ():
        if (
            name in before
            and name not in (old.get("required") or ())
            and "default" not in new["properties"].get(name, {})
        ):
            yield f"{name} is required now", "objects that are stored without it are refused at their next update"


def _default(old: Json, new: Json) -> Iterator[Change]:
    if "default" not in old:
        return
    if "default" not in new:
        yield "the default is gone", "objects that are stored without the field read without it from now on"
    elif not json_equal(old["default"], new["default"]):
        change = f"the default {old['default']} became {new['default']}"
        yield change, "objects that are stored without the field change their meaning when they are read"


def _topology(old: Json, new: Json) -> Iterator[Change]:
    before, after = old.get("x-kubernetes-list-type", "atomic"), new.get("x-kubernetes-list-type", "atomic")
    if before != after:
        why = "duplicates that are stored are refused" if after != "atomic" else "one manager owns the whole list"
        yield f"the list type was {before} and is {after}", f"{why}; owners of its items change with the next apply"
    keys = "x-kubernetes-list-map-keys"
    if before == after == "map" and old.get(keys) != new.get(keys):
        yield f"the keys {old.get(keys)} became {new.get(keys)}", "items that differ in the old keys may be duplicates"
    was, now = old.get("x-kubernetes-map-type", "granular"), new.get("x-kubernetes-map-type", "granular")
    if was != now:
        yield f"the map type was {was} and is {now}", "owners of its fields change with the next apply"


def _rules(old: Json, new: Json) -> Iterator[Change]:
    known = [rule["rule"] for rule in old.get("x-kubernetes-validations") or ()]
    for rule in new.get("x-kubernetes-validations") or ():
        if rule["rule"] not in known:
            yield f"the rule {rule['rule']!r} is new", "objects that break it are refused when this part is updated"


def _map_values(old: Json, new: Json) -> Iterator[Change]:
    if old.get("additionalProperties") and not new.get("additionalProperties"):
        if not new.get("x-kubernetes-preserve-unknown-fields"):
            yield "the map is one no longer", "the server drops the keys that the schema does not name"
    elif isinstance(new.get("additionalProperties"), Mapping) and old.get("x-kubernetes-preserve-unknown-fields"):
        yield "the values have a schema now", "objects may be stored with any value there"


_CHECKS: tuple[Callable[[Json, Json], Iterator[Change]], ...] = (
    _type, _bounds, _flags, _multiple, _replaced, _enum, _required, _default, _topology, _rules, _map_values,
)  # fmt: skip
