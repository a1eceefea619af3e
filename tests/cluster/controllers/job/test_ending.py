from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from making.jobs import NOW, account, indexed, job, pod

from konverge.cluster.controllers.job.conditions import set_condition
from konverge.cluster.controllers.job.ending import completion_of, ending_of
from konverge.models import batch_v1

EXIT = batch_v1.PodFailurePolicyOnExitCodesRequirement


def policy(action: str, operator: str, *values: int, container: str | None = None) -> batch_v1.PodFailurePolicy:
    """A failure policy of one rule."""
    codes = EXIT(operator=operator, values=list(values), container_name=container)
    return batch_v1.PodFailurePolicy(rules=[batch_v1.PodFailurePolicyRule(action=action, on_exit_codes=codes)])


def reason(of: batch_v1.Job, *pods: Any) -> str:
    """Why a job is to end; nothing while it goes on."""
    ending = ending_of(account(of, *pods))
    return ending.reason if ending else ""


def test_failures_up_to_the_limit_are_borne() -> None:
    """One more is too many; those that are counted and those that are not yet both count."""
    limited = job(backoff_limit=2)
    limited.status.failed = 1
    assert reason(limited, pod("a", "Failed")) == ""
    assert reason(limited, pod("a", "Failed"), pod("b", "Failed")) == "BackoffLimitExceeded"
    assert reason(limited, pod("a", "Failed"), pod("b", "Failed", tracked=False)) == ""


def test_a_pod_that_is_deleted_has_failed_unless_its_end_is_waited_for() -> None:
    """With a failure policy, or if it is asked for, only the end counts."""
    deleted = pod("a", deleted=True)
    assert reason(job(backoff_limit=0), deleted) == "BackoffLimitExceeded"
    assert reason(job(backoff_limit=0, pod_replacement_policy="Failed"), deleted) == ""
    assert reason(job(backoff_limit=0, pod_failure_policy=policy("Ignore", "In", 9)), deleted) == ""


def test_restarts_count_where_containers_are_restarted() -> None:
    """A limit of none allows none; else the limit itself is reached."""
    for limit, restarts, ends in ((0, 0, False), (0, 1, True), (2, 1, False), (2, 2, True)):
        work = job(backoff_limit=limit)
        assert work.spec.template.spec
        work.spec.template.spec.restart_policy = "OnFailure"
        restarted = pod("a", exit_code=1)
        assert restarted.status.container_statuses
        restarted.status.container_statuses[0].restart_count = restarts
        assert bool(reason(work, restarted)) is ends


def test_the_deadline_counts_from_the_start_and_not_while_suspended() -> None:
    """To the second."""
    late = job(active_deadline_seconds=60)
    late.status.start_time = NOW - timedelta(seconds=60)
    assert reason(late, pod("a")) == "DeadlineExceeded"
    late.status.start_time = NOW - timedelta(seconds=59)
    assert reason(late, pod("a")) == ""
    late.status.start_time, late.spec.suspend = NOW - timedelta(hours=1), True
    assert reason(late) == ""


def test_what_was_announced_holds() -> None:
    """A job that was to succeed does, whatever fails afterwards; and the other way round."""
    for announced, succeeds in (("SuccessCriteriaMet", True), ("FailureTarget", False)):
        work = job(backoff_limit=0)
        set_condition(work.status, announced, reason="Because", message="it was so", now=NOW)
        ending = ending_of(account(work, pod("a", "Failed")))
        assert ending is not None
        assert (ending.succeeds, ending.reason, ending.message) == (succeeds, "Because", "it was so")


@pytest.mark.parametrize(
    ("given", "code", "ends"),
    [
        (policy("FailJob", "In", 42), 42, "PodFailurePolicy"),
        (policy("FailJob", "In", 42), 1, "BackoffLimitExceeded"),
        (policy("FailJob", "NotIn", 1, 2), 3, "PodFailurePolicy"),
        (policy("FailJob", "In", 42, container="other"), 42, "BackoffLimitExceeded"),
        (policy("Ignore", "In", 42), 42, ""),
        (policy("Count", "In", 42), 42, "BackoffLimitExceeded"),
    ],
)
def test_the_failure_policy_decides(given: batch_v1.PodFailurePolicy, code: int, ends: str) -> None:
    """By exit code and container; what is ignored counts for nothing."""
    assert reason(job(backoff_limit=0, pod_failure_policy=given), pod("a", "Failed", exit_code=code)) == ends


def test_the_message_of_the_failure_policy_names_the_container() -> None:
    """And the rule by its place."""
    ending = ending_of(account(job(pod_failure_policy=policy("FailJob", "In", 42)), pod("a", "Failed", exit_code=42)))
    assert ending is not None
    assert ending.message == "Container main for pod shop/a failed with exit code 42 matching FailJob rule at index 0"


def test_an_index_is_lost_when_it_failed_once_more_than_it_may() -> None:
    """The job goes on while an index may still succeed, unless it has lost too many."""
    work = indexed(completions=3, parallelism=3, backoff_limit_per_index=1)
    lost = pod("a", "Failed", index=0, failures=1)
    assert reason(work, lost, pod("b", index=1), pod("c", index=2)) == ""
    ended = (pod("b", "Succeeded", index=1), pod("c", "Succeeded", index=2))
    assert reason(work, lost, *ended) == "FailedIndexes"
    work.spec.max_failed_indexes = 0
    assert reason(work, lost, pod("b", index=1)) == "MaxFailedIndexesExceeded"
    assert reason(work, pod("a", "Failed", index=0, failures=0), pod("b", index=1)) == ""


@pytest.mark.parametrize(
    ("indexes", "count", "ends"),
    [("0,2", None, False), ("0-1", None, True), ("0-3", 2, True), ("0-3", 3, False), (None, 2, True), ("9", 1, False)],
)
def test_the_success_policy_decides(indexes: str | None, count: int | None, ends: bool) -> None:
    """All the indexes of a rule, or so many of them, or so many of any."""
    rule = batch_v1.SuccessPolicyRule(succeeded_indexes=indexes, succeeded_count=count)
    work = indexed(completions=4, parallelism=4, success_policy=batch_v1.SuccessPolicy(rules=[rule]))
    done = (pod("a", "Succeeded", index=0), pod("b", "Succeeded", index=1))
    assert (reason(work, *done) == "SuccessPolicy") is ends


def test_a_job_completes_when_enough_pods_succeeded_and_none_runs() -> None:
    """Without completions one success is enough."""
    done = (pod("a", "Succeeded"), pod("b", "Succeeded"))
    for work, enough in ((job(completions=2), True), (job(completions=3), False), (job(completions=None), True)):
        assert (completion_of(account(work, *done), 0) is not None) is enough
        assert completion_of(account(work, *done), 1) is None
