"""Stateful sets: as other workloads, with claims for each pod and most of the spec fixed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.go_order import in_go_order
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import selector_errors
from konverge.cluster.apiserver.builtin.rules.number_rules import above_whole, amount_of, count_or_percent, nonnegative
from konverge.cluster.apiserver.builtin.rules.pod.template import (
    empty_errors,
    lasting_errors,
    mismatch_errors,
    template_errors,
    template_metadata_errors,
)
from konverge.cluster.apiserver.builtin.rules.status_counts import count_errors, decremented_errors
from konverge.cluster.apiserver.builtin.rules.volume_claim import claim_errors
from konverge.cluster.apiserver.builtin.rules.workload_selector import is_well_formed, shown
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import dns_label
from konverge.cluster.apiserver.strategy import JsonObject

_CHANGEABLE: Final = (
    "replicas",
    "template",
    "updateStrategy",
    "minReadySeconds",
    "ordinals",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
)
_FIXED: Final = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)
_RETENTION: Final = ("Retain", "Delete")


def _prepare_for_create(value: JsonObject) -> None:
    """Drop how many pods may be down at a time: its feature is off by default."""
    _rolling(value).pop("maxUnavailable", None)


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if not subresource and "maxUnavailable" not in _rolling(old):
        _prepare_for_create(value)


def _rolling(value: JsonObject) -> JsonObject:
    found: JsonObject = ((value.get("spec") or {}).get("updateStrategy") or {}).get("rollingUpdate") or {}
    return found


def _validate(value: JsonObject) -> list[FieldError]:
    return list(_spec_errors(value.get("spec") or {}, is_new=True))


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource == "status":
        return list(_status_errors(value.get("status") or {}, old.get("status") or {}))
    spec, before = value.get("spec") or {}, old.get("spec") or {}
    errors = list(_spec_errors(spec, is_new=False))
    if not json_equal(_fixed(spec), _fixed(before)):
        errors.append(field_error.forbidden("spec", _FIXED))
    return errors


def _fixed(spec: JsonObject) -> JsonObject:
    return {name: value for name, value in spec.items() if name not in _CHANGEABLE}


def _spec_errors(spec: JsonObject, *, is_new: bool) -> Iterator[FieldError]:
    policy = spec.get("podManagementPolicy", "")
    if not policy:
        yield field_error.required("spec.podManagementPolicy")
    elif policy not in ("OrderedReady", "Parallel"):
        yield field_error.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")
    yield from _strategy_errors(spec.get("updateStrategy") or {}, "spec.updateStrategy")
    retention = spec.get("persistentVolumeClaimRetentionPolicy") or {}
    for name in ("whenDeleted", "whenScaled"):
        if retention and retention.get(name, "") not in _RETENTION:
            where = f"spec.persistentVolumeClaimRetentionPolicy.{name}"
            yield field_error.not_supported(where, retention.get(name, ""), _RETENTION)
    if is_new:
        yield from _claim_errors(spec.get("volumeClaimTemplates") or ())
    yield from nonnegative(spec, ("replicas", "minReadySeconds"), "spec")
    yield from nonnegative(spec.get("ordinals") or {}, ("start",), "spec.ordinals")
    if is_new and (service := spec.get("serviceName")):
        yield from (field_error.invalid("spec.serviceName", service, wrong) for wrong in dns_label(service))
    yield from _selected_errors(spec)
    yield from lasting_errors(spec.get("template") or {}, "spec.template", kind="StatefulSet")


def _claim_errors(claims: Iterable[JsonObject]) -> Iterator[FieldError]:
    for index, claim in enumerate(claims):
        for error in claim_errors(claim.get("spec") or {}):
            yield replace(error, field=f"spec.volumeClaimTemplates[{index}].{error.field}")


def _selected_errors(spec: JsonObject) -> Iterator[FieldError]:
    selector = spec.get("selector")
    if selector is None:
        yield field_error.required("spec.selector")
    else:
        yield from selector_errors(selector, "spec.selector")
        yield from empty_errors(selector, "spec.selector", kind="statefulset")
    if not is_well_formed(selector):
        yield field_error.invalid("spec.selector", shown(selector), "")
        return
    template = spec.get("template") or {}
    yield from mismatch_errors(selector, template, "spec.template")
    yield from template_errors(_as_made(template, spec), "spec.template")
    yield from template_metadata_errors(template, "spec.template")  # the real server judges them twice


def _as_made(template: JsonObject, spec: JsonObject) -> JsonObject:
    """Return the template as the controller uses it: with the claims as volumes, and with names of its own."""
    pod = {name: value for name, value in (template.get("spec") or {}).items() if name not in ("subdomain", "hostname")}
    if claims := spec.get("volumeClaimTemplates"):
        names = dict.fromkeys((claim.get("metadata") or {}).get("name", "") for claim in claims)
        made: list[Any] = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]
        pod["volumes"] = made + [each for each in pod.get("volumes") or () if each.get("name", "") not in names]
    return {**template, "spec": pod}


def _strategy_errors(strategy: JsonObject, path: str) -> Iterator[FieldError]:
    kind, rolling = strategy.get("type", ""), strategy.get("rollingUpdate")
    if not kind:
        yield field_error.required(path)
    elif kind == "RollingUpdate":
        yield from _rolling_errors(rolling or {}, f"{path}.rollingUpdate")
    elif kind == "OnDelete":
        if rolling is not None:
            wrong = "only allowed for updateStrategy 'RollingUpdate'"
            yield field_error.invalid(f"{path}.rollingUpdate", in_go_order(_internal(rolling)), wrong)
    else:
        inside = None if rolling is None else _internal(rolling)
        value = in_go_order({"Type": kind, "RollingUpdate": inside})
        yield field_error.invalid(path, value, "must be 'RollingUpdate' or 'OnDelete'")


def _internal(rolling: JsonObject) -> JsonObject:
    """Return a strategy as the real server has it inside, which is what its message shows."""
    return {"Partition": rolling.get("partition", 0), "MaxUnavailable": rolling.get("maxUnavailable")}


def _rolling_errors(rolling: JsonObject, path: str) -> Iterator[FieldError]:
    yield from nonnegative(rolling, ("partition",), path)
    down = rolling.get("maxUnavailable")
    if down is not None:
        yield from count_or_percent(down, f"{path}.maxUnavailable")
        if amount_of(down) == 0:
            yield field_error.invalid(f"{path}.maxUnavailable", down, "cannot be 0")
        yield from above_whole(down, f"{path}.maxUnavailable")


def _status_errors(status: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    names = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    yield from nonnegative(status, ("replicas", *names, "observedGeneration", "collisionCount"), "status")
    yield from count_errors(status, names, ready="status.readyReplicas")
    yield from decremented_errors(status, old)


STATEFUL_SET: Final = KindRules(
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    validate=_validate,
    validate_update=_validate_update,
)
