"""Deletecollection: every object that a list with the same selectors would show."""

from __future__ import annotations

from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.reading.decode import stored_object
from konverge.cluster.apiserver.reading.options import list_options
from konverge.cluster.apiserver.reading.scope import namespace_of, prefix_of
from konverge.cluster.apiserver.reading.selection import selection
from konverge.cluster.apiserver.reply import list_value
from konverge.cluster.apiserver.storage import Stored
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.decode import check_size
from konverge.cluster.apiserver.writing.delete import delete_object
from konverge.cluster.apiserver.writing.delete_options import delete_options
from konverge.cluster.apiserver.writing.in_namespace import in_namespace

_NOT_FOUND = 404


async def delete_collection(context: Context, call: Call) -> Outcome:
    """Answer a DELETE of a collection: the objects as they were."""
    check_size(call.request.body)
    chosen, revision = _chosen(context, call)
    options = delete_options(call)
    found = [stored_object(call.resource, stored.value) for stored in chosen]
    for value in found:
        metadata = value["metadata"]
        try:
            await delete_object(context, in_namespace(call, metadata.get("namespace", "")), metadata["name"], options)
        except Failure as failure:
            if failure.code != _NOT_FOUND:  # someone else was faster
                raise
    about: JsonObject = {"resourceVersion": str(revision)}
    if call.resource.is_custom:
        about["continue"] = ""
    return Outcome(status=200, value=list_value(call.resource, found, about))


def _chosen(context: Context, call: Call) -> tuple[list[Stored], int]:
    resource = call.resource
    options = list_options(call.request)
    chosen = selection(resource, labels=options.label_selector, fields=options.field_selector)
    page = context.storage.range(prefix_of(resource, namespace_of(resource, call.route, chosen)))
    found = [stored for stored in page.items if not chosen or chosen.takes(resource, stored.value)]
    return found[: options.limit] if options.limit > 0 else found, page.revision
