"""Leases: how long one is held, and by whom."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_DISABLED: Final = ("strategy", "preferredHolder")


def _prepare_for_create(value: JsonObject) -> None:
    """Drop what belongs to the coordinated election of leaders, which is off by default."""
    for name in _DISABLED:
        (value.get("spec") or {}).pop(name, None)


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:  # noqa: ARG001 - as of all kinds
    if not any(name in (old.get("spec") or {}) for name in _DISABLED):
        _prepare_for_create(value)


def _validate(value: JsonObject) -> list[FieldError]:
    spec = value.get("spec") or {}
    seconds, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    errors = []
    if seconds is not None and seconds <= 0:
        errors.append(field_error.invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0"))
    if transitions is not None and transitions < 0:
        text = "must be greater than or equal to 0"
        errors.append(field_error.invalid("spec.leaseTransitions", transitions, text))
    if spec.get("preferredHolder") and not spec.get("strategy"):
        text = "may only be specified if `strategy` is defined"
        errors.append(field_error.forbidden("spec.preferredHolder", text))
    return errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - as of all kinds
    return _validate(value)


LEASE: Final = KindRules(
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    validate=_validate,
    validate_update=_validate_update,
)
