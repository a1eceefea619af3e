"""Create: POST to a collection, and to the subresources that take one."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.writing.admission import admit
from konverge.cluster.apiserver.writing.decode import check_form, decode_object
from konverge.cluster.apiserver.writing.insert import insert, refuse_create
from konverge.cluster.apiserver.writing.namespaces import check_namespace, set_namespace
from konverge.cluster.apiserver.writing.object_meta import metadata_of, wipe_system_fields
from konverge.cluster.apiserver.writing.options import write_options
from konverge.cluster.apiserver.writing.owners import drop_repeated_owners
from konverge.cluster.apiserver.writing.ownership import record_update
from konverge.cluster.apiserver.writing.review import review
from konverge.cluster.apiserver.writing.subresource import bind, create_subresource

_BINDINGS: Final = ("", "bindings")


async def create(context: Context, call: Call) -> Outcome:
    """Answer a POST."""
    check_form(call)
    options = write_options(call.request, "CreateOptions")
    if call.route.subresource:
        return await create_subresource(context, call, options)
    if (call.resource.group, call.resource.plural) == _BINDINGS:
        return await bind(context, call, options)
    if call.resource.verbs == ("create",):
        return await review(context, call, options)
    value = decode_object(call, options.field_validation)
    metadata = metadata_of(value)
    wipe_system_fields(metadata)
    set_namespace(call, metadata)
    drop_repeated_owners(call, metadata)
    value = record_update(call, None, value, options)
    check_namespace(context, call, metadata.get("name") or metadata.get("generateName", ""), is_create=True)
    refuse_create(call.resource, metadata.get("name", ""))
    await admit(context, call, value, options)
    return await insert(context, call, value, options)
