from __future__ import annotations

import pytest
from making.daemon_sets import daemon_set, landscape, node, pod

from konverge.cluster.controllers.daemon_set.daemon_pod import node_of, pod_for
from konverge.cluster.controllers.daemon_set.fit import Fit, fit_of
from konverge.cluster.controllers.daemon_set.placement import Landscape, placement
from konverge.cluster.controllers.daemon_set.status import status_of
from konverge.models import core_v1


def work(seen: Landscape) -> tuple[list[str], list[str | None]]:
    """The nodes that get a pod, and the pods that go."""
    found = placement(seen, is_held_back=lambda _: False)
    return found.create_on, [each.metadata.name for each in found.delete]


@pytest.mark.parametrize(
    ("taint", "fit"),
    [
        ("gpu:NoSchedule", Fit(begins=False, stays=True)),
        ("gpu:NoExecute", Fit(begins=False, stays=False)),
        ("gpu:PreferNoSchedule", Fit(begins=True, stays=True)),
        ("node.kubernetes.io/not-ready:NoExecute", Fit(begins=True, stays=True)),
        ("node.kubernetes.io/unschedulable:NoSchedule", Fit(begins=True, stays=True)),
        ("node.kubernetes.io/network-unavailable:NoSchedule", Fit(begins=False, stays=True)),
    ],
)
def test_taints_keep_away_what_does_not_tolerate_them(taint: str, fit: Fit) -> None:
    """A daemon tolerates what is wrong with a node."""
    assert fit_of(daemon_set(), node("a", taint)) == fit


def test_on_the_network_of_the_node_it_needs_none_of_its_own() -> None:
    """So it tolerates that there is none."""
    tainted = node("a", "node.kubernetes.io/network-unavailable:NoSchedule")
    assert fit_of(daemon_set(host_network=True), tainted).begins


def test_labels_and_the_name_choose_nodes() -> None:
    """By the node selector, or by the name in the template."""
    assert not fit_of(daemon_set(node_selector={"disk": "ssd"}), node("a")).stays
    assert fit_of(daemon_set(node_selector={"disk": "ssd"}), node("a", disk="ssd")).begins
    assert not fit_of(daemon_set(node_name="b"), node("a")).begins


def test_one_pod_on_each_node_that_fits() -> None:
    """Made where it is missing, deleted where it is not wanted, left where it may stay."""
    of = daemon_set()
    nodes = [node("a"), node("b", "gpu:NoExecute"), node("c", "gpu:NoSchedule"), node("d")]
    assert work(landscape(of, nodes, pod(of, "b"), pod(of, "c"), pod(of, "d"))) == (["a"], ["b-new-60"])


def test_what_has_ended_makes_way() -> None:
    """Its successor comes in the next run; a failed one may be held back."""
    of = daemon_set()
    seen = landscape(of, [node("a"), node("b")], pod(of, "a", "failed"), pod(of, "b", "succeeded"))
    assert work(seen) == ([], ["a-new-60", "b-new-60"])
    held = placement(seen, is_held_back=lambda each: each.spec.node_name == "a")
    assert [each.metadata.name for each in held.delete] == ["b-new-60"]


def test_of_several_the_eldest_stays() -> None:
    """Bound before unbound."""
    of = daemon_set()
    pods = (pod(of, "a", age=10), pod(of, "a", age=20), pod(of, "a", "unbound", age=30))
    assert work(landscape(of, [node("a")], *pods)) == ([], ["a-new-10", "a-new-30"])


def test_while_surging_a_node_may_have_an_old_and_a_new_one() -> None:
    """As long as the old one works and the new one does not."""
    of = daemon_set(surge=1, unavailable=0)
    old, new = pod(of, "a", hash_="old", age=90), pod(of, "a", "running")
    assert work(landscape(of, [node("a")], old, new)) == ([], [])
    assert work(landscape(of, [node("a")], old, pod(of, "a"))) == ([], ["a-old-90"])
    broken = pod(of, "a", "running", hash_="old", age=90)
    assert work(landscape(of, [node("a")], broken, new)) == ([], ["a-old-90"])
    assert work(landscape(of, [node("a")], pod(of, "a", "leaving"))) == (["a"], [])
    assert work(landscape(daemon_set(), [node("a")], pod(of, "a", "leaving"))) == ([], [])


def test_a_pod_for_a_node_that_is_gone_is_deleted() -> None:
    """If it was never bound; else the node's own collector does it."""
    of = daemon_set()
    assert work(landscape(of, [], pod(of, "gone", "unbound"), pod(of, "lost"))) == ([], ["gone-new-60"])


def test_a_pod_is_for_one_node_and_keeps_what_else_its_affinity_says() -> None:
    """The name of the node takes the place of what was required of it."""
    term = core_v1.NodeSelectorTerm(match_expressions=[core_v1.NodeSelectorRequirement(key="disk", operator="Exists")])
    preferred = core_v1.PreferredSchedulingTerm(weight=1, preference=term)
    affinity = core_v1.Affinity(
        node_affinity=core_v1.NodeAffinity(
            required_during_scheduling_ignored_during_execution=core_v1.NodeSelector(node_selector_terms=[term]),
            preferred_during_scheduling_ignored_during_execution=[preferred],
        )
    )
    made = pod_for(daemon_set(affinity=affinity), "a", "new")
    assert node_of(made) == "a"
    assert made.spec.affinity
    assert made.spec.affinity.node_affinity
    assert made.spec.affinity.node_affinity.preferred_during_scheduling_ignored_during_execution == [preferred]


def test_the_status_counts_nodes() -> None:
    """Wanted, there, not wanted, ready, and of the newest template."""
    of = daemon_set()
    nodes = [node("a"), node("b"), node("c", "gpu:NoSchedule"), node("d")]
    pods = (pod(of, "a"), pod(of, "b", "running", hash_="old"), pod(of, "c"))
    status = status_of(landscape(of, nodes, *pods))
    assert (status.desired_number_scheduled, status.current_number_scheduled) == (3, 2)
    assert (status.number_misscheduled, status.number_ready, status.number_available) == (1, 1, 1)
    assert (status.number_unavailable, status.updated_number_scheduled) == (2, 1)
