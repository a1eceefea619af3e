"""Bindings of admission policies: the policy, its parameters, a part of its writes, and what a refusal means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.admission_policy import mutating_operation_errors
from konverge.cluster.apiserver.builtin.rules.admission_rule import match_resources_errors
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import selector_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.repeated import repeated
from konverge.cluster.apiserver.strategy import JsonObject

_ACTIONS: Final = ("Audit", "Deny", "Warn")
_NOT_FOUND_ACTIONS: Final = ("Deny", "Allow")
_BOTH: Final = (
    "must not contain both Deny and Warn (repeating the same validation failure information in the API response and "
    "headers serves no purpose)"
)
_EXCLUSIVE: Final = "name and selector are mutually exclusive"


def _validate_validating(value: JsonObject) -> list[FieldError]:
    spec = value.get("spec") or {}
    actions = _action_errors(spec.get("validationActions") or [], "spec.validationActions")
    return [*_shared_errors(spec), *actions]


def _validate_mutating(value: JsonObject) -> list[FieldError]:
    spec = value.get("spec") or {}
    return [*_shared_errors(spec), *mutating_operation_errors(spec.get("matchResources") or {}, "spec.matchResources")]


def _validating_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - as every kind's
    return _validate_validating(value)


def _mutating_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - as every kind's
    return _validate_mutating(value)


def _shared_errors(spec: JsonObject) -> Iterator[FieldError]:
    name = spec.get("policyName", "")
    if not name:
        yield field_error.required("spec.policyName")
    else:
        yield from (field_error.invalid("spec.policyName", name, each) for each in name_rules.dns_subdomain(name))
    if spec.get("paramRef") is not None:
        yield from _reference_errors(spec["paramRef"], "spec.paramRef")
    if spec.get("matchResources") is not None:
        yield from match_resources_errors(spec["matchResources"], "spec.matchResources")


def _reference_errors(reference: JsonObject, path: str) -> Iterator[FieldError]:
    name, selector = reference.get("name", ""), reference.get("selector")
    if name:
        yield from (field_error.invalid(f"{path}.name", name, each) for each in name_rules.path_segment(name))
        if selector is not None:
            yield field_error.forbidden(f"{path}.name", _EXCLUSIVE)
    if selector is not None:
        yield from selector_errors(selector, f"{path}.selector")
        if name:
            yield field_error.forbidden(f"{path}.selector", _EXCLUSIVE)
    if not name and selector is None:
        yield field_error.required(path, "one of name or selector must be specified")
    action = reference.get("parameterNotFoundAction")
    if not action:
        yield field_error.required(f"{path}.parameterNotFoundAction")
    elif action not in _NOT_FOUND_ACTIONS:
        yield field_error.not_supported(f"{path}.parameterNotFoundAction", action, _NOT_FOUND_ACTIONS)


def _action_errors(actions: list[str], path: str) -> Iterator[FieldError]:
    again = repeated(actions)
    for index, action in enumerate(actions):
        if action not in _ACTIONS:
            yield field_error.not_supported(f"{path}[{index}]", action, _ACTIONS)
        if index in again:
            yield field_error.duplicate(f"{path}[{index}]", action)
    if "Deny" in actions and "Warn" in actions:
        yield field_error.invalid(path, actions, _BOTH)
    if not actions:
        yield field_error.required(path, "at least one validation action is required")


VALIDATING_BINDING: Final = KindRules(validate=_validate_validating, validate_update=_validating_update)
MUTATING_BINDING: Final = KindRules(validate=_validate_mutating, validate_update=_mutating_update)
