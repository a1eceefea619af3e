"""The reconciler of cron jobs: takes stock of its jobs, tidies the old ones up, and begins the one that is due."""

from __future__ import annotations

import copy
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import konverge as kv
from konverge import clock
from konverge.api.invalid import InvalidValue
from konverge.cluster.controllers.cron_job import history, start
from konverge.cluster.controllers.cron_job.due import Timetable
from konverge.cluster.controllers.owned import controlled
from konverge.controller.owner import is_controlled_by
from konverge.errors import AlreadyExists, ApiError, NotFound
from konverge.models import batch_v1, core_v1


class CronJobReconciler:
    """Keeps the jobs of cron jobs."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Begin what is due, and say when to look again."""
        cron_job = await kv.ignore_not_found(ctx.client.get(batch_v1.CronJob, request))
        if cron_job is None:
            return None
        jobs = await controlled(ctx.client, cron_job, batch_v1.Job)
        before = copy.deepcopy(cron_job.status)
        await _tidy(ctx, cron_job, jobs)
        try:
            await _take_stock(ctx, cron_job, jobs)
            wait = await _begin_what_is_due(ctx, cron_job)
        finally:  # what was learnt is written down also where the rest failed
            if cron_job.status != before:
                await ctx.client.status.update(cron_job)
        return None if wait is None else kv.Result(requeue_after=wait)


async def _tidy(ctx: kv.Context, cron_job: batch_v1.CronJob, jobs: list[batch_v1.Job]) -> None:
    for job in history.surplus(cron_job, jobs):
        if not job.metadata.deletion_timestamp:
            await _delete(ctx, cron_job, job)


async def _take_stock(ctx: kv.Context, cron_job: batch_v1.CronJob, jobs: list[batch_v1.Job]) -> None:
    """Compare the list of running jobs with the jobs there are."""
    known = {job.metadata.uid for job in jobs}
    for job in jobs:
        _look_at(ctx, cron_job, job)
    for reference in list(cron_job.status.active or ()):
        if reference.uid not in known and await _is_gone(ctx, reference):
            ctx.recorder.normal(cron_job, "MissingJob", f"Active job went missing: {reference.name}")
            _forget(cron_job, reference.uid)
    cron_job.status.last_successful_time = history.last_success(cron_job, jobs)


def _look_at(ctx: kv.Context, cron_job: batch_v1.CronJob, job: batch_v1.Job) -> None:
    listed = any(reference.uid == job.metadata.uid for reference in cron_job.status.active or ())
    end = history.finished_as(job)
    if end and listed:
        _forget(cron_job, job.metadata.uid)
        ctx.recorder.normal(cron_job, "SawCompletedJob", f"Saw completed job: {job.metadata.name}, condition: {end}")
    elif not end and not listed:
        note = f"Saw a job that the controller did not create or forgot: {job.metadata.name}"
        ctx.recorder.warning(cron_job, "UnexpectedJob", note)


async def _is_gone(ctx: kv.Context, reference: core_v1.ObjectReference) -> bool:
    """Ask the server itself: a cache that is behind must not end in a second job."""
    try:
        await ctx.live.get(batch_v1.Job, reference.name or "", namespace=reference.namespace)
    except NotFound:
        return True
    return False


def _forget(cron_job: batch_v1.CronJob, uid: str | None) -> None:
    kept = [reference for reference in cron_job.status.active or () if reference.uid != uid]
    cron_job.status.active = kept or None


async def _begin_what_is_due(ctx: kv.Context, cron_job: batch_v1.CronJob) -> float | None:
    """Begin a job if one is due; return the seconds until the next look, None if there is nothing to wait for."""
    if cron_job.metadata.deletion_timestamp:
        return None
    timetable = _timetable(ctx, cron_job)
    if timetable is None:
        return None
    try:
        decision = start.decide(timetable, cron_job, clock.now())
    except InvalidValue as error:
        ctx.recorder.warning(cron_job, "InvalidSchedule", f"invalid schedule: {cron_job.spec.schedule} : {error}")
        return None
    for notice in decision.notices:
        ctx.recorder.event(cron_job, notice.type, reason=notice.reason, note=notice.note)
    if decision.at is None:
        return decision.look_again
    if decision.replaces:
        await _make_way(ctx, cron_job)
    job = await _begun(ctx, cron_job, start.new_job(cron_job, decision.at))
    if job is None:
        return None
    cron_job.status.active = [*(cron_job.status.active or ()), _reference(job)]
    cron_job.status.last_schedule_time = decision.at
    return decision.look_again


def _timetable(ctx: kv.Context, cron_job: batch_v1.CronJob) -> Timetable | None:
    spec = cron_job.spec
    try:
        ZoneInfo(spec.time_zone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        note = f'invalid timeZone: "{spec.time_zone}": unknown time zone {spec.time_zone}'
        ctx.recorder.warning(cron_job, "UnknownTimeZone", note)
        return None
    if spec.suspend:
        return None
    if "TZ" in spec.schedule:
        ctx.recorder.warning(cron_job, "UnsupportedSchedule", _ZONE_IN_SCHEDULE.format(spec.schedule))
    try:
        return Timetable.of(spec)
    except InvalidValue as error:
        note = f'unparseable schedule: "{spec.schedule}" : {error}'
        ctx.recorder.warning(cron_job, "UnparseableSchedule", note)
        return None


_ZONE_IN_SCHEDULE = (
    'CRON_TZ or TZ used in schedule "{}" is not officially supported, see '
    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
)


async def _make_way(ctx: kv.Context, cron_job: batch_v1.CronJob) -> None:
    """Delete the jobs that run, for the one that replaces them."""
    for reference in list(cron_job.status.active or ()):
        job = await ctx.client.get(batch_v1.Job, reference.name or "", namespace=reference.namespace)
        await _delete(ctx, cron_job, job)


async def _delete(ctx: kv.Context, cron_job: batch_v1.CronJob, job: batch_v1.Job) -> None:
    try:
        await kv.ignore_not_found(ctx.client.delete(job, propagation="Background"))
    except ApiError as error:
        ctx.recorder.warning(cron_job, "FailedDelete", f"Deleted job: {error.message}")
        raise
    _forget(cron_job, job.metadata.uid)
    ctx.recorder.normal(cron_job, "SuccessfulDelete", f"Deleted job {job.metadata.name}")


async def _begun(ctx: kv.Context, cron_job: batch_v1.CronJob, job: batch_v1.Job) -> batch_v1.Job | None:
    """Create a job; return it, or the one of its name that we made before and did not write down."""
    try:
        await ctx.client.create(job)
    except AlreadyExists:
        there = await ctx.live.get(batch_v1.Job, job.metadata)
        return there if is_controlled_by(there, cron_job) else None
    except ApiError as error:
        if not any(cause.reason == "NamespaceTerminating" for cause in error.causes):
            ctx.recorder.warning(cron_job, "FailedCreate", f"Error creating job: {error.message}")
        raise
    ctx.recorder.normal(cron_job, "SuccessfulCreate", f"Created job {job.metadata.name}")
    return job


def _reference(job: batch_v1.Job) -> core_v1.ObjectReference:
    return core_v1.ObjectReference(
        api_version=job.api_version,
        kind=job.kind,
        namespace=job.metadata.namespace,
        name=job.metadata.name,
        uid=job.metadata.uid,
        resource_version=job.metadata.resource_version,
    )
