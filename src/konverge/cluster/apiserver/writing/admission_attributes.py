"""The attributes of a write: what admission is told of it, made of the call and the objects."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from konverge.cluster.apiserver.admission import Attributes, GroupVersionKind, Operation
from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.delete_options import DeleteOptions
from konverge.cluster.apiserver.writing.expected import built_in, expected_of
from konverge.cluster.apiserver.writing.object_meta import metadata_of
from konverge.cluster.apiserver.writing.options import WriteOptions, truth

_SCALE: Final = GroupVersionKind("autoscaling", "v1", "Scale")
_NAMESPACES: Final = ("", "namespaces")
_FLAGS: Final = ("stdin", "stdout", "stderr", "tty")
_META: Final = "meta.k8s.io/v1"


def write_attributes(
    call: Call, value: JsonObject, options: WriteOptions, *, old: JsonObject | None = None
) -> Attributes:
    """Return the attributes of a create or, with an old object, of an update."""
    operation = Operation.CREATE if old is None else Operation.UPDATE
    name = call.route.name or metadata_of(value).get("name", "")
    kind = kind_at(call.resource, call.route.subresource)
    return Attributes(
        operation=operation,
        resource=call.resource,
        subresource=call.route.subresource,
        kind=kind,
        namespace=_namespace(call, name),
        name=name,
        value=value,
        old=old,
        read=_reader(call.resource, kind),
        options=_write_options(call, operation),
        is_dry_run=options.is_dry_run,
        user=call.user,
        warnings=call.warnings,
        deadline=call.deadline,
    )


def delete_attributes(call: Call, old: JsonObject, options: DeleteOptions, *, name: str) -> Attributes:
    """Return the attributes of a deletion."""
    return Attributes(
        operation=Operation.DELETE,
        resource=call.resource,
        subresource=call.route.subresource,
        kind=GroupVersionKind.of(call.resource),
        namespace=_namespace(call, name),
        name=name,
        value=None,
        old=old,
        read=_unread,
        options={"kind": "DeleteOptions", "apiVersion": _META, **options.given},
        is_dry_run=options.is_dry_run,
        user=call.user,
        warnings=call.warnings,
        deadline=call.deadline,
    )


def connect_attributes(call: Call) -> Attributes:
    """Return the attributes of a connection to what runs: its object is what was asked for in the query."""
    kind = kind_at(call.resource, call.route.subresource)
    return Attributes(
        operation=Operation.CONNECT,
        resource=call.resource,
        subresource=call.route.subresource,
        kind=kind,
        namespace=_namespace(call, call.route.name),
        name=call.route.name,
        value={"kind": kind.kind, "apiVersion": kind.api_version, **_connect_options(call)},
        read=_unread,
        options={},
        user=call.user,
        warnings=call.warnings,
        deadline=call.deadline,
    )


def _connect_options(call: Call) -> JsonObject:
    asked = {name: call.request.parameters(name) for name in _FLAGS}
    options: JsonObject = {name: truth(found[0]) for name, found in asked.items() if found}
    if container := call.request.parameter("container"):
        options["container"] = container
    if command := call.request.parameters("command"):
        options["command"] = list(command)
    if ports := call.request.parameters("ports"):
        options["ports"] = [int(port) for port in ports if port.isdecimal()]
    return {name: value for name, value in options.items() if value}


def _unread(value: JsonObject) -> None:
    """Read nothing: there is no object that could be changed."""


def kind_at(resource: Resource, subresource: str) -> GroupVersionKind:
    """Return the type of what a resource or its subresource takes."""
    if not subresource:
        return GroupVersionKind.of(resource)
    if resource.is_custom:
        return _SCALE if subresource == "scale" else GroupVersionKind.of(resource)
    return _kind_of_subresource(resource.group, resource.version, resource.plural, subresource)


@cache
def _kind_of_subresource(group: str, version: str, plural: str, subresource: str) -> GroupVersionKind:
    for found in catalogue.subresources(group, version, plural):
        if found.name == subresource:
            return GroupVersionKind(found.group, found.version, found.kind)
    raise ValueError(f"{plural} have no subresource {subresource}")


def _namespace(call: Call, name: str) -> str:
    """Return the namespace of a write; a Namespace is in the one of its own name."""
    if (call.resource.group, call.resource.plural) == _NAMESPACES:
        return call.route.namespace or name
    return call.route.namespace


def _reader(resource: Resource, kind: GroupVersionKind) -> Callable[[JsonObject], object]:
    if kind == GroupVersionKind.of(resource):
        # The real server does not prune what a webhook returns until it is read from the storage.
        return resource.strategy.default if resource.is_custom else expected_of(resource).read
    schema = catalogue.schema_name(*kind)
    return _unread if schema is None else built_in(schema, kind.api_version).read


def _write_options(call: Call, operation: Operation) -> JsonObject:
    """Return the options as an object; a patch has those of the create or update that it is."""
    kind = "CreateOptions" if operation is Operation.CREATE else "UpdateOptions"
    options: JsonObject = {"kind": kind, "apiVersion": _META}
    if dry_run := call.request.parameters("dryRun"):
        options["dryRun"] = list(dry_run)
    for name in ("fieldManager", "fieldValidation"):
        if text := call.request.parameter(name):
            options[name] = text
    return options
