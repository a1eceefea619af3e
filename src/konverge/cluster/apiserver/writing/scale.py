"""Writes to the scale subresource: of all that a Scale says, its replicas reach the object."""

from __future__ import annotations

from dataclasses import replace as replaced
from functools import cache
from typing import Any, Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.apply.field_manager import FieldManager
from konverge.cluster.apiserver.apply.scale import ScaleFields, scale_field_manager
from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import bad_request, conflict, invalid, not_found
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.name_rules import before_suffix, dns_subdomain
from konverge.cluster.apiserver.reading.scale import at, scale_of
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.admission import mutate_part
from konverge.cluster.apiserver.writing.decode import Findings, decode_object, read_body, type_of
from konverge.cluster.apiserver.writing.expected import built_in
from konverge.cluster.apiserver.writing.live import Live, find_live
from konverge.cluster.apiserver.writing.metadata_rules import name_errors
from konverge.cluster.apiserver.writing.namespaces import set_namespace
from konverge.cluster.apiserver.writing.object_meta import metadata_of
from konverge.cluster.apiserver.writing.options import FieldValidation, WriteOptions
from konverge.cluster.apiserver.writing.replace import check_name, check_uid, replace

SCALE: Final = built_in("io.k8s.api.autoscaling.v1.Scale", "autoscaling/v1")
_CUSTOM_SCALE: Final = replaced(
    SCALE, foreign='no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"'
)
_NO_REPLICAS: Final = -(2**31)


async def update_scale(context: Context, call: Call, options: WriteOptions) -> Outcome:
    """Answer a PUT of a scale."""
    scale = decode_object(call, options.field_validation, _CUSTOM_SCALE if call.resource.is_custom else SCALE)
    metadata = metadata_of(scale)
    set_namespace(call, metadata)
    check_name(call, metadata)
    live = find_live(context, call)
    if live is None:
        raise not_found(call.resource.plural, call.resource.group, call.route.name)
    check_uid(call, metadata.get("uid", ""), live)
    # The real server forgets who owns the replicas of a custom resource where the new scale does not say its type.
    keeps_owners = not call.resource.is_custom or _says_type(call)
    return await write_scale(context, call, scale, live=live, options=options, keeps_owners=keeps_owners)


def _says_type(call: Call) -> bool:
    return all(type_of(read_body(call, Findings(FieldValidation.IGNORE))))


def current_scale(call: Call, live: Live) -> JsonObject:
    """Return the Scale of an object as a patch sees it; one without replicas has a number that none can have."""
    if call.resource.scale is None or at(live.value, call.resource.scale.spec_replicas) is not None:
        return scale_of(call.resource, live.value)
    shown = live.copy(call.resource)
    set_at(shown, call.resource.scale.spec_replicas, _NO_REPLICAS)
    return scale_of(call.resource, shown)


async def write_scale(
    context: Context,
    call: Call,
    scale: JsonObject,
    *,
    live: Live,
    options: WriteOptions,
    keeps_owners: bool = True,
) -> Outcome:
    """Give an object the replicas of a Scale, and answer with the Scale that it has then."""
    resource, owners = call.resource, ScaleOwners(call, live)
    scale = owners.after(scale, options)
    await mutate_part(context, call, scale, options, old=owners.scale)
    _judge(call, scale, live)
    value = live.copy(resource)
    if resource.scale is not None:
        set_at(value, resource.scale.spec_replicas, scale.get("spec", {}).get("replicas", 0))
        owners.hand_back(scale if keeps_owners else {"metadata": {}}, value)
    version = scale["metadata"].get("resourceVersion", "")
    return await store_scaled(context, call, value, live=live, options=options, version=version)


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


class ScaleOwners:
    """Who owns the replicas: as the Scale shows it, and handed back to the object."""

    def __init__(self, call: Call, live: Live) -> None:
        api_version, path = call.resource.api_version, call.resource.scale.spec_replicas if call.resource.scale else ""
        self._fields = ScaleFields(live.metadata.get("managedFields", []), api_version, {api_version: path})
        self.scale = current_scale(call, live)
        self.scale["metadata"]["managedFields"] = self._fields.to_scale()

    def after(self, scale: JsonObject, options: WriteOptions) -> JsonObject:
        """Return a new Scale with the record of its write."""
        if not scale.get("spec", {}).get("replicas"):
            scale["spec"] = {}  # Go leaves a zero out, so nobody owns it
        manager, when = scale_manager(), options.time
        return manager.update(self.scale, scale, manager=options.manager, subresource="scale", time=when)

    def hand_back(self, scale: JsonObject, value: JsonObject) -> None:
        """Give an object the owners that its Scale has now."""
        entries = self._fields.to_parent(scale["metadata"].get("managedFields", []))
        if entries:
            value["metadata"]["managedFields"] = entries
        else:
            value["metadata"].pop("managedFields", None)


@cache
def scale_manager() -> FieldManager:
    """Return the field manager of all scales."""
    return scale_field_manager()


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
