"""API services: a group and version, which make the name, and who serves them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.config_data import size_of_bytes
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.port import port_number
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject

_HIGHEST: Final = {"groupPriorityMinimum": 20000, "versionPriority": 1000}
_LOCAL: Final = {
    "type": "Available",
    "status": "True",
    "reason": "Local",
    "message": "Local APIServices are always available",
}
_STATES: Final = ("True", "False", "Unknown")


def _prepare_for_create(value: JsonObject) -> None:
    if (value.get("spec") or {}).get("service") is None:  # this very server's
        value["status"] = {"conditions": [{**_LOCAL, "lastTransitionTime": format_time(now())}]}


def _validate(value: JsonObject) -> list[FieldError]:
    spec, name = value.get("spec") or {}, value["metadata"].get("name", "")
    group, version = spec.get("group", ""), spec.get("version", "")
    errors = []
    if name and name != f"{version}.{group}":
        wrong = f'must be `spec.version+"."+spec.group`: {quoted(f"{version}.{group}")}'
        errors.append(field_error.invalid("metadata.name", name, wrong))
    return [*errors, *_version_errors(group, version), *_priority_errors(spec), *_server_errors(spec)]


def _version_errors(group: str, version: str) -> Iterator[FieldError]:
    if not group and version != "v1":
        yield field_error.required("spec.group", "only v1 may have an empty group and it better be legacy kube")
    if group:
        yield from (field_error.invalid("spec.group", group, wrong) for wrong in name_rules.dns_subdomain(group))
    yield from (field_error.invalid("spec.version", version, wrong) for wrong in name_rules.dns_1035_label(version))


def _priority_errors(spec: JsonObject) -> Iterator[FieldError]:
    for name, highest in _HIGHEST.items():
        if not 0 < spec.get(name, 0) <= highest:
            yield field_error.invalid(f"spec.{name}", spec.get(name, 0), f"must be positive and less than {highest}")


def _server_errors(spec: JsonObject) -> Iterator[FieldError]:
    service, bundle, is_insecure = spec.get("service"), spec.get("caBundle"), spec.get("insecureSkipTLSVerify")
    where = "spec.insecureSkipTLSVerify"
    if service is None:
        if bundle:
            size = size_of_bytes({"caBundle": bundle})
            yield field_error.invalid("spec.caBundle", f"{size} bytes", "local APIServices may not have a caBundle")
        if is_insecure:
            yield field_error.invalid(where, True, "local APIServices may not have insecureSkipTLSVerify")
        return
    yield from (field_error.required(f"spec.service.{name}") for name in ("namespace", "name") if not service.get(name))
    port = service.get("port", 0)
    if wrong := port_number(port):
        yield field_error.invalid("spec.service.port", port, f"port is not valid: {', '.join(wrong)}")
    if is_insecure and bundle:
        yield field_error.invalid(where, True, "may not be true if caBundle is present")


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - all of it may change
    return list(_status_errors(value)) if subresource == "status" else _validate(value)


def _status_errors(value: JsonObject) -> Iterator[FieldError]:
    for index, condition in enumerate((value.get("status") or {}).get("conditions") or ()):
        if condition.get("status", "") not in _STATES:
            path = f"status.conditions[{index}].status"
            yield field_error.not_supported(path, condition.get("status", ""), _STATES)


API_SERVICE: Final = KindRules(
    prepare_for_create=_prepare_for_create, validate=_validate, validate_update=_validate_update
)
