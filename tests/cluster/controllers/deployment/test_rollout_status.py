from __future__ import annotations

from datetime import timedelta

from making.workloads import NOW, deployment, replica_set

from konverge.cluster.controllers.deployment import rollout_status
from konverge.models import apps_v1


def shown(status: apps_v1.DeploymentStatus) -> dict[str, tuple[str, str | None]]:
    """Return status and reason of each condition."""
    return {each.type: (each.status, each.reason) for each in status.conditions or ()}


def test_a_rollout_ends_with_the_new_one_available() -> None:
    """All pods are new and available."""
    status = rollout_status.with_progress(deployment(progress_deadline_seconds=60), replica_set("new", 3), [], now=NOW)
    assert (status.replicas, status.updated_replicas, status.unavailable_replicas) == (3, 3, None)
    assert shown(status) == {
        "Available": ("True", "MinimumReplicasAvailable"),
        "Progressing": ("True", "NewReplicaSetAvailable"),
    }


def test_a_rollout_without_a_sign_is_late() -> None:
    """The deadline counts from the last progress; what was late stays late."""
    stuck = deployment(progress_deadline_seconds=60)
    new = replica_set("new", 3, available=0)
    stuck.status = rollout_status.with_progress(stuck, new, [], now=NOW)
    assert shown(stuck.status)["Progressing"] == ("True", "ReplicaSetUpdated")
    assert rollout_status.check_again_in(stuck, NOW + timedelta(seconds=20)) == 41.0
    stuck.status = rollout_status.with_progress(stuck, new, [], now=NOW + timedelta(seconds=61))
    assert shown(stuck.status)["Progressing"] == ("False", "ProgressDeadlineExceeded")
    assert rollout_status.check_again_in(stuck, NOW) is None
    again = rollout_status.with_progress(stuck, new, [], now=NOW + timedelta(seconds=99))
    assert again == stuck.status


def test_nothing_is_judged_without_a_deadline() -> None:
    """No condition says how a rollout gets on."""
    status = rollout_status.with_progress(deployment(), replica_set("new", 3, available=0), [], now=NOW)
    assert list(shown(status)) == ["Available"]


def test_a_failure_of_a_replica_set_is_told() -> None:
    """The new one's before the old ones'."""
    failing = replica_set("new", 3, available=0)
    failing.status.conditions = [
        apps_v1.ReplicaSetCondition(type="ReplicaFailure", status="True", reason="FailedCreate", message="no")
    ]
    status = rollout_status.with_progress(deployment(), failing, [], now=NOW)
    assert shown(status)["ReplicaFailure"] == ("True", "FailedCreate")


def test_a_pause_is_written_down_once() -> None:
    """So that a Deployment that is resumed gets the whole of its deadline."""
    paused = deployment(progress_deadline_seconds=60, paused=True)
    condition = rollout_status.paused_condition(paused, NOW)
    assert condition is not None
    rollout_status.set_condition(paused.status, condition)
    assert rollout_status.paused_condition(paused, NOW) is None
    paused.spec.paused = False
    resumed = rollout_status.paused_condition(paused, NOW)
    assert resumed is not None
    assert resumed.reason == "DeploymentResumed"


def test_the_transition_keeps_its_time_while_the_status_does() -> None:
    """Another reason moves only the time of the update."""
    status = apps_v1.DeploymentStatus()
    rollout_status.set_condition(status, rollout_status.found_condition("web", NOW))
    rollout_status.set_condition(status, rollout_status.created_condition("web", NOW + timedelta(seconds=5)))
    condition = rollout_status.condition_of(status, "Progressing")
    assert condition is not None
    assert (condition.last_transition_time, condition.last_update_time) == (NOW, NOW + timedelta(seconds=5))
