"""Kinds of the group batch."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.age import age, between
from konverge.cluster.apiserver.table.builtin.parts import (
    NONE,
    UNSET,
    Cells,
    Printer,
    age_of,
    below,
    containers_of,
    is_deleted,
    is_true,
    listed,
    name_of,
    selector_text,
)

_SUSPENDED: Final = {None: UNSET, True: "True", False: "False"}


def _cron_job(value: JsonObject) -> Cells:
    spec, status = below(value, "spec"), below(value, "status")
    last = status.get("lastScheduleTime")
    zone = spec.get("timeZone")
    job = below(spec, "jobTemplate", "spec")
    return [
        name_of(value),
        spec.get("schedule", ""),
        NONE if zone is None else zone,
        _SUSPENDED[spec.get("suspend")],
        len(listed(status, "active")),
        age(last) if last else NONE,
        age_of(value),
        *containers_of(below(job, "template")),
        selector_text(job.get("selector")),
    ]


def _job(value: JsonObject) -> Cells:
    spec = below(value, "spec")
    return [
        name_of(value),
        _state(value),
        _completions(value),
        _duration(below(value, "status")),
        age_of(value),
        *containers_of(below(spec, "template")),
        selector_text(spec.get("selector")),
    ]


def _state(value: JsonObject) -> str:
    conditions = listed(value, "status", "conditions")
    for kind in ("Complete", "Failed"):
        if is_true(conditions, kind):
            return kind
    if is_deleted(value):
        return "Terminating"
    for kind in ("Suspended", "FailureTarget", "SuccessCriteriaMet"):
        if is_true(conditions, kind):
            return kind
    return "Running"


def _completions(value: JsonObject) -> str:
    spec = below(value, "spec")
    succeeded = below(value, "status").get("succeeded", 0)
    if spec.get("completions") is not None:
        return f"{succeeded}/{spec['completions']}"
    parallelism = spec.get("parallelism") or 0
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _duration(status: JsonObject) -> str:
    start, end = status.get("startTime"), status.get("completionTime")
    if not start:
        return ""
    return between(start, end) if end else age(start)


PRINTERS: Final[dict[str, Printer]] = {"CronJob": _cron_job, "Job": _job}
