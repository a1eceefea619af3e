"""Resource quotas: known resources in whole or part, and scopes that fit them and each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.resource_name import (
    amount_errors,
    is_quota_resource,
    quota_resource_errors,
)
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_PODS: Final = ("pods",)
_OF_PODS: Final = (
    *_PODS,
    *("cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"),
)
_SCOPES: Final = {
    "Terminating": _OF_PODS,
    "NotTerminating": _OF_PODS,
    "BestEffort": _PODS,
    "NotBestEffort": _OF_PODS,
    "PriorityClass": _OF_PODS,
    "CrossNamespacePodAffinity": _OF_PODS,
    "VolumeAttributesClass": ("persistentvolumeclaims", "requests.storage"),
}
_ONLY_EXIST: Final = ("BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity")
_APART: Final = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))
_MUST_EXIST: Final = (
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)


def _validate(value: JsonObject) -> list[FieldError]:
    return [*_spec_errors(value.get("spec") or {})]


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource == "status":
        status = value.get("status") or {}
        return [error for name in ("hard", "used") for error in _amount_errors(status.get(name), f"status.{name}")]
    scopes, before = ((each.get("spec") or {}).get("scopes") or [] for each in (value, old))
    errors = _validate(value)
    if sorted(dict.fromkeys(scopes)) != sorted(dict.fromkeys(before)):
        errors.append(field_error.invalid("spec.scopes", scopes or None, "field is immutable"))
    return errors


def _spec_errors(spec: JsonObject) -> Iterator[FieldError]:
    yield from _amount_errors(spec.get("hard"), "spec.hard")
    scopes = spec.get("scopes") or []
    hard = sorted(name for name in spec.get("hard") or () if is_quota_resource(name))
    for scope in scopes:
        if scope not in _SCOPES:
            yield field_error.invalid("spec.scopes", scopes, "unsupported scope")
        yield from _fitting_errors(scope, hard, "spec.scopes", shown=scopes)
    yield from _apart_errors(scopes, "spec.scopes", shown=scopes)
    if (selector := spec.get("scopeSelector")) is not None:
        yield from _selector_errors(selector.get("matchExpressions") or [], hard, scopes)


def _amount_errors(amounts: JsonObject | None, path: str) -> Iterator[FieldError]:
    for name, amount in (amounts or {}).items():
        yield from quota_resource_errors(name, f"{path}[{name}]")
        yield from amount_errors(name, Quantity(amount), f"{path}[{name}]")


def _fitting_errors(scope: str, hard: list[str], path: str, *, shown: Any) -> Iterator[FieldError]:
    fitting = _SCOPES.get(scope, hard)
    wrong = "unsupported scope applied to resource"
    yield from (field_error.invalid(path, shown, wrong) for name in hard if name not in fitting)


def _apart_errors(scopes: list[str], path: str, *, shown: Any) -> Iterator[FieldError]:
    for pair in _APART:
        if all(scope in scopes for scope in pair):
            yield field_error.invalid(path, shown, "conflicting scopes")


def _selector_errors(expressions: list[JsonObject], hard: list[str], scopes: list[str]) -> Iterator[FieldError]:
    path = "spec.scopeSelector.matchExpressions"
    names = [each.get("scopeName", "") for each in expressions]
    for scope, expression in zip(names, expressions, strict=True):
        if scope not in _SCOPES:
            yield field_error.invalid(f"{path}.scopeName", scope, "unsupported scope")
        yield from _fitting_errors(scope, hard, path, shown=_shown(expressions))
        yield from _expression_errors(scope, expression, path)
    yield from _apart_errors(names, path, shown=scopes or None)


def _shown(expressions: list[JsonObject]) -> msgspec.Raw:
    # The real server shows its own form of a selector, with every field, in its order.
    fields = [
        {
            "ScopeName": each.get("scopeName", ""),
            "Operator": each.get("operator", ""),
            "Values": each.get("values") or None,
        }
        for each in expressions
    ]
    return msgspec.Raw(msgspec.json.encode({"MatchExpressions": fields}))


def _expression_errors(scope: str, expression: JsonObject, path: str) -> Iterator[FieldError]:
    operator, values = expression.get("operator", ""), expression.get("values") or []
    if scope in _ONLY_EXIST and operator != "Exists":
        yield field_error.invalid(f"{path}.operator", operator, _MUST_EXIST)
    if operator in ("In", "NotIn"):
        if not values:
            needed = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
            yield field_error.required(f"{path}.values", needed)
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            wrong = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
            yield field_error.invalid(f"{path}.values", values, wrong)
    else:
        yield field_error.invalid(f"{path}.operator", operator, "not a valid selector operator")


RESOURCE_QUOTA: Final = KindRules(validate=_validate, validate_update=_validate_update)
