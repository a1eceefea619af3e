"""Cron jobs: a schedule that can be read, a time zone that exists, and the template of a job."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from konverge.api.cron_schedule import CronSchedule
from konverge.api.invalid import InvalidValue
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.job_spec import job_spec_errors
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.number_rules import nonnegative
from konverge.cluster.apiserver.builtin.rules.pod.containers import choice_errors
from konverge.cluster.apiserver.builtin.rules.workload_selector import shown
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_LONGEST_NAME: Final = 52
_REMEMBERED: Final = 256  # zones that were looked up: few are used
_CONCURRENCY: Final = ("Allow", "Forbid", "Replace")
_ZONE_PART: Final = re.compile(r"[A-Za-z.\-_0-9+]{1,14}")


def _validate(value: JsonObject) -> list[FieldError]:
    errors = list(_spec_errors(value.get("spec") or {}, None))
    name = value["metadata"].get("name", "")
    if len(name) > _LONGEST_NAME:
        wrong = f"must be no more than {_LONGEST_NAME} characters"
        errors.append(field_error.invalid("metadata.name", name, wrong))
    return errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    return [] if subresource == "status" else list(_spec_errors(value.get("spec") or {}, old.get("spec") or {}))


def _spec_errors(spec: JsonObject, old: JsonObject | None) -> Iterator[FieldError]:
    zone = spec.get("timeZone")
    if not spec.get("schedule"):
        yield field_error.required("spec.schedule")
    else:
        yield from _schedule_errors(spec["schedule"], zone, may_name_zone="TZ" in (old or {}).get("schedule", ""))
    yield from nonnegative(spec, ("startingDeadlineSeconds",), "spec")
    if zone is not None and (old is None or old.get("timeZone") != zone):
        yield from _zone_errors(zone, "spec.timeZone")
    yield from choice_errors(spec.get("concurrencyPolicy", ""), "spec.concurrencyPolicy", choices=_CONCURRENCY)
    job = (spec.get("jobTemplate") or {}).get("spec") or {}
    yield from job_spec_errors(job, "spec.jobTemplate.spec")
    if (selector := job.get("selector")) is not None:
        wrong = "`selector` will be auto-generated"
        yield field_error.invalid("spec.jobTemplate.spec.selector", shown(selector), wrong)
    if job.get("manualSelector"):
        where = "spec.jobTemplate.spec.manualSelector"
        yield field_error.not_supported(where, value=True, supported=("nil", "false"))
    yield from nonnegative(spec, ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"), "spec")


def _schedule_errors(schedule: str, zone: str | None, *, may_name_zone: bool) -> Iterator[FieldError]:
    try:
        CronSchedule.parse(schedule)
    except InvalidValue as error:
        yield field_error.invalid("spec.schedule", schedule, str(error))
    if "TZ" not in schedule:
        return
    if not may_name_zone:
        wrong = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        yield field_error.invalid("spec.schedule", schedule, wrong)
    elif zone is not None:
        wrong = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
        yield field_error.invalid("spec.schedule", schedule, wrong)


def _zone_errors(zone: str, path: str) -> Iterator[FieldError]:
    if not zone:
        yield field_error.invalid(path, zone, "timeZone must be nil or non-empty string")
        return
    for part in zone.split("/"):
        if part in (".", "..") or part.startswith("-") or not _ZONE_PART.fullmatch(part):
            yield field_error.invalid(path, zone, f"unknown time zone {zone}")
            return
    if zone.lower() == "local":
        wrong = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        yield field_error.invalid(path, zone, wrong)
    if zone not in ("Local", "UTC") and not _is_known(zone) and _is_known("Etc/UTC"):
        yield field_error.invalid(path, zone, f"unknown time zone {zone}")


@lru_cache(_REMEMBERED)
def _is_known(zone: str) -> bool:
    """Whether the system's database has a zone; where there is none it knows not even Etc/UTC."""
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


CRON_JOB: Final = KindRules(validate=_validate, validate_update=_validate_update)
