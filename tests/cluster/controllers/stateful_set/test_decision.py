from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making.stateful_sets import NOW, pod, situation, stateful_set, steps

from konverge.cluster.controllers.stateful_set.decision import decide
from konverge.cluster.controllers.stateful_set.identity import ordinal_of, revision_of
from konverge.cluster.controllers.stateful_set.status import status_of
from konverge.models import apps_v1

STATES = st.sampled_from(["ready", "running", "pending", "failed", "leaving"])


@pytest.mark.parametrize(
    ("states", "does"),
    [
        ([], ["+0"]),
        (["ready"], ["+1"]),
        (["running"], []),
        (["ready", "pending"], []),
        (["ready", "leaving"], []),
        (["failed", "ready", "ready"], ["-0"]),
        (["ready", "ready", "ready"], []),
        (["ready", "ready", "ready", "ready", "ready"], ["-4"]),
        (["ready", "running", "ready", "ready"], []),
        (["ready", "ready", "ready", "running", "ready"], ["-4"]),
        (["ready", "ready", "ready", "running", "running"], []),  # what does not work goes from the first on
        (["ready", "ready", "ready", "ready", "running"], ["-4"]),
    ],
)
def test_in_order_one_step_is_taken_at_a_time(states: list[str], does: list[str]) -> None:
    """Each pod waits for those before it, on the way up and on the way down."""
    of = stateful_set(3)
    assert steps(of, *(pod(of, number, state) for number, state in enumerate(states))) == does


def test_in_parallel_nobody_waits() -> None:
    """Everything is made and taken away at once."""
    of = stateful_set(4, pod_management_policy="Parallel")
    assert steps(of, pod(of, 1, "pending"), pod(of, 4), pod(of, 6, "running")) == ["+0", "+2", "+3", "-6", "-4"]


def test_a_rollout_goes_from_the_last_to_the_first() -> None:
    """One at a time, and only when the later ones are available."""
    of = stateful_set(3)
    old = [pod(of, number, revision="old") for number in range(3)]
    assert steps(of, *old) == ["-2"]
    assert steps(of, old[0], old[1], pod(of, 2)) == ["-1"]
    assert steps(of, old[0], old[1], pod(of, 2, "running")) == []
    assert steps(stateful_set(3, partition=2), old[0], old[1], pod(of, 2)) == []
    manual = apps_v1.StatefulSetUpdateStrategy(type="OnDelete")
    assert steps(stateful_set(3, update_strategy=manual), *old) == []


def test_a_lost_pod_below_the_partition_comes_back_as_it_was() -> None:
    """The others come back new."""
    of = stateful_set(2, partition=1, pod_management_policy="Parallel")
    made = [step.pod for step in decide(situation(of)).steps]
    assert [revision_of(each) for each in made] == ["old", "new"]


def test_a_set_that_is_deleted_is_left_alone() -> None:
    """The garbage collector does the rest."""
    of = stateful_set(3)
    of.metadata.deletion_timestamp = NOW
    assert steps(of) == []


@given(
    st.integers(0, 4),
    st.lists(st.tuples(st.integers(0, 6), STATES, st.sampled_from(["old", "new"])), unique_by=lambda each: each[0]),
    st.booleans(),
)
def test_whatever_there_is_only_what_is_wrong_is_touched(
    replicas: int, there: list[tuple[int, str, str]], ordered: bool
) -> None:
    """No pod is deleted twice, none is made that is there, and in order there is one change at most."""
    of = stateful_set(replicas, pod_management_policy="OrderedReady" if ordered else "Parallel")
    pods = [pod(of, number, state, revision=revision) for number, state, revision in there]
    decision = decide(situation(of, *pods))
    touched = [ordinal_of(step.pod) for step in decision.steps]
    assert len(touched) == len(set(touched))
    assert len(touched) <= 1 or not ordered
    for step in decision.steps:
        assert not step.pod.metadata.deletion_timestamp
        if not step.pod.status.phase:
            assert ordinal_of(step.pod) < replicas
            assert ordinal_of(step.pod) not in [number for number, _, _ in there]


def test_the_status_counts_and_ends_the_rollout() -> None:
    """The newest revision is the current one when all pods have it and are ready."""
    of = stateful_set(2)
    half = situation(of, pod(of, 0, revision="old"), pod(of, 1, "running"))
    status = status_of(half, decide(half), collisions=0)
    assert (status.replicas, status.ready_replicas, status.current_replicas, status.updated_replicas) == (2, 1, 1, 1)
    assert (status.current_revision, status.update_revision) == ("old", "new")
    done = situation(of, pod(of, 0), pod(of, 1))
    status = status_of(done, decide(done), collisions=0)
    assert (status.current_revision, status.current_replicas, status.available_replicas) == ("new", 2, 2)


def test_a_pod_that_is_about_to_go_is_no_longer_counted_as_current() -> None:
    """As the real one has it."""
    of = stateful_set(2)
    old = situation(of, pod(of, 0, revision="old"), pod(of, 1, revision="old"))
    assert status_of(old, decide(old), collisions=0).current_replicas == 1
