from __future__ import annotations

import pytest
from making.jobs import account, indexed, job, pod

from konverge.cluster.controllers.job.plan import plan_of


@pytest.mark.parametrize(
    ("completions", "parallelism", "succeeded", "running", "creates"),
    [(5, 2, 0, 0, 2), (5, 2, 4, 0, 1), (5, 2, 5, 0, 0), (None, 3, 0, 1, 2), (None, 3, 1, 1, 0), (2, 9, 0, 0, 2)],
)
def test_as_many_run_as_are_wanted_and_missing(
    completions: int | None, parallelism: int, succeeded: int, running: int, creates: int
) -> None:
    """Never more than there are completions left; of a work queue none after the first success."""
    work = job(completions=completions, parallelism=parallelism)
    work.status.succeeded = succeeded
    pods = [pod(f"p{number}") for number in range(running)]
    assert plan_of(account(work, *pods)).create == (None,) * creates


def test_what_has_got_least_far_goes_first() -> None:
    """Pending before running."""
    plan = plan_of(account(job(completions=3, parallelism=1), pod("runs"), pod("waits", "Pending")))
    assert [each.metadata.name for each in plan.delete] == ["waits"]


def test_suspending_deletes_everything() -> None:
    """And creates nothing."""
    plan = plan_of(account(job(suspend=True), pod("a"), pod("b", "Succeeded")))
    assert ([each.metadata.name for each in plan.delete], plan.create) == (["a"], ())


def test_failures_are_replaced_after_a_pause_that_doubles() -> None:
    """Counted since the last success; the pause ends ten minutes after a failure at the latest."""
    work = job(completions=5)
    assert plan_of(account(work, pod("a", "Failed", ended=4))).wait == 6
    assert plan_of(account(work, pod("a", "Failed", ended=10))).create == (None,)
    assert plan_of(account(work, pod("a", "Failed", ended=25), pod("b", "Failed", ended=5))).wait == 15
    assert plan_of(account(work, pod("a", "Failed", ended=25), pod("b", "Succeeded", ended=5))).create == (None,)
    many = [pod(f"p{number}", "Failed", ended=100, tracked=False) for number in range(30)]
    assert plan_of(account(job(completions=5, backoff_limit=99), *many)).wait == 500


def test_the_first_free_indexes_are_taken() -> None:
    """Those that nobody works on and that are not done."""
    work = indexed(completions=6, parallelism=3)
    work.status.completed_indexes = "0"
    assert plan_of(account(work, pod("a", index=2))).create == (1, 3)


def test_pods_without_a_use_are_deleted_before_any_is_created() -> None:
    """Two of one index, one without, one beyond the end."""
    work = indexed(completions=3, parallelism=3)
    pods = (pod("a", index=0), pod("b", "Pending", index=0), pod("c"), pod("d", index=7))
    plan = plan_of(account(work, *pods))
    assert sorted(each.metadata.name or "" for each in plan.delete) == ["b", "c", "d"]
    assert plan.create == ()


def test_each_index_waits_for_itself() -> None:
    """One that has failed is held back, and the next one is not."""
    work = indexed(completions=2, parallelism=2, backoff_limit_per_index=3)
    failed = pod("a", "Failed", index=0, failures=0, ended=3)
    plan = plan_of(account(work, failed))
    assert (plan.create, plan.wait) == ((1,), 7)
    plan = plan_of(account(work, failed, pod("b", index=1)))
    assert (plan.create, plan.wait) == ((), 7)


def test_a_pod_on_its_way_out_is_waited_for_where_that_is_asked_for() -> None:
    """Else its replacement comes at once, after the pause of a failure."""
    leaving = pod("a", deleted=True)
    assert plan_of(account(job(pod_replacement_policy="Failed"), leaving)) == plan_of(account(job(parallelism=0)))
    assert plan_of(account(job(), leaving)).wait == 10
    free = pod("a", deleted=True, tracked=False)  # one that we deleted ourselves
    assert plan_of(account(job(), free)).create == (None,)
