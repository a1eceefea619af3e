"""Replace: a decoded object becomes the next state of one that is there; the way of PUT and of every patch.

The order is the real server's: version, what the request may not change, metadata, the kind's own rules; then what is
no change at all is left, and an object whose last finalizer went is deleted.
"""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.apply.timestamps import keep_times
from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import bad_request, conflict, invalid
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.admission import begin, judge
from konverge.cluster.apiserver.writing.author import author_errors
from konverge.cluster.apiserver.writing.insert import invalid_object, type_errors
from konverge.cluster.apiserver.writing.live import Live, is_same, put, remove, unchanged
from konverge.cluster.apiserver.writing.metadata_rules import changed_metadata_errors, new_metadata_errors, path_rule
from konverge.cluster.apiserver.writing.options import WriteOptions
from konverge.cluster.apiserver.writing.version import version_number

MODIFIED: Final = "the object has been modified; please apply your changes to the latest version and try again"
# Where the real server keeps kinds whose folder is not their plural: its message shows the key.
_ETCD_FOLDERS: Final = {
    "customresourcedefinitions": "apiextensions.k8s.io/customresourcedefinitions",
    "endpoints": "services/endpoints",
    "ingresses": "ingress",
    "nodes": "minions",
    "replicationcontrollers": "controllers",
    "services": "services/specs",
}


def check_name(call: Call, metadata: JsonObject) -> None:
    """Refuse an object of another name than the URL's."""
    name, expected = metadata.get("name", ""), call.route.name
    if not name:
        why = "name must be provided"
        raise bad_request(f"the name of the object ({expected} based on URL) was undeterminable: {why}")
    if name != expected:
        raise bad_request(f"the name of the object ({name}) does not match the name on the URL ({expected})")


def check_uid(call: Call, uid: str, live: Live | None) -> None:
    """Refuse a PUT that is meant for an object of another uid; one that is not there has none."""
    found = live.metadata.get("uid", "") if live else ""
    if uid and uid != found:
        resource = call.resource
        why = (
            f"StorageError: invalid object, Code: 4, Key: {_etcd_key(call)}, ResourceVersion: 0, AdditionalErrorMsg: "
            f"Precondition failed: UID in precondition: {uid}, UID in object meta: {found}"
        )
        raise conflict(resource.plural, resource.group, call.route.name, why)


def _etcd_key(call: Call) -> str:
    resource, route = call.resource, call.route
    group = [resource.group] if resource.is_custom else []
    namespace = [route.namespace] if resource.namespaced else []
    return "/".join(["/registry", *group, _ETCD_FOLDERS.get(resource.plural, resource.plural), *namespace, route.name])


async def replace(
    context: Context,
    call: Call,
    value: JsonObject,
    *,
    live: Live,
    options: WriteOptions,
    subresource: str | None = None,
) -> Outcome:
    """Make a value the next state of an object."""
    part = call.route.subresource if subresource is None else subresource
    _check_version(call, value["metadata"], live)
    if not part:
        begin(context, call, value, options, old=live.value)
    _take_over(call, value, live, part=part)
    _judge(context, call, value, live=live, part=part)
    keep_times(value, live.value)
    await judge(context, call, value, options, old=live.value)
    if _is_last_finalizer(call, value, live):
        return await _end(context, call, value, live=live, options=options)
    if await is_same(call, value, live):
        return await unchanged(context, call, live)
    if options.is_dry_run:
        return Outcome(status=200, value=value)
    return await put(context, call, value, live=live)


def _check_version(call: Call, metadata: JsonObject, live: Live) -> None:
    resource, current = call.resource, live.metadata["resourceVersion"]
    text = metadata.get("resourceVersion", "")
    number = 0 if not text else int(current) if text == current else version_number(text)
    if not number:
        if not resource.strategy.allows_unconditional_update:
            error = field_error.invalid("metadata.resourceVersion", 0, "must be specified for an update")
            raise invalid(resource.plural, resource.group, call.route.name, [error])
        metadata["resourceVersion"] = current
    elif number != live.stored.revision and str(number) != current:
        raise conflict(resource.plural, resource.group, call.route.name, MODIFIED)


def _take_over(call: Call, value: JsonObject, live: Live, *, part: str) -> None:
    """Take from the old object what this request may not change."""
    metadata, old = value["metadata"], live.metadata
    _keep(metadata, old, "generation")
    metadata.pop("selfLink", None)
    call.resource.strategy.prepare_for_update(value, live.value, subresource=part)
    metadata = value["metadata"]
    if not metadata.get("uid"):
        _keep(metadata, old, "uid")
    if "creationTimestamp" in old:
        metadata["creationTimestamp"] = old["creationTimestamp"]
    if "deletionTimestamp" in old:
        metadata["deletionTimestamp"] = old["deletionTimestamp"]
    if "deletionGracePeriodSeconds" in old and "deletionGracePeriodSeconds" not in metadata:
        metadata["deletionGracePeriodSeconds"] = old["deletionGracePeriodSeconds"]


def _keep(metadata: JsonObject, old: JsonObject, name: str) -> None:
    if name in old:
        metadata[name] = old[name]
    else:
        metadata.pop(name, None)


def _judge(context: Context, call: Call, value: JsonObject, *, live: Live, part: str) -> None:
    resource, metadata = call.resource, value["metadata"]
    if wrong := type_errors(call, value):
        raise invalid_object(call, value, wrong)
    errors = new_metadata_errors(metadata, path_rule, namespaced=resource.namespaced)
    changed = changed_metadata_errors(metadata, live.metadata)
    # The real server judges the change of metadata twice, by the rules of all kinds and by those of nearly each.
    errors += changed + author_errors(context, call, value, old=live.value, part=part)
    errors += changed if resource.strategy.judges_metadata else []
    errors += resource.strategy.validate_update(value, live.value, subresource=part)
    call.warnings.extend(resource.strategy.passed_over(value))
    if errors:
        raise invalid_object(call, value, errors)
    if not part:
        call.warnings.extend(resource.strategy.update_warnings(value, live.value))
    elif part == "status":
        call.warnings.extend(resource.strategy.status_warnings(value))
    resource.strategy.canonicalize(value)


def _is_last_finalizer(call: Call, value: JsonObject, live: Live) -> bool:
    """Whether the object is being deleted, and this write leaves nothing to wait for."""
    old = live.metadata
    if "deletionTimestamp" not in old or old.get("deletionGracePeriodSeconds"):
        return False
    return not value["metadata"].get("finalizers") and call.resource.strategy.may_end(value)


async def _end(context: Context, call: Call, value: JsonObject, *, live: Live, options: WriteOptions) -> Outcome:
    """Delete the object; the answer is what the request made of it, with the version that it had."""
    if not options.is_dry_run:
        await remove(context, call, live)
    return Outcome(status=200, value=value)
