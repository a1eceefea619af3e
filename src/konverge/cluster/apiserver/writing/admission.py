"""Where a write meets admission, allocation, and the records that are stored beside it.

`admit` comes before the kind's own rules and may change the object: the server's own plugins, then what authors have
configured. `judge` comes after them, before the storage. What a single kind has (plugins, allocation, records) is an
attribute of its strategy; a kind without one is neither changed nor refused by it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from konverge.api.json_value import json_copy
from konverge.cluster.apiserver.admission import Attributes, pod_security
from konverge.cluster.apiserver.admission.policy import parameter_access
from konverge.cluster.apiserver.admission.policy.parameter_access import ParameterAccess
from konverge.cluster.apiserver.apply import managed
from konverge.cluster.apiserver.apply.typed_error import TypedError
from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.builtin.allocation.recorder import Recorder
from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.reading.scale import scale_of
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.admission_attributes import (
    connect_attributes,
    delete_attributes,
    write_attributes,
)
from konverge.cluster.apiserver.writing.delete_options import DeleteOptions
from konverge.cluster.apiserver.writing.namespaces import set_namespace
from konverge.cluster.apiserver.writing.object_meta import metadata_of
from konverge.cluster.apiserver.writing.options import WriteOptions
from konverge.cluster.apiserver.writing.owners import drop_repeated_owners

_BAD_OWNERS: Final = (
    ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating "
    "admission controller; please fix your requests: {}"
)
_Settle = Callable[[Recorder, JsonObject | None, JsonObject | None], None]


async def admit(
    context: Context, call: Call, value: JsonObject, options: WriteOptions, *, old: JsonObject | None = None
) -> None:
    """Let plugins change an object, or refuse it; nobody gives away rights that they do not have."""
    _admit_by_server(context, call, value, old)
    if context.admission.mutates:
        await _mutate(context, call, value, options, old=old)
    context.access.escalation.check(call.user, call.route, value, old)


def _admit_by_server(context: Context, call: Call, value: JsonObject, old: JsonObject | None) -> None:
    rule: Callable[[Admission], None] | None = getattr(call.resource.strategy, "admit", None)
    if rule is not None:
        rule(admission_of(context, call, value, old))


async def _mutate(
    context: Context, call: Call, value: JsonObject, options: WriteOptions, *, old: JsonObject | None
) -> None:
    shown = json_copy(value)
    call.resource.strategy.canonicalize(shown)
    attributes = write_attributes(call, shown, options, old=old)
    await context.admission.mutate(attributes)
    if attributes.wants_reinvocation:
        attributes.is_reinvoked = True
        _admit_by_server(context, call, shown, old)
        await context.admission.mutate(attributes)
    if attributes.is_changed:
        _check_owners(call, metadata_of(shown), metadata_of(value).get("managedFields"))
        set_namespace(call, metadata_of(shown))
        value.clear()
        value.update(shown)


def _check_owners(call: Call, metadata: JsonObject, managed_before: list[JsonObject] | None) -> None:
    """Take back a record of owners that cannot be read, and drop owner references that stand twice."""
    try:
        managed.decode(metadata.get("managedFields") or [])
    except TypedError as error:
        metadata["managedFields"] = managed_before
        call.warnings.append(_BAD_OWNERS.format(error))
    drop_repeated_owners(call, metadata, is_after_admission=True)


async def mutate_part(
    context: Context, call: Call, value: JsonObject, options: WriteOptions, *, old: JsonObject | None = None
) -> None:
    """Let plugins change what a subresource takes: a Scale, an Eviction, a TokenRequest."""
    if context.admission.mutates:
        await _run_mutators(context, write_attributes(call, value, options, old=old))


async def _run_mutators(context: Context, attributes: Attributes) -> None:
    await context.admission.mutate(attributes)
    if attributes.wants_reinvocation:
        attributes.is_reinvoked = True
        await context.admission.mutate(attributes)


async def judge(
    context: Context, call: Call, value: JsonObject, options: WriteOptions, *, old: JsonObject | None = None
) -> None:
    """Let what authors have configured refuse an object that is ready to be stored."""
    if call.resource.group == parameter_access.GROUP and not call.route.subresource:
        access = ParameterAccess(context.storage, context.resources, context.access.authorization)
        access.check(call.user, call.resource, value, old)
    if (call.resource.group, call.resource.plural) in pod_security.RESOURCES:
        pod_security.judge_pod_security(context.storage, call, value, old)
    rule: Callable[[Admission], None] | None = getattr(call.resource.strategy, "judge", None)
    if rule is not None:
        rule(admission_of(context, call, value, old))
    if not context.admission.validates:
        return
    if call.route.subresource == "scale" and value.get("kind") == call.resource.kind:
        value = scale_of(call.resource, value, needs_replicas=False)
        old = None if old is None else scale_of(call.resource, old, needs_replicas=False)
    await context.admission.validate(write_attributes(call, json_copy(value), options, old=old))


async def judge_deletion(context: Context, call: Call, old: JsonObject, options: DeleteOptions, *, name: str) -> None:
    """Let what authors have configured refuse a deletion: both phases come at once."""
    if context.admission.mutates or context.admission.validates:
        attributes = delete_attributes(call, old, options, name=name)
        await _run_mutators(context, attributes)
        await context.admission.validate(attributes)


async def judge_connection(context: Context, call: Call) -> None:
    """Let what authors have configured refuse a connection: both phases come at once."""
    if context.admission.mutates or context.admission.validates:
        attributes = connect_attributes(call)
        await _run_mutators(context, attributes)
        await context.admission.validate(attributes)


def begin(
    context: Context, call: Call, value: JsonObject, options: WriteOptions, *, old: JsonObject | None = None
) -> None:
    """Give an object what the server gives out, before its kind's own rules look at it."""
    rule: Callable[[Admission], None] | None = getattr(call.resource.strategy, "begin", None)
    if rule is not None:
        rule(replace(admission_of(context, call, value, old), is_dry_run=options.is_dry_run))


def admission_of(context: Context, call: Call, value: JsonObject, old: JsonObject | None) -> Admission:
    """Return a write as the server's own plugins see it."""
    return Admission(
        storage=context.storage,
        authorization=context.access.authorization,
        ids=context.ids,
        user=call.user,
        resource=call.resource,
        namespace=call.route.namespace,
        value=value,
        old=old,
        subresource=call.route.subresource,
    )


def settle(context: Context, resource: Resource, old: JsonObject | None, new: JsonObject | None) -> None:
    """Store what goes with a write, in the same step."""
    rule: _Settle | None = getattr(resource.strategy, "settle", None)
    if rule is not None:
        rule(Recorder(context.storage, context.resources, context.ids), old, new)
