"""Priority classes: below what the system needs, and fixed once made. They start at generation 1, which stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_HIGHEST: Final = 1_000_000_000  # that anyone but the system may give
_PREFIX: Final = "system-"
_SYSTEM: Final[Mapping[str, int]] = {
    "system-node-critical": 2 * _HIGHEST + 1000,
    "system-cluster-critical": 2 * _HIGHEST,
}
_POLICIES: Final = ("PreemptLowerPriority", "Never")


def _prepare_for_create(value: JsonObject) -> None:
    value["metadata"]["generation"] = 1


def _validate(value: JsonObject) -> list[FieldError]:
    name, policy = value["metadata"].get("name", ""), value.get("preemptionPolicy")
    errors = []
    if name.startswith(_PREFIX):
        if wrong := _system_fault(name, value):
            reserved = f"priority class names with '{_PREFIX}' prefix are reserved for system use only. error: {wrong}"
            errors.append(field_error.forbidden("metadata.name", reserved))
    elif value.get("value", 0) > _HIGHEST:
        errors.append(field_error.forbidden("value", f"maximum allowed value of a user defined priority is {_HIGHEST}"))
    if policy is not None and policy not in _POLICIES:
        errors.append(
            field_error.required("preemptionPolicy")
            if not policy
            else field_error.not_supported("preemptionPolicy", policy, _POLICIES)
        )
    return errors


def _system_fault(name: str, value: JsonObject) -> str:
    if name not in _SYSTEM:
        return f"{name} is not a known system priority class"
    if value.get("value", 0) != _SYSTEM[name]:
        return f"value of {name} PriorityClass must be {_SYSTEM[name]}"
    return f"globalDefault of {name} PriorityClass must be false" if value.get("globalDefault") else ""


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    errors = []
    if value.get("value", 0) != old.get("value", 0):
        errors.append(field_error.forbidden("value", "may not be changed in an update."))
    if value.get("preemptionPolicy") != old.get("preemptionPolicy"):
        errors.append(field_error.invalid("preemptionPolicy", value.get("preemptionPolicy"), "field is immutable"))
    return errors


PRIORITY_CLASS: Final = KindRules(
    prepare_for_create=_prepare_for_create, validate=_validate, validate_update=_validate_update
)
