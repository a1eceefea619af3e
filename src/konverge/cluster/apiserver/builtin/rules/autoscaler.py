"""Autoscalers: bounds in order, a target that can be named, and rules of scaling. v1 is judged as v2 would show it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.conversion import conversion_of
from konverge.cluster.apiserver.builtin.rules.autoscaler_metric import api_version_fault, metric_errors
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.number_rules import nonnegative
from konverge.cluster.apiserver.builtin.rules.object_reference import reference_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_LONGEST_PERIOD: Final = 1800  # seconds
_LONGEST_WINDOW: Final = 3600
_SELECTIONS: Final = ("Disabled", "Max", "Min")
_POLICY_TYPES: Final = ("Percent", "Pods")
_FROM_OUTSIDE: Final = ("Object", "External")  # metrics that are there without any pod
_NOT_TO_ZERO: Final = "must specify at least one Object or External metric to support scaling to zero replicas"
_COUNTS: Final = ("currentReplicas", "desiredReplicas")


def _spec(value: JsonObject) -> JsonObject:
    group, _, version = value["apiVersion"].rpartition("/")
    conversion = conversion_of(group, version, value["kind"])
    spec: JsonObject = (value if conversion is None else conversion.to_storage(value)).get("spec") or {}
    return spec


def _validate(value: JsonObject) -> list[FieldError]:
    return _spec_errors(_spec(value), None)


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource == "status":
        return list(nonnegative(value.get("status") or {}, _COUNTS, "status"))
    return _spec_errors(_spec(value), _spec(old))


def _spec_errors(spec: JsonObject, old: JsonObject | None) -> list[FieldError]:
    errors = [*_bound_errors(spec), *_target_errors(spec.get("scaleTargetRef") or {}, old)]
    for index, metric in enumerate(spec.get("metrics") or ()):
        errors += metric_errors(metric, f"spec.metrics[{index}]")
    if spec.get("minReplicas") == 0 and not any(
        each.get("type") in _FROM_OUTSIDE for each in spec.get("metrics") or ()
    ):
        errors.append(field_error.forbidden("spec.metrics", _NOT_TO_ZERO))
    for direction, rules in (spec.get("behavior") or {}).items():
        errors += _scaling_errors(rules or {}, f"spec.behavior.{direction}")
    return errors


def _bound_errors(spec: JsonObject) -> Iterator[FieldError]:
    least, most = spec.get("minReplicas"), spec.get("maxReplicas", 0)
    if least is not None and least < 1:
        yield field_error.invalid("spec.minReplicas", least, "must be greater than or equal to 1")
    if most == 0:
        yield field_error.required("spec.maxReplicas", "must be set and greater than 0")
    elif most < 0:
        yield field_error.invalid("spec.maxReplicas", most, "must be greater than or equal to 1")
    if least is not None and most < least:
        yield field_error.invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`")


def _target_errors(target: JsonObject, old: JsonObject | None) -> list[FieldError]:
    path, version = "spec.scaleTargetRef", target.get("apiVersion", "")
    errors = reference_errors(target, path)
    before = (old or {}).get("scaleTargetRef") or {}
    if old is not None and all(before.get(name) == target.get(name) for name in ("apiVersion", "kind")):
        return errors
    of_core = target.get("kind") == "ReplicationController"  # the one of the core group that can be scaled
    wrong = api_version_fault(version, may_be_core=of_core)
    return [*errors, field_error.invalid(f"{path}.apiVersion", version, wrong)] if wrong else errors


def _scaling_errors(rules: JsonObject, path: str) -> Iterator[FieldError]:
    window, selection = rules.get("stabilizationWindowSeconds"), rules.get("selectPolicy")
    if window is not None and window < 0:
        yield field_error.invalid(f"{path}.stabilizationWindowSeconds", window, "must be greater than or equal to zero")
    if window is not None and window > _LONGEST_WINDOW:
        wrong = f"must be less than or equal to {_LONGEST_WINDOW}"
        yield field_error.invalid(f"{path}.stabilizationWindowSeconds", window, wrong)
    if selection is not None and selection not in _SELECTIONS:
        yield field_error.not_supported(f"{path}.selectPolicy", selection, _SELECTIONS)
    if not rules.get("policies"):
        yield field_error.required(f"{path}.policies", "must specify at least one Policy")
    for index, policy in enumerate(rules.get("policies") or ()):
        yield from _policy_errors(policy, f"{path}.policies[{index}]")
    tolerance = rules.get("tolerance")
    if tolerance is not None and Quantity(tolerance) < 0:
        yield field_error.invalid(f"{path}.tolerance", str(Quantity(tolerance)), "must be greater than or equal to 0")


def _policy_errors(policy: JsonObject, path: str) -> Iterator[FieldError]:
    kind, seconds = policy.get("type", ""), policy.get("periodSeconds", 0)
    if kind not in _POLICY_TYPES:
        yield field_error.not_supported(f"{path}.type", kind, _POLICY_TYPES)
    if policy.get("value", 0) <= 0:
        yield field_error.invalid(f"{path}.value", policy.get("value", 0), "must be greater than zero")
    if seconds <= 0:
        yield field_error.invalid(f"{path}.periodSeconds", seconds, "must be greater than zero")
    if seconds > _LONGEST_PERIOD:
        wrong = f"must be less than or equal to {_LONGEST_PERIOD}"
        yield field_error.invalid(f"{path}.periodSeconds", seconds, wrong)


AUTOSCALER: Final = KindRules(validate=_validate, validate_update=_validate_update)
