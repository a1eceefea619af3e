"""Who owns which field: each write's record in managedFields, kept by the kind's field manager."""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.options import WriteOptions
from konverge.cluster.apiserver.writing.traits import field_manager


def record_update(
    call: Call, live: JsonObject | None, value: JsonObject, options: WriteOptions, *, subresource: str | None = None
) -> JsonObject:
    """Return a new object with the record of a plain write."""
    manager = field_manager(call.resource)
    if manager is None or value.get("kind") != call.resource.kind:
        return value
    where = call.route.subresource if subresource is None else subresource
    return manager.update(live, value, manager=options.manager, subresource=where, time=options.time)


def keep_old_times(value: JsonObject, live: JsonObject) -> None:
    """Put the old records in place of new ones that differ only in their time, where nothing else differs at all.

    Such a write is none: it changes no version.
    """
    new, old = value["metadata"].get("managedFields"), live["metadata"].get("managedFields")
    if not new or not old or new == old or len(new) != len(old):
        return
    if [_timeless(entry) for entry in new] != [_timeless(entry) for entry in old]:
        return
    if _without_records(value) == _without_records(live):
        value["metadata"]["managedFields"] = old


def _timeless(entry: JsonObject) -> JsonObject:
    return {name: item for name, item in entry.items() if name != "time"}


def _without_records(value: JsonObject) -> dict[str, Any]:
    metadata = {name: item for name, item in value["metadata"].items() if name != "managedFields"}
    return {**value, "metadata": metadata}
