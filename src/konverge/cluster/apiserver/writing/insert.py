"""Insert: a decoded object becomes a stored one, by POST or by a write to a name that was free."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import Failure, already_exists, forbidden, invalid
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.admission import begin, judge
from konverge.cluster.apiserver.writing.author import author_errors
from konverge.cluster.apiserver.writing.live import Live, find_live, put
from konverge.cluster.apiserver.writing.metadata_rules import name_errors, new_metadata_errors, path_rule
from konverge.cluster.apiserver.writing.options import WriteOptions
from konverge.cluster.apiserver.writing.version import version_number

_ATTEMPTS: Final = 8  # to find a free name
_LONGEST_PREFIX: Final = 58  # of 63 characters; five are drawn
_TAKEN: Final = "the server was not able to generate a unique name for the object"
CREATED: Final = 201


def refuse_create(resource: Resource, name: str) -> None:
    """Raise where nothing of this kind can be created now."""
    if why := resource.strategy.refuses_create:
        raise forbidden(resource.plural, resource.group, name, why)


async def insert(context: Context, call: Call, value: JsonObject, options: WriteOptions) -> Outcome:
    """Store a new object under its name, or under one that is made up for it."""
    metadata = value["metadata"]
    metadata["creationTimestamp"] = options.time
    metadata["uid"] = context.ids.uid()
    is_generated = not metadata.get("name") and bool(metadata.get("generateName"))
    if is_generated:
        _draw_free_name(context, call, metadata)
    begin(context, call, value, options)
    call.warnings.extend(call.resource.strategy.outdated(value))
    call.resource.strategy.prepare_for_create(value)
    _judge(context, call, value)
    call.resource.strategy.canonicalize(value)
    await judge(context, call, value, options)
    if metadata.get("resourceVersion") and not options.is_dry_run:
        if version_number(metadata["resourceVersion"], default=0):
            raise Failure(500, "", "resourceVersion should not be set on objects to be created")
        del metadata["resourceVersion"]
    if (taken := find_live(context, call, metadata["name"])) is not None:
        raise _exists(call, taken, is_generated=is_generated)
    if options.is_dry_run:
        return Outcome(status=CREATED, value=value)
    return await put(context, call, value, live=None, status=CREATED)


def _draw_free_name(context: Context, call: Call, metadata: JsonObject) -> None:
    prefix = metadata["generateName"][:_LONGEST_PREFIX]
    for _ in range(_ATTEMPTS):
        metadata["name"] = prefix + context.ids.suffix()
        if context.storage.newest(call.resource.key(call.route.namespace, metadata["name"])) is None:
            return


def _exists(call: Call, taken: Live, *, is_generated: bool) -> Failure:
    name: str = taken.metadata["name"]
    failure = already_exists(call.resource.plural, call.resource.group, name)
    if is_generated:
        failure.message += f", {_TAKEN}"
        failure.retry_after = 1
    elif "deletionTimestamp" in taken.metadata:
        failure.message = f"object is being deleted: {failure.message}"
    return failure


def _judge(context: Context, call: Call, value: JsonObject) -> None:
    """Let the kind judge the object, then the rules that hold for all."""
    resource, metadata = call.resource, value["metadata"]
    errors = type_errors(call, value)
    if not errors:
        errors = author_errors(context, call, value)
        if resource.strategy.judges_metadata:
            errors += new_metadata_errors(metadata, resource.strategy.validate_name, namespaced=resource.namespaced)
        errors += resource.strategy.validate(value)
    if not errors and resource.strategy.judges_metadata:
        errors = name_errors(metadata, path_rule)  # all else of the metadata has been judged
    elif not errors:
        errors = new_metadata_errors(metadata, path_rule, namespaced=resource.namespaced)
    if errors:
        raise invalid_object(call, value, errors)
    call.warnings.extend(resource.strategy.warnings(value))


def type_errors(call: Call, value: JsonObject) -> list[FieldError]:
    """Judge the type of a custom resource: its decoder takes any."""
    resource = call.resource
    if value["kind"] != resource.kind:
        return [field_error.invalid("kind", value["kind"], f"must be {resource.kind}")]
    if value["apiVersion"] != resource.api_version:
        return [field_error.invalid("apiVersion", value["apiVersion"], f"must be {resource.api_version}")]
    return []


def invalid_object(call: Call, value: JsonObject, errors: list[FieldError]) -> Failure:
    """Return the refusal of an object, by the type that it claims."""
    resource = call.resource
    own = resource.group if resource.storage_group is None else resource.storage_group
    group = value["apiVersion"].rpartition("/")[0] if resource.is_custom else own
    return invalid(value["kind"], group, value["metadata"].get("name", ""), errors)
