"""When a job gives up, and when it is done early: its failure policy and its success policy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.number_rules import nonnegative
from konverge.cluster.apiserver.field_error import OMIT, FieldError
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.name_rules import qualified_name
from konverge.cluster.apiserver.repeated import repeated
from konverge.cluster.apiserver.strategy import JsonObject

_MOST_RULES: Final = 20
_MOST_CODES: Final = 255
_MOST_CONDITIONS: Final = 20
_LONGEST_INDEXES: Final = 64 * 1024
_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS: Final = ("In", "NotIn")
_STATUSES: Final = ("False", "True", "Unknown")
_NUMBER: Final = re.compile("[+-]?[0-9]+")


def failure_policy_errors(policy: JsonObject, path: str, *, spec: JsonObject) -> Iterator[FieldError]:
    """Judge what a failed pod means for its job."""
    rules = policy.get("rules") or ()
    if len(rules) > _MOST_RULES:
        yield field_error.too_many(f"{path}.rules", len(rules), _MOST_RULES)
    for index, rule in enumerate(rules):
        yield from _rule_errors(rule, f"{path}.rules[{index}]", spec=spec)


def _rule_errors(rule: JsonObject, path: str, *, spec: JsonObject) -> Iterator[FieldError]:
    codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions")
    yield from _choice_errors(rule.get("action", ""), f"{path}.action", choices=_ACTIONS)
    if rule.get("action") == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
        wrong = "requires the backoffLimitPerIndex to be set"
        yield field_error.invalid(f"{path}.action", "FailIndex", wrong)
    if codes is not None:
        yield from _code_errors(codes, f"{path}.onExitCodes", names=_container_names(spec))
    if conditions:
        yield from _condition_errors(conditions, f"{path}.onPodConditions")
    if codes is not None and conditions:
        wrong = "specifying both OnExitCodes and OnPodConditions is not supported"
        yield field_error.invalid(path, OMIT, wrong)
    if codes is None and not conditions:
        yield field_error.invalid(path, OMIT, "specifying one of OnExitCodes and OnPodConditions is required")


def _choice_errors(value: str, path: str, *, choices: tuple[str, ...]) -> Iterator[FieldError]:
    if not value:
        shown = " ".join(quoted(each) for each in choices)
        yield field_error.required(path, f"valid values: [{shown}]")
    elif value not in choices:
        yield field_error.not_supported(path, value, choices)


def _container_names(spec: JsonObject) -> list[str]:
    pod = (spec.get("template") or {}).get("spec") or {}
    return [each.get("name", "") for name in ("containers", "initContainers") for each in pod.get(name) or ()]


def _code_errors(codes: JsonObject, path: str, *, names: list[str]) -> Iterator[FieldError]:
    operator, values = codes.get("operator", ""), codes.get("values") or []
    yield from _choice_errors(operator, f"{path}.operator", choices=_OPERATORS)
    name = codes.get("containerName")
    if name is not None and name not in names:
        wrong = "must be one of the container or initContainer names in the pod template"
        yield field_error.invalid(f"{path}.containerName", name, wrong)
    if not values:
        yield field_error.invalid(f"{path}.values", codes.get("values"), "at least one value is required")
    elif len(values) > _MOST_CODES:
        yield field_error.too_many(f"{path}.values", len(values), _MOST_CODES)
    again = repeated(values)
    for index, value in enumerate(values):
        if operator == "In" and value == 0:
            yield field_error.invalid(f"{path}.values[{index}]", value, "must not be 0 for the In operator")
        if index in again:
            yield field_error.duplicate(f"{path}.values[{index}]", value)
    if values != sorted(values):
        yield field_error.invalid(f"{path}.values", values, "must be ordered")


def _condition_errors(conditions: list[JsonObject], path: str) -> Iterator[FieldError]:
    if len(conditions) > _MOST_CONDITIONS:
        yield field_error.too_many(path, len(conditions), _MOST_CONDITIONS)
    for index, pattern in enumerate(conditions):
        where, kind = f"{path}[{index}]", pattern.get("type", "")
        yield from (field_error.invalid(f"{where}.type", kind, wrong) for wrong in qualified_name(kind))
        yield from _choice_errors(pattern.get("status", ""), f"{where}.status", choices=_STATUSES)


def success_policy_errors(policy: JsonObject, path: str, *, completions: int) -> Iterator[FieldError]:
    """Judge when an indexed job is done early."""
    rules = policy.get("rules") or ()
    if not rules:
        needed = "at least one rules must be specified when the successPolicy is specified"
        yield field_error.required(f"{path}.rules", needed)
    if len(rules) > _MOST_RULES:
        yield field_error.too_many(f"{path}.rules", len(rules), _MOST_RULES)
    for index, rule in enumerate(rules):
        yield from _success_rule_errors(rule, f"{path}.rules[{index}]", completions=completions)


def _success_rule_errors(rule: JsonObject, path: str, *, completions: int) -> Iterator[FieldError]:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        yield field_error.required(path, "at least one of succeededCount or succeededIndexes must be specified")
    total, wrong = index_count(indexes or "", completions)
    if indexes is not None and len(indexes) > _LONGEST_INDEXES:
        yield field_error.too_long(f"{path}.succeededIndexes", _LONGEST_INDEXES)
    if wrong:
        shown = f"error parsing succeededIndexes: {wrong}"
        yield field_error.invalid(f"{path}.succeededIndexes", indexes, shown)
    if count is None:
        return
    yield from nonnegative(rule, ("succeededCount",), path)
    if count > completions:
        most = f"must be less than or equal to {completions} (the number of specified completions)"
        yield field_error.invalid(f"{path}.succeededCount", count, most)
    if indexes is not None and count > total:
        most = f"must be less than or equal to {total} (the number of indexes in the specified succeededIndexes field)"
        yield field_error.invalid(f"{path}.succeededCount", count, most)


def index_count(text: str, completions: int) -> tuple[int, str]:
    """Count the indexes of a text such as `1,3-5`; beside it what is wrong with the text, if anything is."""
    total, last = 0, -1
    for part in text.split(",") if text else ():
        ends = part.split("-")
        if wrong := _part_fault(part, ends, completions=completions):
            return 0, wrong
        first, end = int(ends[0]), int(ends[-1])
        if total and last >= first:
            return 0, f"non-increasing order, previous: {last}, current: {first}"
        if len(ends) > 1 and first >= end:
            return 0, f"non-increasing order, previous: {first}, current: {end}"
        total, last = total + end - first + 1, end
    return total, ""


def _part_fault(part: str, ends: list[str], *, completions: int) -> str:
    if len(ends) > 2:  # noqa: PLR2004 - an interval has two ends
        return (
            f"the fragment {quoted(part)} violates the requirement that an index interval "
            "can have at most two parts separated by '-'"
        )
    for end in ends:
        if not _NUMBER.fullmatch(end):
            return f"cannot convert string to integer for index: {quoted(end)}"
        if int(end) >= completions:
            return f"too large index: {quoted(end)}"
    return ""
