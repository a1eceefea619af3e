"""Conditions of the common form, which newer kinds share: each type once, with a state, a reason and a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.label_selector import label_name_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import pattern_text
from konverge.cluster.apiserver.strategy import JsonObject

_STATES: Final = ("False", "True", "Unknown")
_REASON: Final = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_FULL_REASON: Final = re.compile(_REASON)
_REASON_TEXT: Final = (
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric "
    "characters or '_,:', and must end with an alphanumeric character or '_'"
)
_EXAMPLES: Final = ("my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB")
_LONGEST_REASON: Final = 1024
_LONGEST_MESSAGE: Final = 32 * 1024


def condition_errors(conditions: Sequence[JsonObject], path: str) -> Iterator[FieldError]:
    """Judge a list of conditions."""
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        kind = condition.get("type", "")
        if kind in seen:
            yield field_error.duplicate(f"{path}[{index}].type", kind)
        seen.add(kind)
        yield from _one_errors(condition, f"{path}[{index}]")


def _one_errors(condition: JsonObject, path: str) -> Iterator[FieldError]:
    yield from label_name_errors(condition.get("type", ""), f"{path}.type")
    state, generation = condition.get("status", ""), condition.get("observedGeneration", 0)
    if state not in _STATES:
        yield field_error.not_supported(f"{path}.status", state, _STATES)
    if generation < 0:
        wrong = "must be greater than or equal to zero"
        yield field_error.invalid(f"{path}.observedGeneration", generation, wrong)
    if not condition.get("lastTransitionTime"):
        yield field_error.required(f"{path}.lastTransitionTime")
    yield from _reason_errors(condition.get("reason", ""), f"{path}.reason")
    if len(condition.get("message", "").encode()) > _LONGEST_MESSAGE:
        yield field_error.too_long(f"{path}.message", _LONGEST_MESSAGE)


def _reason_errors(reason: str, path: str) -> Iterator[FieldError]:
    if not reason:
        yield field_error.required(path)
        return
    if not _FULL_REASON.fullmatch(reason):
        yield field_error.invalid(path, reason, pattern_text(_REASON_TEXT, _REASON, *_EXAMPLES))
    if len(reason.encode()) > _LONGEST_REASON:
        yield field_error.too_long(path, _LONGEST_REASON)
