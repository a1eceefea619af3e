"""A clock that is set back: what runs goes on, and what is to end ends."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from konverge import ObjectMeta
from konverge.cluster.node.behaviour import Behaviour
from konverge.cluster.node.outlook import outlook
from konverge.cluster.node.simulated import stops_in
from konverge.models import core_v1

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def pod(**metadata: object) -> core_v1.Pod:
    """A pod of one container."""
    spec = core_v1.PodSpec(containers=[core_v1.Container(name="main", image="example.com/web:1")])
    return core_v1.Pod(metadata=ObjectMeta(name="a", **metadata), spec=spec)  # type: ignore[arg-type]  # a test's shorthand


def test_a_pod_that_was_started_in_the_future_runs() -> None:
    """It does not go back to waiting for its start."""
    seen = outlook(pod(), Behaviour(), start=NOW + HOUR, now=NOW)
    assert (seen.phase, seen.is_ready) == ("Running", True)


def test_a_pod_that_was_deleted_in_the_future_ends() -> None:
    """After what it takes, and not an hour later."""
    going = pod(deletion_timestamp=NOW + HOUR, deletion_grace_period_seconds=30)
    assert stops_in(going, Behaviour(), NOW) <= 0
    assert stops_in(going, Behaviour(stop_after=5.0), NOW) == 5.0
