"""Deletecollection: every object that a list with the same selectors would show."""

from __future__ import annotations

from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.reading.decode import stored_object
from konverge.cluster.apiserver.reading.listing import find_list, wanted_list
from konverge.cluster.apiserver.reply import list_value
from konverge.cluster.apiserver.storage import Stale
from konverge.cluster.apiserver.writing.decode import check_size
from konverge.cluster.apiserver.writing.delete import delete_object, warn_of_orphans
from konverge.cluster.apiserver.writing.delete_options import DeleteOptions, delete_options
from konverge.cluster.apiserver.writing.in_namespace import in_namespace

_NOT_FOUND = 404


async def delete_collection(context: Context, call: Call) -> Outcome:
    """Answer a DELETE of a collection: the objects as they were."""
    check_size(call.request.body)
    wanted = wanted_list(call)
    options = delete_options(call)
    warn_of_orphans(call, options)
    chosen, about = await find_list(context, wanted)
    await call.resource.strategy.prepare_reading([stored.value for stored in chosen])
    found = [stored_object(call.resource, stored.value) for stored in chosen]
    for value in found:
        metadata = value["metadata"]
        try:
            await _delete(context, in_namespace(call, metadata.get("namespace", "")), metadata["name"], options)
        except Failure as failure:
            if failure.code != _NOT_FOUND:  # someone else was faster
                raise
    return Outcome(status=200, value=list_value(call.resource, found, about))


async def _delete(context: Context, call: Call, name: str, options: DeleteOptions) -> None:
    """Delete one of them; where it changed while admission was asked, ask again."""
    while True:
        try:
            await delete_object(context, call, name, options)
        except Stale:
            continue
        return
