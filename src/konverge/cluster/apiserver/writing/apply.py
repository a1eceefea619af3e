"""Server-side apply: a part of an object, by the one who wants it so; it creates what is not there."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import Failure, bad_request, conflict, internal, not_found
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.admission import admit, mutate_part
from konverge.cluster.apiserver.writing.insert import insert, refuse_create
from konverge.cluster.apiserver.writing.live import Live, find_live
from konverge.cluster.apiserver.writing.namespaces import check_namespace, set_namespace
from konverge.cluster.apiserver.writing.object_meta import metadata_of
from konverge.cluster.apiserver.writing.options import FieldValidation, WriteOptions
from konverge.cluster.apiserver.writing.owners import drop_repeated_owners
from konverge.cluster.apiserver.writing.replace import check_name, replace
from konverge.cluster.apiserver.writing.scale import ScaleOwners, scale_manager, set_at, store_scaled
from konverge.cluster.apiserver.writing.yaml_body import InvalidYaml, as_object, read_yaml

_LONG: Final = "error converting YAML to JSON: "
_IMPROPER: Final = "to proper version: request to convert CR to an invalid group/version: autoscaling/v1"
_NO_CUSTOM_SCALE: Final = (
    "failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) "
    f"{_IMPROPER}"
)


async def apply(context: Context, call: Call, options: WriteOptions) -> Outcome:
    """Answer a PATCH that applies."""
    live = find_live(context, call)
    if live is None and call.route.subresource:
        raise not_found(call.resource.plural, call.resource.group, call.route.name)
    patch, repeated = _read(call.request.body)
    if call.route.subresource == "scale" and live is not None:
        return await _apply_scale(context, call, patch, live=live, options=options)
    value = _applied(call, live, patch, options)
    _judge_repeated(call, repeated, options)
    if not call.resource.is_custom:
        _become_struct(call, value, patch)
    call.resource.strategy.default(value)
    metadata = metadata_of(value)
    for name in [name for name, item in metadata.items() if item is None]:
        del metadata[name]  # emptied by the apply: Go's metadata has no nulls
    if live is None:
        _refuse_uid(call, metadata)
    set_namespace(call, metadata)
    check_name(call, metadata)
    check_namespace(context, call, call.route.name, is_create=live is None)
    drop_repeated_owners(call, metadata, is_after_admission=True)
    if live is not None:
        await admit(context, call, value, options, old=live.value)
        return await replace(context, call, value, live=live, options=options)
    refuse_create(call.resource, call.route.name)
    metadata.pop("resourceVersion", None)
    await admit(context, call, value, options)
    return await insert(context, call, value, options)


def _read(body: bytes) -> tuple[JsonObject, list[str]]:
    try:
        value, repeated = read_yaml(body.decode("utf-8", "replace"))
        return as_object(value), repeated
    except InvalidYaml as error:
        words = str(error)
        raise bad_request(f"error decoding YAML: {_LONG if words.startswith('yaml:') else ''}{words}") from None


def _judge_repeated(call: Call, repeated: list[str], options: WriteOptions) -> None:
    if not repeated or options.field_validation is FieldValidation.IGNORE:
        return
    if options.field_validation is FieldValidation.STRICT:
        shown = "".join(f"\n  {line}" for line in repeated)
        raise bad_request(f"error strict decoding YAML: {_LONG}yaml: unmarshal errors:{shown}")
    call.warnings.extend(repeated)


def _applied(call: Call, live: Live | None, patch: JsonObject, options: WriteOptions) -> JsonObject:
    manager = call.resource.strategy.field_manager
    if manager is None:
        raise internal(f"{call.resource.kind} has no field manager")
    return manager.apply(
        live.value if live else None,
        patch,
        manager=options.manager,
        force=options.force,
        subresource=call.route.subresource,
        time=options.time,
    )


def _become_struct(call: Call, value: JsonObject, patch: JsonObject) -> None:
    """Bring a built-in object into the form of its Go struct: empty parts go, quantities get their form."""
    try:
        call.resource.strategy.prune(value)
    except Failure as failure:
        group, _, version = call.resource.api_version.rpartition("/")
        kind = f"{group}/{version}, Kind={call.resource.kind}"
        metadata = metadata_of(patch)
        name = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
        why = f"unable to convert unstructured object to {kind}: error decoding from json: {failure.message}"
        raise Failure(500, "", f"failed to convert new object ({name}; {kind}) to proper version: {why}") from None


def _unconvertible(metadata: JsonObject) -> str:
    name = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
    return f"failed to convert new object ({name}; autoscaling/v1, Kind=Scale) {_IMPROPER}"


def _refuse_uid(call: Call, metadata: JsonObject) -> None:
    if uid := metadata.get("uid"):
        why = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        raise conflict(call.resource.plural, call.resource.group, call.route.name, why)


async def _apply_scale(
    context: Context, call: Call, patch: JsonObject, *, live: Live, options: WriteOptions
) -> Outcome:
    """Apply the replicas of a Scale to the object that has them."""
    resource = call.resource
    owners = ScaleOwners(call, live)
    if resource.scale is None or (resource.is_custom and not owners.scale["metadata"]["managedFields"]):
        raise Failure(500, "", _NO_CUSTOM_SCALE)
    applied = scale_manager().apply(
        owners.scale, patch, manager=options.manager, force=options.force, subresource="scale", time=options.time
    )
    if resource.is_custom:  # the real server can tell a conflict, but no more
        raise Failure(500, "", _unconvertible(metadata_of(patch)))
    metadata = metadata_of(applied)
    set_namespace(call, metadata)
    check_name(call, metadata)
    await mutate_part(context, call, applied, options, old=owners.scale)
    metadata = metadata_of(applied)
    value = live.copy(resource)
    set_at(value, resource.scale.spec_replicas, applied.get("spec", {}).get("replicas", 0))
    owners.hand_back(applied, value)
    version = metadata.get("resourceVersion", "")
    return await store_scaled(context, call, value, live=live, options=options, version=version)
