"""Who owns which field: each write's record in managedFields, kept by the kind's field manager."""

from __future__ import annotations

from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.options import WriteOptions


def record_update(
    call: Call, live: JsonObject | None, value: JsonObject, options: WriteOptions, *, subresource: str | None = None
) -> JsonObject:
    """Return a new object with the record of a plain write."""
    manager = call.resource.strategy.field_manager
    if manager is None or value.get("kind") != call.resource.kind:
        return value
    where = call.route.subresource if subresource is None else subresource
    return manager.update(live, value, manager=options.manager, subresource=where, time=options.time)
