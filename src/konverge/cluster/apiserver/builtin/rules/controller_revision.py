"""Controller revisions: a state that was once, as an object, which stays."""

from __future__ import annotations

from typing import Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject


def _validate(value: JsonObject) -> list[FieldError]:
    errors, data = _number_errors(value), value.get("data")
    if data is None:
        errors.append(field_error.required("data", "data is mandatory"))
    elif not isinstance(data, dict):
        errors.append(field_error.required("data", "data must be a valid JSON object"))
    return errors


def _number_errors(value: JsonObject) -> list[FieldError]:
    number, wrong = value.get("revision", 0), "must be greater than or equal to 0"
    return [field_error.invalid("revision", number, wrong)] if number < 0 else []


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    errors, data = _number_errors(value), value.get("data")
    if not json_equal(data, old.get("data")):
        errors.append(field_error.invalid("data", data, "field is immutable"))
    return errors


CONTROLLER_REVISION: Final = KindRules(validate=_validate, validate_update=_validate_update)
