"""Labels and label selectors in objects: whether they are well formed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import label_value, qualified_name
from konverge.cluster.apiserver.strategy import JsonObject

_OF_SETS: Final = ("In", "NotIn")
_OF_PRESENCE: Final = ("Exists", "DoesNotExist")


def label_errors(labels: JsonObject | None, path: str) -> list[FieldError]:
    """Judge labels, or what is written as labels are."""
    errors = []
    for key, value in (labels or {}).items():
        errors += label_name_errors(key, path)
        errors += [field_error.invalid(path, value, wrong) for wrong in label_value(value)]
    return errors


def label_name_errors(key: str, path: str) -> list[FieldError]:
    """Judge the key of a label."""
    return [field_error.invalid(path, key, wrong) for wrong in qualified_name(key)]


def selector_errors(selector: JsonObject | None, path: str) -> list[FieldError]:
    """Judge a selector; none at all is well formed."""
    if not selector:
        return []
    errors = label_errors(selector.get("matchLabels"), f"{path}.matchLabels")
    for index, requirement in enumerate(selector.get("matchExpressions") or ()):
        errors += _requirement_errors(requirement, f"{path}.matchExpressions[{index}]")
    return errors


def _requirement_errors(requirement: JsonObject, path: str) -> Iterator[FieldError]:
    operator, values = requirement.get("operator", ""), requirement.get("values") or ()
    if operator in _OF_SETS:
        if not values:
            needed = "must be specified when `operator` is 'In' or 'NotIn'"
            yield field_error.required(f"{path}.values", needed)
    elif operator in _OF_PRESENCE:
        if values:
            wrong = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield field_error.forbidden(f"{path}.values", wrong)
    else:
        yield field_error.invalid(f"{path}.operator", field_error.named(operator), "not a valid selector operator")
    yield from label_name_errors(requirement.get("key", ""), f"{path}.key")
    for index, value in enumerate(values):
        for wrong in label_value(value):
            yield field_error.invalid(f"{path}.values[{index}]", value, wrong)
