"""JSON merge patch (RFC 7386): `apply` one to a document, `create` one from two documents.

In a merge patch null means "remove", so it cannot set a field to null, and a list is always replaced whole. `create`
refuses a document it cannot express rather than lose the null; JSON Patch can express it.
"""

from __future__ import annotations

from konverge.api.invalid import InvalidPatch
from konverge.api.json_patch import escape
from konverge.api.json_value import Json, json_copy, json_equal


def apply(document: Json, patch: Json) -> Json:
    """Return the patched document; neither argument changes."""
    if not isinstance(patch, dict):
        return json_copy(patch)
    result = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = apply(result.get(key), value)
    return {key: value if key in patch else json_copy(value) for key, value in result.items()}


def create(before: Json, after: Json) -> Json:
    """Return a patch that turns `before` into `after`; an empty object where two objects are the same JSON."""
    return _create(before, after, "")


def _create(before: Json, after: Json, path: str) -> Json:
    if not isinstance(after, dict):
        return json_copy(after)
    old = before if isinstance(before, dict) else {}
    patch = {key: None for key in old if key not in after}
    for key, value in after.items():
        if key not in old or not json_equal(old[key], value):
            patch[key] = _set(old.get(key), value, f"{path}/{escape(key)}")
    return patch


def _set(before: Json, after: Json, path: str) -> Json:
    if after is None:
        raise InvalidPatch(f"a merge patch cannot set {path} to null, which means to remove it: use a JSON patch")
    return _create(before, after, path)
