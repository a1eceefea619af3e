"""The status of a job: counts, times, indexes and conditions that do not contradict each other or what was said before.

What a write leaves as it was is not judged again: a status may be behind a spec that has just changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.builtin.rules.number_rules import nonnegative
from konverge.cluster.apiserver.builtin.rules.status.job_indexes import indexes_fault, overlap_fault
from konverge.cluster.apiserver.field_error import OMIT, FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_COUNTS: Final = ("active", "succeeded", "failed", "ready", "terminating")
_OUTCOMES: Final = ("Complete", "Failed", "FailureTarget", "SuccessCriteriaMet")
_LASTING: Final = ("Failed", "Complete", "FailureTarget")
_CONDITIONS: Final = "status.conditions"
_UNCOUNTED: Final = "uncountedTerminatedPods"


@dataclass(frozen=True, slots=True)
class _Judged:
    """A status, the spec it belongs to, and the status before."""

    spec: JsonObject
    status: JsonObject
    before: JsonObject

    def has(self, outcome: str) -> bool:
        return _is(self.status, outcome)

    def had(self, outcome: str) -> bool:
        return _is(self.before, outcome)

    @property
    def is_finished(self) -> bool:
        return self.has("Complete") or self.has("Failed")

    @property
    def is_newly_finished(self) -> bool:
        return self.is_finished != (self.had("Complete") or self.had("Failed"))

    def moved(self, *names: str) -> bool:
        """Whether the write changes one of these fields, or an outcome."""
        return any(
            self.has(name) != self.had(name)
            if name in _OUTCOMES
            else _plain(self.status, name) != _plain(self.before, name)
            for name in names
        )


def _is(status: JsonObject, outcome: str, state: str = "True") -> bool:
    conditions = status.get("conditions") or ()
    return any(each.get("type") == outcome and each.get("status") == state for each in conditions)


def _plain(status: JsonObject, name: str) -> Any:
    """Return a field so that absent and empty are one where they are one to Go."""
    if name == _UNCOUNTED:
        return [list((status.get(name) or {}).get(part) or ()) for part in ("succeeded", "failed")]
    return status.get(name) or ("" if name == "completedIndexes" else 0 if name == "active" else status.get(name))


def job_status_errors(value: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    """Judge a status by itself, then against the one before."""
    judged = _Judged(value.get("spec") or {}, value.get("status") or {}, old.get("status") or {})
    yield from nonnegative(judged.status, _COUNTS, "status")
    yield from _uncounted_errors(judged.status.get(_UNCOUNTED) or {})
    yield from _outcome_errors(judged)
    yield from _finished_errors(judged)
    yield from _index_errors(judged)
    yield from _pod_errors(judged)
    yield from _success_errors(judged)
    yield from _change_errors(judged)


def _uncounted_errors(uncounted: JsonObject) -> Iterator[FieldError]:
    seen: set[str] = set()
    for name in ("succeeded", "failed"):
        for index, uid in enumerate(uncounted.get(name) or ()):
            path = f"status.{_UNCOUNTED}.{name}[{index}]"
            if not uid:
                yield field_error.invalid(path, uid, "must not be empty")
            elif uid in seen:
                yield field_error.duplicate(path, uid)
            seen.add(uid)


def _outcome_errors(judged: _Judged) -> Iterator[FieldError]:
    """Judge which conditions stand together, and the time that belongs to them."""
    for other in ("Failed", "FailureTarget"):
        if judged.moved("Complete", other) and judged.has("Complete") and judged.has(other):
            yield _condition(f"cannot set Complete=True and {other}=true conditions")
    yield from _time_errors(judged)
    if judged.moved("Failed", "failedIndexes") and judged.has("Failed") and not judged.has("FailureTarget"):
        yield _condition("cannot set Failed=True condition without the FailureTarget=true condition")
    is_new = judged.moved("Complete", "SuccessCriteriaMet")
    if is_new and judged.has("Complete") and not judged.has("SuccessCriteriaMet"):
        yield _condition("cannot set Complete=True condition without the SuccessCriteriaMet=true condition")


def _condition(wrong: str) -> FieldError:
    return field_error.invalid(_CONDITIONS, OMIT, wrong)


def _time_errors(judged: _Judged) -> Iterator[FieldError]:
    path, started, ended = "status.completionTime", judged.status.get("startTime"), judged.status.get("completionTime")
    if judged.moved("Complete", "completionTime"):
        if ended is not None and not judged.has("Complete"):
            wrong = "cannot set completionTime when there is no Complete=True condition"
            yield field_error.invalid(path, ended, wrong)
        if ended is None and judged.has("Complete"):
            yield field_error.required(path, "completionTime is required for Complete jobs")
    if judged.moved("startTime", "completionTime") and started and ended and ended < started:
        yield field_error.invalid(path, ended, "must be equal to or after `startTime`")


def _finished_errors(judged: _Judged) -> Iterator[FieldError]:
    """Judge what a finished job has no more of."""
    if not judged.is_finished:
        return
    spec, status, is_new = judged.spec, judged.status, judged.is_newly_finished
    if (is_new or judged.moved("active")) and status.get("active", 0) > 0:
        yield field_error.invalid("status.active", status["active"], "active>0 is invalid for finished job")
    never_ran = bool(spec.get("suspend")) and spec.get("completions") == 0
    if (is_new or judged.moved("startTime")) and not never_ran and status.get("startTime") is None:
        yield field_error.required("status.startTime", "startTime is required for finished job")
    if (is_new or judged.moved(_UNCOUNTED)) and any(_plain(status, _UNCOUNTED)):
        shown = internal_text("batch.UncountedTerminatedPods", status[_UNCOUNTED])
        yield field_error.invalid(f"status.{_UNCOUNTED}", shown, "must be empty for finished job")


def _index_errors(judged: _Judged) -> Iterator[FieldError]:
    spec, most = judged.spec, judged.spec.get("completions")
    done, failed = judged.status.get("completedIndexes", ""), judged.status.get("failedIndexes")
    done_moved, failed_moved = judged.moved("completedIndexes"), judged.moved("failedIndexes")
    path, other = "status.completedIndexes", "status.failedIndexes"
    if done_moved and most is not None and (fault := indexes_fault(done, most)):
        yield field_error.invalid(path, done, f"error parsing completedIndexes: {fault}")
    has_limit = spec.get("backoffLimitPerIndex") is not None
    if failed_moved and has_limit and failed and most is not None and (fault := indexes_fault(failed, most)):
        yield field_error.invalid(other, failed, f"error parsing failedIndexes: {fault}")
    if done_moved and done and spec.get("completionMode") != "Indexed":
        wrong = "cannot set non-empty completedIndexes when non-indexed completion mode"
        yield field_error.invalid(path, done, wrong)
    if failed_moved and failed is not None and not has_limit:
        wrong = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        yield field_error.invalid(other, failed, wrong)
    if (done_moved or failed_moved) and failed and most is not None and (fault := overlap_fault(done, failed, most)):
        yield field_error.invalid(other, failed, fault)


def _pod_errors(judged: _Judged) -> Iterator[FieldError]:
    status, is_new = judged.status, judged.is_newly_finished
    ending, ready = status.get("terminating") or 0, status.get("ready")
    if (is_new or judged.moved("terminating")) and ending > 0 and judged.is_finished:
        yield field_error.invalid("status.terminating", ending, "terminating>0 is invalid for finished job")
    if judged.moved("ready", "active") and ready is not None and ready > status.get("active", 0):
        yield field_error.invalid("status.ready", ready, "cannot set more ready pods than active")


def _success_errors(judged: _Judged) -> Iterator[FieldError]:
    has_succeeded = judged.has("SuccessCriteriaMet")
    for other in ("Failed", "FailureTarget"):
        if has_succeeded and judged.has(other):
            yield _condition(f"cannot set SuccessCriteriaMet=True and {other}=true conditions")
    if judged.spec.get("successPolicy") is not None and judged.has("Complete") and not has_succeeded:
        yield _condition("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")


def _change_errors(judged: _Judged) -> Iterator[FieldError]:
    """Judge what may not be taken back."""
    for outcome in _LASTING:
        if judged.had(outcome) and not judged.has(outcome):
            yield _condition(f"cannot disable the terminal {outcome}=True condition")
    yield from _counter_errors(judged)
    yield from _changed_time_errors(judged)
    if judged.had("SuccessCriteriaMet") and not judged.has("SuccessCriteriaMet"):
        yield _condition("cannot disable the SuccessCriteriaMet=True condition")
    if judged.had("Complete") and judged.has("SuccessCriteriaMet") and not judged.had("SuccessCriteriaMet"):
        yield _condition("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")


def _counter_errors(judged: _Judged) -> Iterator[FieldError]:
    spec = judged.spec
    is_elastic = spec.get("completionMode") == "Indexed" and spec.get("completions") == spec.get("parallelism")
    for name in ("failed",) if is_elastic else ("failed", "succeeded"):  # an elastic job can be made smaller
        count = judged.status.get(name, 0)
        if count < judged.before.get(name, 0):
            yield field_error.invalid(f"status.{name}", count, f"cannot decrease the {name} counter")


def _changed_time_errors(judged: _Judged) -> Iterator[FieldError]:
    status, before = judged.status, judged.before
    ended, had_ended = status.get("completionTime"), before.get("completionTime")
    if ended is not None and had_ended is not None and ended != had_ended:
        yield field_error.invalid("status.completionTime", ended, "field is immutable")
    is_resumed = _is(before, "Suspended") and _is(status, "Suspended", "False")
    is_moved = before.get("startTime") is not None and judged.moved("startTime")
    if is_moved and not is_resumed and not judged.spec.get("suspend"):
        wrong = "field is immutable for unsuspended job once set"
        yield field_error.invalid("status.startTime", status.get("startTime"), wrong)
