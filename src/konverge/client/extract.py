"""What one manager owns of an object, cut out of it by the server's record of field ownership (managedFields)."""

from __future__ import annotations

from typing import Any

import msgspec

from konverge.api.model import encode
from konverge.api.object import O, Object, mark_extracted, origin_of, read
from konverge.errors import RequestError


def extracted(live: O, field_owner: str, *, subresource: str = "") -> O:
    """Return the fields of a live object that this manager has applied, unknown ones included, fit to apply again."""
    origin = origin_of(live)
    if origin is None:
        raise RequestError(f'{live.kind} "{live.metadata.key}" was not read from the server: nothing to extract from')
    whole = msgspec.json.decode(origin.data)
    found: dict[str, Any] = {"apiVersion": live.api_version, "kind": live.kind}
    for entry in live.metadata.managed_fields or ():
        applied = entry.operation == "Apply" and (entry.subresource or "") == subresource
        # One entry for each version the manager has applied in; only this version's names fit the object.
        if applied and entry.manager == field_owner and entry.api_version == live.api_version:
            found |= owned(whole, entry.fields_v1 or {})
    names = {key: value for key in ("name", "namespace") if (value := whole.get("metadata", {}).get(key))}
    found["metadata"] = {**found.get("metadata", {}), **names}
    result = mark_extracted(read(type(live), encode(found)))
    if (cut := origin_of(result)) is not None:
        cut.partial = True
    return result


def refuse_if_read(obj: Object) -> None:
    """Refuse to apply an object that was read: applying it would make this manager the owner of every field in it."""
    origin = origin_of(obj)
    if origin is not None and not origin.extracted:
        raise RequestError(
            f'{obj.kind} "{obj.metadata.key}" was read from the server, and applying it would claim all its fields: '
            "apply an object that holds only what you want, or one from client.extract"
        )


def refuse_if_partial(obj: Object) -> None:
    """Refuse to replace an object by what one manager owns of it: the fields of all others would be deleted."""
    origin = origin_of(obj)
    if origin is not None and origin.partial:
        raise RequestError(
            f'{obj.kind} "{obj.metadata.key}" came from client.extract, and an update with it would delete the fields '
            "of other managers: apply it instead"
        )


def owned(value: Any, fields: dict[str, Any]) -> Any:
    """Cut a set of fields (FieldsV1) out of a value; the empty set stands for all of it."""
    if not fields:
        return value
    if isinstance(value, dict):
        below = {key[2:]: inner for key, inner in fields.items() if key.startswith("f:")}
        return {name: owned(value[name], inner) for name, inner in below.items() if name in value}
    if isinstance(value, list):
        return [part for item in value for part in _owned_item(item, fields)]
    return value


def _owned_item(item: Any, fields: dict[str, Any]) -> list[Any]:
    """The part of a list's item that is owned: none, or one."""
    for key, inner in fields.items():
        if key.startswith("k:") and isinstance(item, dict):
            keys: dict[str, Any] = msgspec.json.decode(key[2:])
            if all(item.get(name) == value for name, value in keys.items()):
                below = {name: fields for name, fields in inner.items() if name != "."}
                return [{**keys, **owned(item, below)} if below else keys]
        if key.startswith("v:") and msgspec.json.decode(key[2:]) == item:
            return [item]
    return []
