"""Deployments and replica sets: their selector finds what their template makes, and never changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.go_order import in_go_order
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import selector_errors
from konverge.cluster.apiserver.builtin.rules.number_rules import above_whole, amount_of, count_or_percent, nonnegative
from konverge.cluster.apiserver.builtin.rules.pod.template import (
    changed_selector_errors,
    empty_errors,
    lasting_errors,
    mismatch_errors,
    template_errors,
)
from konverge.cluster.apiserver.builtin.rules.status_counts import count_errors, decremented_errors
from konverge.cluster.apiserver.builtin.rules.workload_selector import is_well_formed, shown
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_STRATEGIES: Final = ("Recreate", "RollingUpdate")
_DEPLOYED: Final = ("updatedReplicas", "readyReplicas", "availableReplicas")
_REPLICATED: Final = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")


def _selected_errors(spec: JsonObject) -> Iterator[FieldError]:
    """Judge the selector together with the template."""
    selector, template = spec.get("selector"), spec.get("template") or {}
    if selector is None:
        yield field_error.required("spec.selector")
    else:
        yield from selector_errors(selector, "spec.selector")
        yield from empty_errors(selector, "spec.selector", kind="deployment")
    if not is_well_formed(selector):
        yield field_error.invalid("spec.selector", shown(selector), "invalid label selector")
        return
    yield from mismatch_errors(selector, template, "spec.template")
    yield from template_errors(template, "spec.template")
    yield from lasting_errors(template, "spec.template", kind="ReplicaSet")


def _deployment_errors(spec: JsonObject) -> Iterator[FieldError]:
    yield from nonnegative(spec, ("replicas",), "spec")
    yield from _selected_errors(spec)
    yield from _strategy_errors(spec.get("strategy") or {}, "spec.strategy")
    yield from nonnegative(spec, ("minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"), "spec")
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is not None and deadline <= spec.get("minReadySeconds", 0):
        wrong = "must be greater than minReadySeconds"
        yield field_error.invalid("spec.progressDeadlineSeconds", deadline, wrong)


def _strategy_errors(strategy: JsonObject, path: str) -> Iterator[FieldError]:
    kind, rolling = strategy.get("type", ""), strategy.get("rollingUpdate")
    if kind == "Recreate":
        if rolling is not None:
            wrong = "may not be specified when strategy `type` is 'Recreate'"
            yield field_error.forbidden(f"{path}.rollingUpdate", wrong)
    elif kind == "RollingUpdate":
        yield from _rolling_errors(rolling or {}, f"{path}.rollingUpdate")
    else:
        yield field_error.not_supported(path, in_go_order(_internal_strategy(kind, rolling)), _STRATEGIES)


def _internal_strategy(kind: str, rolling: JsonObject | None) -> JsonObject:
    """Return a strategy as the real server has it inside, which is what its message shows."""
    if rolling is None:
        return {"Type": kind, "RollingUpdate": None}
    inside = {"MaxUnavailable": rolling.get("maxUnavailable", 0), "MaxSurge": rolling.get("maxSurge", 0)}
    return {"Type": kind, "RollingUpdate": inside}


def _rolling_errors(rolling: JsonObject, path: str) -> Iterator[FieldError]:
    down, up = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    yield from count_or_percent(down, f"{path}.maxUnavailable")
    yield from count_or_percent(up, f"{path}.maxSurge")
    if amount_of(down) == 0 and amount_of(up) == 0:
        yield field_error.invalid(f"{path}.maxUnavailable", down, "may not be 0 when `maxSurge` is 0")
    yield from above_whole(down, f"{path}.maxUnavailable")


def _replica_set_errors(spec: JsonObject) -> Iterator[FieldError]:
    yield from nonnegative(spec, ("replicas", "minReadySeconds"), "spec")
    yield from _selected_errors(spec)


def _deployment_status_errors(status: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    names = ("observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
    yield from nonnegative(status, (*names, "unavailableReplicas", "terminatingReplicas", "collisionCount"), "status")
    yield from count_errors(status, _DEPLOYED)
    yield from decremented_errors(status, old)


def _replica_set_status_errors(status: JsonObject, old: JsonObject) -> Iterator[FieldError]:  # noqa: ARG001 - as the other
    names = ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration")
    yield from nonnegative(status, (*names, "terminatingReplicas"), "status")
    yield from count_errors(status, _REPLICATED)


def _rules(
    judge: Callable[[JsonObject], Iterator[FieldError]],
    judge_status: Callable[[JsonObject, JsonObject], Iterator[FieldError]],
) -> KindRules:
    def validate(value: JsonObject) -> list[FieldError]:
        return list(judge(value.get("spec") or {}))

    def validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
        if subresource == "status":
            return list(judge_status(value.get("status") or {}, old.get("status") or {}))
        spec = value.get("spec") or {}
        return [*judge(spec), *changed_selector_errors(spec, old.get("spec") or {})]

    return KindRules(validate=validate, validate_update=validate_update)


DEPLOYMENT: Final = _rules(_deployment_errors, _deployment_status_errors)
REPLICA_SET: Final = _rules(_replica_set_errors, _replica_set_status_errors)
