"""The reconciler of jobs: reads the job and its pods, asks the pure parts what to do, and does it.

In this order, so that it may be interrupted anywhere: pods are deleted or created; what has ended is put down in the
status; then the finalizers go; then the status counts, and declares the end when everything is counted.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable

import msgspec

import konverge as kv
from konverge import clock
from konverge.api.model import encode
from konverge.api.request import STRATEGIC_MERGE_PATCH
from konverge.cluster.controllers.claim import claim
from konverge.cluster.controllers.job.account import Account
from konverge.cluster.controllers.job.conditions import set_condition
from konverge.cluster.controllers.job.ending import (
    Ending,
    completion_of,
    deadline_left,
    ending_of,
    has_condition,
    is_finished,
)
from konverge.cluster.controllers.job.member import TRACKING, is_tracked
from konverge.cluster.controllers.job.new_pod import pod_of
from konverge.cluster.controllers.job.plan import Plan, plan_of
from konverge.cluster.controllers.job.tracking import count_out, is_counted_out, put_down, tally
from konverge.cluster.controllers.owned import candidates
from konverge.cluster.controllers.pod_control import create_pod, delete_pod, is_namespace_terminating
from konverge.cluster.controllers.pod_state import is_ready
from konverge.cluster.controllers.selecting import selector_of
from konverge.cluster.controllers.slow_start import slow_start
from konverge.cluster.controllers.together import together
from konverge.errors import ApiError
from konverge.models import batch_v1, core_v1

OWN_NAME = "kubernetes.io/job-controller"
"""What a job may say in `managedBy` and still be ours."""


class Counts(msgspec.Struct):
    """The pods that run, with what this run has done to them."""

    active: int
    ready: int
    terminating: int


class JobReconciler:
    """Brings jobs to their end."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Take a job one step on."""
        job = await kv.ignore_not_found(ctx.client.get(batch_v1.Job, request))
        if job is None or is_managed_elsewhere(job) or is_finished(job):
            return None
        if job.spec.completion_mode not in {None, "Indexed", "NonIndexed"}:
            note = "Skipped Job sync because completion mode is unknown"
            ctx.recorder.warning(job, "UnknownCompletionMode", note)
            return None
        return await JobRun(ctx, job).run()


def is_managed_elsewhere(job: batch_v1.Job) -> bool:
    """Whether another controller has claimed the job by `managedBy`."""
    return job.spec.managed_by not in {None, OWN_NAME}


