from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making.daemon_sets import daemon_set, landscape, node, pod

from konverge import IntOrString
from konverge.cluster.controllers.daemon_set.placement import Landscape
from konverge.cluster.controllers.daemon_set.rollout import rollout

NODES = [node(name) for name in "abcd"]


def work(seen: Landscape) -> tuple[list[str], list[str | None]]:
    """The nodes that get a pod, and the pods that go."""
    found = rollout(seen)
    return found.create_on, [each.metadata.name for each in found.delete]


@pytest.mark.parametrize(("unavailable", "goes"), [(1, 1), (3, 3), ("50%", 2), ("10%", 1)])
def test_not_more_nodes_are_without_a_pod_than_may_be(unavailable: IntOrString, goes: int) -> None:
    """A share is rounded up."""
    of = daemon_set(unavailable=unavailable)
    assert len(work(landscape(of, NODES, *(pod(of, name, hash_="old") for name in "abcd")))[1]) == goes


def test_a_new_pod_that_does_not_work_counts_against_it() -> None:
    """And so does a node without one."""
    of = daemon_set(unavailable=2)
    pods = [pod(of, "a", "running"), pod(of, "b", hash_="old"), pod(of, "c", hash_="old")]
    assert work(landscape(of, NODES, *pods)) == ([], [])
    assert work(landscape(of, NODES[:3], *pods)) == ([], ["b-old-60"])


def test_an_old_pod_that_does_not_work_gives_way_at_once() -> None:
    """However many there are."""
    of = daemon_set()
    pods = [pod(of, name, "running", hash_="old") for name in "abcd"]
    assert len(work(landscape(of, NODES, *pods))[1]) == 4


def test_a_surge_makes_new_pods_beside_old_ones() -> None:
    """As many as it may; one that works replaces its old one."""
    of = daemon_set(surge=2, unavailable=0)
    old = [pod(of, name, hash_="old") for name in "abcd"]
    assert work(landscape(of, NODES, *old)) == (["a", "b"], [])
    assert work(landscape(of, NODES, *old, pod(of, "a", "running"))) == (["b"], [])
    assert work(landscape(of, NODES, *old, pod(of, "a"))) == (["b", "c"], ["a-old-60"])


def test_when_surging_a_pod_on_a_node_of_the_past_goes_when_the_others_work() -> None:
    """So that the work is never left undone."""
    of = daemon_set(surge=1, unavailable=0, node_selector={"zone": "new"})
    nodes = [node("a", "x:NoSchedule", zone="new"), node("b", zone="new")]
    stranded = pod(of, "a", hash_="old")
    assert work(landscape(of, nodes, stranded, pod(of, "b", "running"))) == ([], [])
    assert work(landscape(of, nodes, stranded, pod(of, "b"))) == ([], ["a-old-60"])


@given(st.lists(st.sampled_from(["old", "new", "broken", "none"]), min_size=1, max_size=8), st.integers(1, 4))
def test_a_rollout_never_takes_more_than_it_may(nodes: list[str], most: int) -> None:
    """With those that are missing already, not more than the limit, broken old ones aside."""
    of = daemon_set(unavailable=most)
    named = {f"n{number}": state for number, state in enumerate(nodes)}
    states = {"old": ("ready", "old"), "new": ("ready", "new"), "broken": ("running", "new")}
    pods = [pod(of, name, states[state][0], hash_=states[state][1]) for name, state in named.items() if state != "none"]
    _, gone = work(landscape(of, [node(name) for name in named], *pods))
    missing = sum(state in {"none", "broken"} for state in named.values())
    assert not gone or len(gone) + missing <= most
    assert len(gone) == min(nodes.count("old"), max(most - missing, 0))
