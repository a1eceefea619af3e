"""The status of a job: counts and conditions that do not contradict each other or what was said before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.number_rules import nonnegative
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_COUNTS: Final = ("active", "succeeded", "failed", "ready", "terminating")


def job_status_errors(value: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    """Judge the counts of a status."""
    status, before = value.get("status") or {}, old.get("status") or {}
    yield from nonnegative(status, _COUNTS, "status")
    if status.get("ready", 0) > status.get("active", 0):
        yield field_error.invalid("status.ready", status["ready"], "cannot set more ready pods than active")
    for name in ("failed", "succeeded"):
        if status.get(name, 0) < before.get(name, 0):
            wrong = f"cannot decrease the {name} counter"
            yield field_error.invalid(f"status.{name}", status.get(name, 0), wrong)
