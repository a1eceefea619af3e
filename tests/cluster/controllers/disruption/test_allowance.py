"""What a budget's status is to say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from konverge import ObjectMeta
from konverge.api.meta import LabelSelector
from konverge.cluster.controllers.disruption import allowance
from konverge.models import core_v1, policy_v1

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def budget(
    min_available: int | str | None = None, max_unavailable: int | str | None = None
) -> policy_v1.PodDisruptionBudget:
    """Return a budget."""
    spec = policy_v1.PodDisruptionBudgetSpec(
        selector=LabelSelector(), min_available=min_available, max_unavailable=max_unavailable
    )
    return policy_v1.PodDisruptionBudget(metadata=ObjectMeta(name="b", namespace="n", generation=3), spec=spec)


def pod(name: str, *, ready: bool = True, ending: bool = False) -> core_v1.Pod:
    """Return a pod."""
    metadata = ObjectMeta(name=name, namespace="n", deletion_timestamp=NOW if ending else None)
    condition = core_v1.PodCondition(type="Ready", status="True" if ready else "False")
    return core_v1.Pod(metadata=metadata, status=core_v1.PodStatus(conditions=[condition]))


@pytest.mark.parametrize(
    ("least", "most", "expected"),
    [
        (2, None, (4, 2)),
        ("50%", None, (5, 3)),
        (None, 1, (5, 4)),
        (None, "30%", (5, 3)),
        (None, 9, (5, 0)),
        (None, None, (0, 0)),
    ],
)
def test_what_should_be_there(least: int | str | None, most: int | str | None, expected: tuple[int, int]) -> None:
    """A number counts the pods that are there, a share what their controllers ask for; shares are rounded up."""
    found = allowance.expected(budget(least, most), present=4, scale=5)
    assert (found.pods, found.healthy) == expected


def test_pods_that_are_about_to_go_are_not_healthy() -> None:
    """Nor are those that are going, or not ready."""
    pods = [pod("a"), pod("b"), pod("c", ready=False), pod("d", ending=True)]
    assert allowance.healthy(pods, {"b": NOW}) == 1


def test_an_eviction_that_never_happens_is_forgotten() -> None:
    """Until then it is looked at again when its time is up."""
    pods = [pod("late"), pod("soon"), pod("going", ending=True)]
    granted = {"late": NOW - timedelta(minutes=3), "soon": NOW - timedelta(minutes=1), "going": NOW, "gone": NOW}
    found = allowance.still_evicted(pods, granted, now=NOW)
    assert list(found.pods) == ["soon"]
    assert [each.metadata.name for each in found.overdue] == ["late"]
    assert found.recheck_at == NOW + timedelta(minutes=1)


def test_the_status_says_what_may_go() -> None:
    """Never less than none, and none where no pod is expected."""
    some = budget(1)
    allowance.set_status(some, allowance.Expected(3, 1), healthy_now=3, evicted={})
    assert (some.status.disruptions_allowed, some.status.observed_generation) == (2, 3)
    assert [(each.reason, each.status) for each in some.status.conditions or ()] == [("SufficientPods", "True")]
    allowance.set_status(some, allowance.Expected(3, 5), healthy_now=3, evicted={})
    assert some.status.disruptions_allowed == 0
    allowance.set_status(some, allowance.Expected(0, 0), healthy_now=2, evicted={})
    assert (some.status.disruptions_allowed, (some.status.conditions or [])[0].reason) == (0, "InsufficientPods")
