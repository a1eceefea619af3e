"""The status of a job: counts and conditions that do not contradict each other or what was said before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.number_rules import nonnegative
from konverge.cluster.apiserver.field_error import OMIT, FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_COUNTS: Final = ("active", "succeeded", "failed", "ready", "terminating")
_LASTING: Final = ("Failed", "Complete", "FailureTarget")
_CONDITIONS: Final = "status.conditions"


def job_status_errors(value: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    """Judge a status by itself, then against the one before."""
    status, before = value.get("status") or {}, old.get("status") or {}
    is_true, was_true = _true_conditions(status), _true_conditions(before)
    yield from nonnegative(status, _COUNTS, "status")
    yield from _ended_errors(status, before, is_true=is_true, was_true=was_true)
    ready, active = status.get("ready"), status.get("active", 0)
    is_moved = ready != before.get("ready") or active != before.get("active", 0)
    if is_moved and ready is not None and ready > active:
        yield field_error.invalid("status.ready", ready, "cannot set more ready pods than active")
    for other in ("Failed", "FailureTarget"):
        if "SuccessCriteriaMet" in is_true and other in is_true:
            wrong = f"cannot set SuccessCriteriaMet=True and {other}=true conditions"
            yield field_error.invalid(_CONDITIONS, OMIT, wrong)
    yield from _change_errors(status, before, is_true=is_true, was_true=was_true)
    if "SuccessCriteriaMet" in was_true and "SuccessCriteriaMet" not in is_true:
        yield field_error.invalid(_CONDITIONS, OMIT, "cannot disable the SuccessCriteriaMet=True condition")


def _true_conditions(status: JsonObject) -> list[str]:
    return [each.get("type", "") for each in status.get("conditions") or () if each.get("status") == "True"]


def _ended_errors(
    status: JsonObject, before: JsonObject, *, is_true: list[str], was_true: list[str]
) -> Iterator[FieldError]:
    """Judge what belongs to the end of a job; only where a write says something new about it."""
    if is_true == was_true and status.get("completionTime") == before.get("completionTime"):
        return
    is_complete, has_failed = "Complete" in is_true, "Failed" in is_true
    if is_complete and has_failed:
        wrong = "cannot set Complete=True and Failed=true conditions"
        yield field_error.invalid(_CONDITIONS, OMIT, wrong)
    if is_complete and "FailureTarget" in is_true:
        wrong = "cannot set Complete=True and FailureTarget=true conditions"
        yield field_error.invalid(_CONDITIONS, OMIT, wrong)
    ended = status.get("completionTime")
    if ended is not None and not is_complete:
        wrong = "cannot set completionTime when there is no Complete=True condition"
        yield field_error.invalid("status.completionTime", ended, wrong)
    if ended is None and is_complete:
        yield field_error.required("status.completionTime", "completionTime is required for Complete jobs")
    if has_failed and "FailureTarget" not in is_true:
        wrong = "cannot set Failed=True condition without the FailureTarget=true condition"
        yield field_error.invalid(_CONDITIONS, OMIT, wrong)
    if is_complete and "SuccessCriteriaMet" not in is_true:
        wrong = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        yield field_error.invalid(_CONDITIONS, OMIT, wrong)
    if is_complete or has_failed:
        yield from _finished_errors(status)


def _finished_errors(status: JsonObject) -> Iterator[FieldError]:
    if (active := status.get("active", 0)) > 0:
        yield field_error.invalid("status.active", active, "active>0 is invalid for finished job")
    if status.get("startTime") is None:
        yield field_error.required("status.startTime", "startTime is required for finished job")


def _change_errors(
    status: JsonObject, before: JsonObject, *, is_true: list[str], was_true: list[str]
) -> Iterator[FieldError]:
    for kind in _LASTING:
        if kind in was_true and kind not in is_true:
            wrong = f"cannot disable the terminal {kind}=True condition"
            yield field_error.invalid(_CONDITIONS, OMIT, wrong)
    for name in ("failed", "succeeded"):
        if status.get(name, 0) < before.get(name, 0):
            wrong = f"cannot decrease the {name} counter"
            yield field_error.invalid(f"status.{name}", status.get(name, 0), wrong)
