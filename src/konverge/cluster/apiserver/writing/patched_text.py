"""The patched object as the real server's refusal of a patch shows it.

Go's patch library sorts what a patch touched and leaves the rest as the object was written, in the order of Go's types.
Of these only metadata's order is known here; other parts are shown sorted.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.strategy import JsonObject

_METADATA: Final = (
    *("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp"),
    *("deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers"),
    "managedFields",
)
_OWNER: Final = ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")
_ENTRY: Final = ("manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource")


def patched_text(value: Any, patch: Any, *, is_custom: bool) -> str:
    """Return a patched object as text; `patch` is a merge patch or the operations of a JSON patch."""
    text = msgspec.json.encode(value, order="sorted")
    if is_custom or not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        return text.decode()
    value = msgspec.json.decode(text)
    names = tuple(value["metadata"]) if _touches_metadata(patch) else _METADATA
    value["metadata"] = _ordered(value["metadata"], names)
    return msgspec.json.encode(value).decode()


def _touches_metadata(patch: Any) -> bool:
    if isinstance(patch, dict):
        return "metadata" in patch
    places = (str(operation.get(name, "")) for operation in patch if operation for name in ("path", "from"))
    return any(place.startswith("/metadata") for place in places)


def _ordered(metadata: JsonObject, names: tuple[str, ...]) -> JsonObject:
    found = {name: metadata[name] for name in names if name in metadata}
    for name, inner in (("ownerReferences", _OWNER), ("managedFields", _ENTRY)):
        if isinstance(found.get(name), list):
            found[name] = [_ordered(item, inner) for item in found[name]]
    return found
