"""Taints of devices, and what requests tolerate of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.label_selector import label_name_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import label_value
from konverge.cluster.apiserver.strategy import JsonObject

_EFFECTS: Final = ("NoExecute", "NoSchedule", "None")
_OPERATORS: Final = ("Equal", "Exists")


def taint_errors(taint: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge a taint."""
    effect, value = taint.get("effect", ""), taint.get("value", "")
    yield from label_name_errors(taint.get("key", ""), f"{path}.key")
    yield from _value_errors(value, f"{path}.value")
    if not effect:
        yield field_error.required(f"{path}.effect")
    yield from _effect_errors(effect, f"{path}.effect")


def toleration_errors(toleration: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge a toleration; without a key or an effect it is about all of them."""
    key, operator, value = (toleration.get(name, "") for name in ("key", "operator", "value"))
    if key:
        yield from label_name_errors(key, f"{path}.key")
    if operator == "Exists":
        if value:
            yield field_error.invalid(f"{path}.value", value, "must be empty for operator `Exists`")
    elif operator == "Equal":
        yield from _value_errors(value, f"{path}.value")
    elif not operator:
        yield field_error.required(f"{path}.operator")
    else:
        yield field_error.not_supported(f"{path}.operator", operator, _OPERATORS)
    yield from _effect_errors(toleration.get("effect", ""), f"{path}.effect")


def _value_errors(value: str, path: str) -> Iterator[FieldError]:
    yield from (field_error.invalid(path, value, wrong) for wrong in label_value(value))


def _effect_errors(effect: str, path: str) -> Iterator[FieldError]:
    if effect and effect not in _EFFECTS:
        yield field_error.not_supported(path, effect, _EFFECTS)
