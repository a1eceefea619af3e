"""Writes to the scale subresource: of all that a Scale says, its replicas reach the object."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import bad_request, conflict, invalid, not_found
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.reading.scale import at, scale_of
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.decode import decode_object
from konverge.cluster.apiserver.writing.expected import built_in
from konverge.cluster.apiserver.writing.live import Live, find_live
from konverge.cluster.apiserver.writing.metadata_rules import name_errors
from konverge.cluster.apiserver.writing.name_rules import before_suffix, dns_subdomain
from konverge.cluster.apiserver.writing.namespaces import set_namespace
from konverge.cluster.apiserver.writing.object_meta import metadata_of
from konverge.cluster.apiserver.writing.options import WriteOptions
from konverge.cluster.apiserver.writing.replace import check_name, check_uid, replace

SCALE: Final = built_in("io.k8s.api.autoscaling.v1.Scale", "autoscaling/v1")
_NO_REPLICAS: Final = -(2**31)


async def update_scale(context: Context, call: Call, options: WriteOptions) -> Outcome:
    """Answer a PUT of a scale."""
    scale = decode_object(call, options.field_validation, SCALE)
    metadata = metadata_of(scale)
    set_namespace(call, metadata)
    check_name(call, metadata)
    live = find_live(context, call)
    if live is None:
        raise not_found(call.resource.plural, call.resource.group, call.route.name)
    check_uid(call, metadata.get("uid", ""), live)
    return await write_scale(context, call, scale, live=live, options=options)


def current_scale(call: Call, live: Live) -> JsonObject:
    """Return the Scale of an object as a patch sees it; one without replicas has a number that none can have."""
    if call.resource.scale is None or at(live.value, call.resource.scale.spec_replicas) is not None:
        return scale_of(call.resource, live.value)
    shown = live.copy(call.resource)
    set_at(shown, call.resource.scale.spec_replicas, _NO_REPLICAS)
    return scale_of(call.resource, shown)


async def write_scale(context: Context, call: Call, scale: JsonObject, *, live: Live, options: WriteOptions) -> Outcome:
    """Give an object the replicas of a Scale, and answer with the Scale that it has then.

    The real server keeps no record of who wrote a scale (its field manager does not know the type and gives up), and
    takes the replicas from whoever owned them.
    """
    resource, metadata = call.resource, scale["metadata"]
    _judge(call, scale, live)
    value = live.copy(resource)
    if resource.scale is not None:
        set_at(value, resource.scale.spec_replicas, scale.get("spec", {}).get("replicas", 0))
        _disown(value["metadata"], resource.scale.spec_replicas)
    return await store_scaled(
        context, call, value, live=live, options=options, version=metadata.get("resourceVersion", "")
    )


async def store_scaled(
    context: Context, call: Call, value: JsonObject, *, live: Live, options: WriteOptions, version: str
) -> Outcome:
    """Store an object whose replicas changed, if it has the version that the Scale says."""
    resource = call.resource
    if version:
        value["metadata"]["resourceVersion"] = version
    elif not resource.is_custom:
        value["metadata"].pop("resourceVersion", None)
    outcome = await replace(context, call, value, live=live, options=options, subresource="")
    return Outcome(status=outcome.status, value=scale_of(resource, outcome.value), is_own_kind=False)


def _judge(call: Call, scale: JsonObject, live: Live) -> None:
    resource, metadata, name = call.resource, scale["metadata"], call.route.name
    errors = name_errors(metadata, _name_rule)
    replicas = scale.get("spec", {}).get("replicas", 0)
    if replicas < 0 and not resource.is_custom:
        errors.append(field_error.invalid("spec.replicas", replicas, "must be greater than or equal to 0"))
    if errors:
        raise invalid("Scale", "autoscaling", name, errors)
    uid, found = metadata.get("uid"), live.metadata["uid"]
    if uid and uid != found:
        why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {found}"
        raise conflict(f"{resource.plural}/scale", resource.group, name, why)


def _disown(metadata: JsonObject, path: str) -> None:
    steps = [f"f:{step}" for step in path.split(".")]
    kept = [entry for entry in metadata.get("managedFields", ()) if _without(entry.get("fieldsV1"), steps)]
    if kept:
        metadata["managedFields"] = kept
    else:
        metadata.pop("managedFields", None)


def _without(fields: Any, steps: list[str]) -> Any:
    """Take a path out of a set of fields; return what is left of it."""
    first, *rest = steps
    if isinstance(fields, dict) and first in fields and (not rest or not _without(fields[first], rest)):
        del fields[first]
    return fields


def _name_rule(name: str, *, is_prefix: bool = False) -> list[str]:
    return dns_subdomain(before_suffix(name) if is_prefix else name)


def refuse_without_replicas(call: Call, scale: JsonObject) -> None:
    """Refuse a patch that says nothing of replicas, of an object that has none."""
    if call.resource.scale is not None and scale.get("spec", {}).get("replicas") == _NO_REPLICAS:
        path = f".{call.resource.scale.spec_replicas}"
        raise bad_request(f"the spec replicas field {quoted(path)} cannot be empty")


def set_at(value: JsonObject, path: str, item: Any) -> None:
    """Set what stands at a path of plain names, and make what leads there."""
    *steps, last = path.split(".")
    for step in steps:
        value = value.setdefault(step, {})
    value[last] = item
