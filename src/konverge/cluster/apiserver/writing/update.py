"""Update: PUT of a whole object, of its status, of its scale."""

from __future__ import annotations

from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import not_found
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.admission import admit
from konverge.cluster.apiserver.writing.decode import check_form, decode_object
from konverge.cluster.apiserver.writing.insert import insert
from konverge.cluster.apiserver.writing.live import find_live
from konverge.cluster.apiserver.writing.namespaces import check_namespace, set_namespace
from konverge.cluster.apiserver.writing.object_meta import metadata_of
from konverge.cluster.apiserver.writing.options import WriteOptions, write_options
from konverge.cluster.apiserver.writing.owners import drop_repeated_owners
from konverge.cluster.apiserver.writing.ownership import record_update
from konverge.cluster.apiserver.writing.replace import check_name, check_uid, replace
from konverge.cluster.apiserver.writing.scale import update_scale


async def update(context: Context, call: Call) -> Outcome:
    """Answer a PUT."""
    check_form(call)
    options = write_options(call.request, "UpdateOptions")
    if call.route.subresource == "scale":
        return await update_scale(context, call, options)
    value = decode_object(call, options.field_validation)
    metadata = metadata_of(value)
    set_namespace(call, metadata)
    check_name(call, metadata)
    drop_repeated_owners(call, metadata)
    live = find_live(context, call)
    if live is None:
        return await insert_by_name(context, call, value, options)
    check_uid(call, metadata.get("uid", ""), live)
    value = record_update(call, live.value, value, options)
    check_namespace(context, call, call.route.name, is_create=False)
    await admit(context, call, value, options, old=live.value)
    return await replace(context, call, value, live=live, options=options)


async def insert_by_name(context: Context, call: Call, value: JsonObject, options: WriteOptions) -> Outcome:
    """Create the object that a PUT names, where its kind is created so."""
    resource = call.resource
    if call.route.subresource or not resource.strategy.creates_on_update:
        raise not_found(resource.plural, resource.group, call.route.name)
    check_uid(call, value["metadata"].get("uid", ""), None)
    value["metadata"].pop("resourceVersion", None)
    value = record_update(call, None, value, options)
    check_namespace(context, call, call.route.name, is_create=True)
    await admit(context, call, value, options)
    return await insert(context, call, value, options)
