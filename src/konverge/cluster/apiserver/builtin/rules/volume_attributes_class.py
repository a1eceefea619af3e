"""Volume attributes classes: a driver and its parameters, which stay."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.storage_class import parameter_errors, provisioner_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject


def _validate(value: JsonObject) -> list[FieldError]:
    parameters = value.get("parameters") or {}
    errors = [*provisioner_errors(value.get("driverName", ""), "driverName"), *parameter_errors(parameters)]
    if not parameters:
        errors.append(field_error.required("parameters", "must contain at least one key/value pair"))
    return errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    changed = [name for name in ("driverName", "parameters") if (value.get(name) or None) != (old.get(name) or None)]
    return [*(field_error.forbidden(name, f"updates to {name} are forbidden.") for name in changed), *_validate(value)]


VOLUME_ATTRIBUTES_CLASS: Final = KindRules(validate=_validate, validate_update=_validate_update)
