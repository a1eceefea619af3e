"""Limit ranges: one set of limits for each type, of which no two contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.resource_name import (
    container_resource_errors,
    may_overcommit,
    resource_errors,
)
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_TYPES: Final = ("Pod", "Container", "PersistentVolumeClaim")
_NOT_OF_PODS: Final = "may not be specified when `type` is 'Pod'"
# What may not be more than what: the two fields, the one that is named, the one whose amount is shown, and their words.
_ORDERS: Final = (
    ("min", "max", "min", "min", "min value {} is greater than max value {}"),
    ("min", "defaultRequest", *("defaultRequest",) * 2, "min value {} is greater than default request value {}"),
    ("defaultRequest", "max", *("defaultRequest",) * 2, "default request value {} is greater than max value {}"),
    (
        "defaultRequest",
        "default",
        *("defaultRequest",) * 2,
        "default request value {} is greater than default limit value {}",
    ),
    ("min", "default", "default", "min", "min value {} is greater than default value {}"),
    ("default", "max", "default", "max", "default value {} is greater than max value {}"),
)
_RATIO: Final = "maxLimitRequestRatio"


def _validate(value: JsonObject) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, limit in enumerate((value.get("spec") or {}).get("limits") or ()):
        path, kind = f"spec.limits[{index}]", limit.get("type", "")
        errors += _type_errors(kind, f"{path}.type")
        if kind in seen:
            errors.append(field_error.duplicate(f"{path}.type", kind))
        seen.add(kind)
        errors += _limit_errors(limit, kind, path)
    return errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - as every kind's
    return _validate(value)


def _type_errors(kind: str, path: str) -> list[FieldError]:
    wrongs = name_rules.qualified_name(kind)
    if not wrongs and "/" not in kind and kind not in _TYPES:
        wrongs = ["must be a standard limit type or fully qualified"]
    return [field_error.invalid(path, kind, wrong) for wrong in wrongs]


def _limit_errors(limit: JsonObject, kind: str, path: str) -> Iterator[FieldError]:
    defaults = ("default", "defaultRequest")
    yield from _name_errors(limit, ("max", "min"), kind, path)
    if kind == "Pod":
        yield from (field_error.forbidden(f"{path}.{name}", _NOT_OF_PODS) for name in defaults if limit.get(name))
    else:
        yield from _name_errors(limit, defaults, kind, path)
    if kind == "PersistentVolumeClaim" and not any("storage" in (limit.get(name) or {}) for name in ("min", "max")):
        needed = "either minimum or maximum storage value is required, but neither was provided"
        yield field_error.required(f"{path}.limits", needed)
    yield from _name_errors(limit, (_RATIO,), kind, path)
    judged = [name for name in ("max", "min", *defaults, _RATIO) if kind != "Pod" or name not in defaults]
    for resource in dict.fromkeys(each for name in judged for each in limit.get(name) or ()):
        amounts = {name: Quantity(limit[name][resource]) for name in judged if resource in (limit.get(name) or {})}
        yield from _amount_errors(amounts, resource, path)


def _name_errors(limit: JsonObject, names: tuple[str, ...], kind: str, path: str) -> Iterator[FieldError]:
    rule = container_resource_errors if kind in ("Pod", "Container") else resource_errors
    for name in names:
        for resource in limit.get(name) or ():
            yield from rule(resource, f"{path}.{name}[{resource}]")


def _amount_errors(amounts: dict[str, Quantity], resource: str, path: str) -> Iterator[FieldError]:
    for less, more, named, shown, text in _ORDERS:
        if less in amounts and more in amounts and amounts[less] > amounts[more]:
            wrong = text.format(amounts[less], amounts[more])
            yield field_error.invalid(f"{path}.{named}[{resource}]", str(amounts[shown]), wrong)
    if _RATIO in amounts:
        yield from _ratio_errors(amounts, f"{path}.{_RATIO}[{resource}]")
    limit, request = amounts.get("default"), amounts.get("defaultRequest")
    if limit is not None and request is not None and limit != request and not may_overcommit(resource):
        wrong = f"default value {limit} must equal to defaultRequest value {request} in {resource}"
        yield field_error.invalid(f"{path}.defaultRequest[{resource}]", str(request), wrong)


def _ratio_errors(amounts: dict[str, Quantity], path: str) -> Iterator[FieldError]:
    ratio = amounts[_RATIO]
    if ratio < 1:
        yield field_error.invalid(path, str(ratio), f"ratio {ratio} is less than 1")
    if amounts.get("min") and "max" in amounts:
        most = float(amounts["max"]) / float(amounts["min"])
        if float(ratio) > most:
            yield field_error.invalid(path, str(ratio), f"ratio {ratio} is greater than max/min = {most:f}")


LIMIT_RANGE: Final = KindRules(validate=_validate, validate_update=_validate_update)
