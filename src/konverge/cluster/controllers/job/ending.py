"""Ending: whether a job is to end, how, and why. What was announced holds; then failures are looked for, then success.

An end is announced first (`FailureTarget`, `SuccessCriteriaMet`), so that what is left of the job can be taken down;
when all its pods are counted and gone, it is declared (`Failed`, `Complete`).
"""

from __future__ import annotations

from datetime import timedelta

import msgspec

from konverge.cluster.controllers.job import failure_policy, success_policy
from konverge.cluster.controllers.job.account import Account
from konverge.cluster.controllers.job.member import has_failed, is_indexed, restarts
from konverge.models import batch_v1


class Ending(msgspec.Struct, frozen=True):
    """How a job ends."""

    succeeds: bool
    reason: str
    message: str

    @property
    def announced_by(self) -> str:
        """The condition that announces it."""
        return "SuccessCriteriaMet" if self.succeeds else "FailureTarget"

    @property
    def declared_by(self) -> str:
        """The condition that declares it."""
        return "Complete" if self.succeeds else "Failed"


def ending_of(account: Account) -> Ending | None:
    """Return how the job is to end, whatever still runs; None if it goes on."""
    return _announced(account.job) or _failure(account) or _success(account)


def completion_of(account: Account, active: int) -> Ending | None:
    """Return the ordinary end: enough successes, and nothing that runs."""
    enough = 1 if account.job.spec.completions is None else account.job.spec.completions
    if account.succeeded < enough or active:
        return None
    return Ending(succeeds=True, reason="CompletionsReached", message="Reached expected number of succeeded pods")


def is_finished(job: batch_v1.Job) -> bool:
    """Whether an end was declared."""
    return has_condition(job, "Complete") or has_condition(job, "Failed")


def has_condition(job: batch_v1.Job, type_: str) -> bool:
    """Whether a condition is there and true."""
    return any(each.type == type_ and each.status == "True" for each in job.status.conditions or ())


def deadline_left(account: Account) -> float | None:
    """Return the seconds until the job has been active for too long; None without a deadline, or while suspended."""
    job = account.job
    if job.spec.active_deadline_seconds is None or job.status.start_time is None or job.spec.suspend:
        return None
    end = job.status.start_time + timedelta(seconds=job.spec.active_deadline_seconds)
    return (end - account.now).total_seconds()


def _announced(job: batch_v1.Job) -> Ending | None:
    for type_ in ("SuccessCriteriaMet", "FailureTarget"):
        for condition in job.status.conditions or ():
            if condition.type == type_ and condition.status == "True":
                succeeds = type_ == "SuccessCriteriaMet"
                return Ending(succeeds, condition.reason or "", condition.message or "")
    return None


def _failure(account: Account) -> Ending | None:
    for why in (_policy_failure(account), _limit_failure(account), _index_failure(account)):
        if why is not None:
            return Ending(False, *why)
    return None


def _policy_failure(account: Account) -> tuple[str, str] | None:
    policy = account.job.spec.pod_failure_policy
    if policy is None:
        return None
    for pod in account.pods:
        if has_failed(pod, account.job) and (message := failure_policy.judge(pod, policy).message):
            return "PodFailurePolicy", message
    return None


def _limit_failure(account: Account) -> tuple[str, str] | None:
    spec, left = account.job.spec, deadline_left(account)
    limit = 6 if spec.backoff_limit is None else spec.backoff_limit
    if account.failed > limit or _restarted_too_often(account, limit):
        return "BackoffLimitExceeded", "Job has reached the specified backoff limit"
    if left is not None and left <= 0:
        return "DeadlineExceeded", "Job was active longer than specified deadline"
    return None


def _restarted_too_often(account: Account, limit: int) -> bool:
    template = account.job.spec.template.spec
    if template is None or template.restart_policy != "OnFailure":
        return False
    return restarts(account.pods) >= max(limit, 1)


def _index_failure(account: Account) -> tuple[str, str] | None:
    failed, spec = account.failed_indexes, account.job.spec
    if failed is None:
        return None
    if spec.max_failed_indexes is not None and len(failed) > spec.max_failed_indexes:
        return "MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes"
    if failed and len(failed) + len(account.succeeded_indexes) >= (spec.completions or 0):
        return "FailedIndexes", "Job has failed indexes"
    return None


def _success(account: Account) -> Ending | None:
    if not is_indexed(account.job):
        return None
    message = success_policy.matched(account.job, account.succeeded_indexes)
    return Ending(succeeds=True, reason="SuccessPolicy", message=message) if message else None
