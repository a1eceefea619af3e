from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from konverge import ObjectMeta
from konverge.api.kind import GroupVersion, GroupVersionResource
from konverge.cluster.controllers.namespace.content import grace_seconds
from konverge.cluster.controllers.namespace.outcome import Left, Outcome, discovery_failure, set_conditions
from konverge.models import core_v1

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
LATER = NOW + timedelta(seconds=9)


def status_after(*outcomes: Outcome) -> core_v1.NamespaceStatus:
    """The status after some passes."""
    status = core_v1.NamespaceStatus()
    for number, outcome in enumerate(outcomes):
        set_conditions(status, outcome, counted=True, now=NOW if not number else LATER)
    return status


def messages(status: core_v1.NamespaceStatus) -> dict[str, str | None]:
    """What the conditions say that are true."""
    return {each.type: each.message for each in status.conditions or () if each.status == "True"}


def test_all_is_well_at_first() -> None:
    """Five conditions, none of which is true."""
    status = status_after(Outcome())
    assert [each.status for each in status.conditions or ()] == ["False"] * 5
    assert messages(status) == {}


def test_a_second_pass_with_the_same_outcome_changes_nothing() -> None:
    """So nothing is written."""
    status = status_after(Outcome())
    assert not set_conditions(status, Outcome(), counted=True, now=LATER)


def test_the_time_moves_when_the_state_does() -> None:
    """Not when only the message changes."""
    fails = [Outcome(failures=["a"]), Outcome(failures=["b", "a"])]
    status = status_after(*fails)
    assert messages(status) == {
        "NamespaceDeletionContentFailure": "Failed to delete all resource types, 2 remaining: a, b"
    }
    assert {each.last_transition_time for each in status.conditions or ()} == {NOW}
    set_conditions(status, Outcome(), counted=True, now=LATER)
    assert [each.last_transition_time for each in status.conditions or ()] == [NOW, NOW, LATER, NOW, NOW]


def test_groups_that_cannot_be_asked_are_named() -> None:
    """Sorted, in the words of client-go."""
    failed = {GroupVersion(group, "v1"): f"stale GroupVersion discovery: {group}/v1" for group in ("b.io", "a.io")}
    assert discovery_failure(failed) == (
        "Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: "
        "a.io/v1: stale GroupVersion discovery: a.io/v1, b.io/v1: stale GroupVersion discovery: b.io/v1"
    )
    assert discovery_failure({}) == ""


def test_what_is_left_is_counted_by_kind_and_by_finalizer() -> None:
    """The slowest says when to look again."""
    outcome = Outcome()
    outcome.add(GroupVersionResource("", "v1", "secrets"), Left(count=2, finalizers={"x": 2, "y": 1}, seconds=15))
    outcome.add(GroupVersionResource("apps", "v1", "deployments"), Left(count=1, finalizers={"x": 1}, seconds=30))
    outcome.add(GroupVersionResource("", "v1", "pods"), Left())
    assert outcome.seconds == 30
    assert messages(status_after(outcome)) == {
        "NamespaceContentRemaining": (
            "Some resources are remaining: deployments.apps has 1 resource instances, secrets. has 2 resource instances"
        ),
        "NamespaceFinalizersRemaining": (
            "Some content in the namespace has finalizers remaining: "
            "x in 3 resource instances, y in 1 resource instances"
        ),
    }


def pod(phase: str, grace: int) -> core_v1.Pod:
    """A pod."""
    spec = core_v1.PodSpec(containers=[], termination_grace_period_seconds=grace)
    return core_v1.Pod(metadata=ObjectMeta(name="a"), spec=spec, status=core_v1.PodStatus(phase=phase))


@pytest.mark.parametrize(
    ("pods", "passed", "seconds"),
    [
        ([], 0, 0),
        ([pod("Running", 30), pod("Running", 5)], 7, 30),
        ([pod("Running", 30)], 30, 0),
        ([pod("Succeeded", 30), pod("Failed", 30)], 7, 0),
    ],
)
def test_pods_are_given_the_longest_grace_that_one_asks_for(pods: list[core_v1.Pod], passed: int, seconds: int) -> None:
    """Counted from the deletion of the namespace; those that have ended need none."""
    assert grace_seconds(pods, deleted_at=NOW, now=NOW + timedelta(seconds=passed)) == seconds
