"""Daemon sets count the changes of their template, beside the generation; their selector never changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.defaults.apps import TEMPLATE_COUNT
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
from konverge.cluster.apiserver.builtin.rules.status_counts import decremented_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_COUNTS: Final = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
)


def _prepare_for_create(value: JsonObject) -> None:
    _set(value, max(_count(value), 1))


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if subresource:
        return
    is_same = json_equal(_template(value), _template(old))
    _set(value, _count(old) if is_same else _count(old) + 1)


def _template(value: JsonObject) -> Any:
    return value.get("spec", {}).get("template")


def _count(value: JsonObject) -> int:
    text = value["metadata"].get("annotations", {}).get(TEMPLATE_COUNT, "")
    return int(text) if text.isdigit() else 0


def _set(value: JsonObject, count: int) -> None:
    metadata = value["metadata"]
    metadata["annotations"] = {**metadata.get("annotations", {}), TEMPLATE_COUNT: str(count)}


def _validate(value: JsonObject) -> list[FieldError]:
    return list(_spec_errors(value.get("spec") or {}))


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource == "status":
        status = value.get("status") or {}
        return [*nonnegative(status, _COUNTS, "status"), *decremented_errors(status, old.get("status") or {})]
    spec = value.get("spec") or {}
    return [*changed_selector_errors(spec, old.get("spec") or {}), *_spec_errors(spec)]


def _spec_errors(spec: JsonObject) -> Iterator[FieldError]:
    selector, template = spec.get("selector"), spec.get("template") or {}
    yield from selector_errors(selector, "spec.selector")
    yield from mismatch_errors(selector, template, "spec.template")
    if selector is not None:
        yield from empty_errors(selector, "spec.selector", kind="daemonset")
    yield from template_errors(template, "spec.template")
    yield from lasting_errors(template, "spec.template", kind="DaemonSet")
    yield from nonnegative(spec, ("minReadySeconds",), "spec")
    yield from _strategy_errors(spec.get("updateStrategy") or {}, "spec.updateStrategy")
    yield from nonnegative(spec, ("revisionHistoryLimit",), "spec")


def _strategy_errors(strategy: JsonObject, path: str) -> Iterator[FieldError]:
    kind, rolling = strategy.get("type", ""), strategy.get("rollingUpdate")
    if kind == "RollingUpdate":
        if rolling is None:
            yield field_error.required(f"{path}.rollingUpdate")
        else:
            yield from _rolling_errors(rolling, f"{path}.rollingUpdate")
    elif kind != "OnDelete":
        inside = None
        if rolling is not None:
            inside = {"MaxUnavailable": rolling.get("maxUnavailable", 0), "MaxSurge": rolling.get("maxSurge", 0)}
        value = in_go_order({"Type": kind, "RollingUpdate": inside})
        yield field_error.not_supported(path, value, ("RollingUpdate", "OnDelete"))


def _rolling_errors(rolling: JsonObject, path: str) -> Iterator[FieldError]:
    down, up = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    for judge in (count_or_percent, above_whole):
        yield from judge(down, f"{path}.maxUnavailable")
        yield from judge(up, f"{path}.maxSurge")
    if amount_of(down) and amount_of(up):
        yield field_error.invalid(f"{path}.maxSurge", up, "may not be set when maxUnavailable is non-zero")
    elif not amount_of(down) and not amount_of(up):
        yield field_error.required(f"{path}.maxUnavailable", "cannot be 0 when maxSurge is 0")


DAEMON_SET: Final = KindRules(
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    validate=_validate,
    validate_update=_validate_update,
)