class JobRun:
    """One run over one job."""

    def __init__(self, ctx: kv.Context, job: batch_v1.Job) -> None:
        self._ctx = ctx
        self._job = job
        self._before = copy.deepcopy(job.status)

    async def run(self) -> kv.Result | None:
        """Take the job one step on."""
        account = await self._account()
        ending, counts = ending_of(account), Counts(len(account.active), account.ready, account.terminating)
        wait, problem = 0.0, None
        if ending is not None:
            await self._take_down(account.active, counts)
        elif not self._job.metadata.deletion_timestamp:
            plan = plan_of(account)
            problem = await self._carry_out(plan, account, counts)
            wait = plan.wait
            ending = completion_of(account, counts.active)
            if ending is None:
                self._tell_whether_suspended(account)
        else:
            ending = completion_of(account, counts.active)
        more = await self._settle(account, ending, counts)
        if problem is not None:
            raise problem
        return _again(account, wait=wait, more=more, ends=ending is not None)

    async def _account(self) -> Account:
        job, now = self._job, clock.now().replace(microsecond=0)
        selector = selector_of(job.spec.selector)
        pods = await claim(
            self._ctx,
            job,
            await candidates(self._ctx.client, job, core_v1.Pod),
            matches=lambda pod: selector.matches(pod.metadata.labels),
            finalizers=(TRACKING,),
        )
        if job.status.start_time is None and not job.spec.suspend:
            job.status.start_time = now
        return Account(job, tuple(pods), clock.now())

    async def _take_down(self, active: Iterable[core_v1.Pod], counts: Counts) -> None:
        """Delete what still runs, finalizers on: it is to be counted when it has ended."""
        pods = list(active)
        await together(delete_pod(self._ctx, self._job, pod) for pod in pods)
        _count_deleted(pods, counts)

    async def _carry_out(self, plan: Plan, account: Account, counts: Counts) -> Exception | None:
        """Delete and create pods; return what kept it from creating all of them."""
        await together(self._remove(pod) for pod in plan.delete)
        _count_deleted(plan.delete, counts)
        created, problem = await slow_start(len(plan.create), lambda place: self._add(account, plan.create[place]))
        counts.active += sum(created)
        return problem

    async def _remove(self, pod: core_v1.Pod) -> None:
        """Delete a pod that is too many: without its finalizer, since it is not to count."""
        await self._release(pod)
        await delete_pod(self._ctx, self._job, pod)

    async def _add(self, account: Account, index: int | None) -> bool:
        try:
            await create_pod(self._ctx, self._job, pod_of(account, index))
        except ApiError as error:
            if is_namespace_terminating(error):
                return True  # nothing will help, and the job is about to go as well
            raise
        return True

    def _tell_whether_suspended(self, account: Account) -> None:
        status, now = self._job.status, account.now
        if self._job.spec.suspend:
            if set_condition(status, "Suspended", reason="JobSuspended", message="Job suspended", now=now):
                self._ctx.recorder.normal(self._job, "Suspended", "Job suspended")
                status.start_time = None
        elif set_condition(status, "Suspended", reason="JobResumed", message="Job resumed", now=now, is_true=False):
            self._ctx.recorder.normal(self._job, "Resumed", "Job resumed")
            status.start_time = now.replace(microsecond=0)  # the deadline begins anew

    async def _settle(self, account: Account, ending: Ending | None, counts: Counts) -> bool:
        """Count what has ended, and declare the end; return whether there is more to count."""
        status = self._job.status
        status.active = counts.active or None
        status.ready, status.terminating = counts.ready, counts.terminating
        tracked = {pod.metadata.uid: None for pod in account.pods if is_tracked(pod)}
        tallied = tally(account, ending)
        count_out(status, tracked)
        put_down(status, account, tallied)
        if ending is not None and not has_condition(self._job, ending.announced_by):
            self._set(ending.announced_by, ending)
        await self._write()
        await together(self._release(pod) for pod in tallied.released)
        for pod in tallied.released:
            tracked.pop(pod.metadata.uid)
        count_out(self._job.status, tracked)
        if ending is not None and tallied.is_all and not counts.terminating and is_counted_out(self._job.status):
            await self._declare(ending)
        await self._write()
        return not tallied.is_all

    def _set(self, type_: str, ending: Ending) -> None:
        set_condition(self._job.status, type_, reason=ending.reason, message=ending.message, now=clock.now())

    async def _declare(self, ending: Ending) -> None:
        status = self._job.status
        self._set(ending.declared_by, ending)
        if ending.succeeds:
            status.completion_time = clock.now().replace(microsecond=0)
        await self._write()
        if not ending.succeeds:
            self._ctx.recorder.warning(self._job, ending.reason, ending.message)
            return
        if (self._job.spec.completions or status.succeeded or 0) < (status.succeeded or 0):
            note = "Too many succeeded pods running after completion count reached"
            self._ctx.recorder.warning(self._job, "TooManySucceededPods", note)
        self._ctx.recorder.normal(self._job, "Completed", "Job completed")

    async def _release(self, pod: core_v1.Pod) -> None:
        """Take the finalizer off: of this list a patch touches one word only, whoever else writes."""
        if is_tracked(pod):
            patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": [TRACKING]}}
            raw = kv.RawPatch(STRATEGIC_MERGE_PATCH, encode(patch))
            await kv.ignore_not_found(self._ctx.client.patch(pod, raw))

    async def _write(self) -> None:
        if self._job.status != self._before:
            await self._ctx.client.status.update(self._job)
            self._before = copy.deepcopy(self._job.status)


def _count_deleted(pods: Iterable[core_v1.Pod], counts: Counts) -> None:
    for pod in pods:
        counts.active -= 1
        counts.terminating += 1
        counts.ready -= is_ready(pod)


def _again(account: Account, *, wait: float, more: bool, ends: bool) -> kv.Result | None:
    """When to look again: at the end of a pause, or of the time the job may take; at once if there is more to count."""
    if more:
        return kv.Result(requeue_after=0.001)
    left = None if ends else deadline_left(account)
    waits = [seconds for seconds in (wait, left) if seconds is not None and seconds > 0]
    return kv.Result(requeue_after=min(waits)) if waits else None
