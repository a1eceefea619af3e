"""Disruption budgets: how many pods must stay, or how many may go, but not both."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import selector_errors
from konverge.cluster.apiserver.builtin.rules.number_rules import above_whole, count_or_percent, nonnegative
from konverge.cluster.apiserver.builtin.rules.status.conditions import condition_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_BOUNDS: Final = ("minAvailable", "maxUnavailable")
_POLICIES: Final = ("AlwaysAllow", "IfHealthyBudget")
_COUNTS: Final = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


def _validate(value: JsonObject) -> list[FieldError]:
    spec = value.get("spec") or {}
    errors = []
    if all(spec.get(name) is not None for name in _BOUNDS):
        wrong = "minAvailable and maxUnavailable cannot be both set"
        errors.append(field_error.invalid("spec", internal_text("policy.PodDisruptionBudgetSpec", spec), wrong))
    for name in _BOUNDS:
        if (bound := spec.get(name)) is not None:
            errors += count_or_percent(bound, f"spec.{name}")
            errors += above_whole(bound, f"spec.{name}")
    errors += selector_errors(spec.get("selector"), "spec.selector")
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy is not None and policy not in _POLICIES:
        errors.append(field_error.not_supported("spec.unhealthyPodEvictionPolicy", policy, _POLICIES))
    return errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - as every kind's
    if subresource == "status":
        status = value.get("status") or {}
        conditions = condition_errors(status.get("conditions") or (), "status.conditions")
        return [*conditions, *nonnegative(status, _COUNTS, "status")]
    return _validate(value)


DISRUPTION_BUDGET: Final = KindRules(validate=_validate, validate_update=_validate_update)
