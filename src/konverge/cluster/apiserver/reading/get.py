"""GET of one object, or of what a subresource shows of it."""

from __future__ import annotations

from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import bad_request, not_found
from konverge.cluster.apiserver.reading import component_statuses, version
from konverge.cluster.apiserver.reading.decode import reads_as_stored, stored_object
from konverge.cluster.apiserver.reading.options import truth
from konverge.cluster.apiserver.reading.scale import scale_of
from konverge.cluster.apiserver.storage import Stored


async def get(context: Context, call: Call) -> Outcome:
    """Return one object."""
    if call.request.query:
        await _wait_for_version(context, call)
    if component_statuses.are_meant(call.resource):
        return Outcome(status=200, value=component_statuses.one(call))
    stored = _found(context, call)
    if call.route.subresource == "scale":
        scale = scale_of(call.resource, stored_object(call.resource, stored.value))
        return Outcome(status=200, value=scale, is_own_kind=False)
    encoded = stored.value if reads_as_stored(call.resource) else b""
    if encoded and call.form.is_plain:
        return Outcome(status=200, encoded=encoded)
    return Outcome(status=200, value=stored_object(call.resource, stored.value), encoded=encoded)


async def _wait_for_version(context: Context, call: Call) -> None:
    if truth(call.request, "export"):
        raise bad_request("the export parameter, deprecated since v1.14, is no longer supported")
    await version.reached(context.storage, version.watched(call.request.parameter("resourceVersion")))


def _found(context: Context, call: Call) -> Stored:
    route, resource = call.route, call.resource
    stored = context.storage.get(resource.key(route.namespace, route.name))
    if stored is None:
        raise not_found(resource.plural, resource.group, route.name)
    return stored
