from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st
from making.jobs import account, indexed, job, pod

from konverge.cluster.controllers.job.ending import Ending
from konverge.cluster.controllers.job.tracking import MOST_AT_ONCE, count_out, is_counted_out, put_down, tally
from konverge.models import batch_v1, core_v1

FAILURE = Ending(succeeds=False, reason="Because", message="")
PHASES = st.lists(st.sampled_from(["Running", "Succeeded", "Failed"]), max_size=12)


def tracked(pods: list[core_v1.Pod]) -> list[str | None]:
    """The uids of the pods with a finalizer."""
    return [each.metadata.uid for each in pods if each.metadata.finalizers]


@given(PHASES, st.integers(0, 4), st.data())
def test_however_often_it_dies_each_pod_is_counted_once(phases: list[str], deaths: int, data: st.DataObject) -> None:
    """After the status was written, and after any part of the finalizers went."""
    work = job(completions=99, backoff_limit=99)
    pods = [pod(f"p{number}", phase) for number, phase in enumerate(phases)]
    for _ in range(deaths + 1):
        tallied = tally(account(work, *pods), None)
        count_out(work.status, tracked(pods))
        put_down(work.status, account(work, *pods), tallied)
        lost = data.draw(st.integers(0, len(tallied.released))) if deaths else len(tallied.released)
        for released in tallied.released[:lost]:
            released.metadata.finalizers = None
        pods = copy.deepcopy(pods)
    last = tally(account(work, *pods), None)
    count_out(work.status, tracked(pods))
    put_down(work.status, account(work, *pods), last)
    for released in last.released:
        released.metadata.finalizers = None
    count_out(work.status, tracked(pods))
    assert is_counted_out(work.status)
    counts = (work.status.succeeded or 0, work.status.failed or 0)
    assert counts == (phases.count("Succeeded"), phases.count("Failed"))


def test_what_runs_is_not_counted_until_the_job_ends() -> None:
    """Then it has failed, if the job has."""
    pods = (pod("a"), pod("b", "Succeeded"))
    assert [each.metadata.name for each in tally(account(job(), *pods), None).released] == ["b"]
    ended = tally(account(job(), *pods), FAILURE)
    assert (len(ended.released), ended.succeeded, ended.failed) == (2, ("uid-b",), ("uid-a",))
    succeeds = Ending(succeeds=True, reason="Because", message="")
    assert tally(account(job(), *pods), succeeds).failed == ()


def test_not_more_is_counted_at_once_than_the_status_has_room_for() -> None:
    """The rest follows in the next run."""
    pods = [pod(f"p{number}", "Succeeded") for number in range(MOST_AT_ONCE + 5)]
    first = tally(account(job(), *pods), None)
    assert (len(first.released), first.is_all) == (MOST_AT_ONCE, False)


def test_an_index_counts_once() -> None:
    """Two pods of one index that succeeded are one completion."""
    work = indexed(completions=5)
    work.status.completed_indexes = "0"
    pods = (pod("a", "Succeeded", index=2), pod("b", "Succeeded", index=2), pod("c", "Succeeded", index=0))
    tallied = tally(account(work, *pods), None)
    put_down(work.status, account(work, *pods), tallied)
    assert (len(tallied.released), work.status.completed_indexes, work.status.succeeded) == (3, "0,2", 2)


def test_the_last_failure_of_an_index_is_kept_until_it_is_replaced() -> None:
    """Its replacement takes the count over."""
    work = indexed(completions=1, backoff_limit_per_index=3)
    failed = pod("a", "Failed", index=0, failures=0)
    assert tally(account(work, failed), None).released == ()
    assert tally(account(work, failed, pod("b", index=0, failures=1)), None).released == (failed,)


def test_ignored_failures_are_released_and_not_counted() -> None:
    """As the policy has it."""
    codes = batch_v1.PodFailurePolicyOnExitCodesRequirement(operator="In", values=[1])
    rule = batch_v1.PodFailurePolicyRule(action="Ignore", on_exit_codes=codes)
    work = job(pod_failure_policy=batch_v1.PodFailurePolicy(rules=[rule]))
    tallied = tally(account(work, pod("a", "Failed")), None)
    assert (len(tallied.released), tallied.failed) == (1, ())
