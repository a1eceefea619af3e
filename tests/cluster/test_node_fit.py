from __future__ import annotations

from typing import Any

import pytest

from konverge import ObjectMeta
from konverge.cluster.node_fit import misfit
from konverge.models import core_v1

NODE = core_v1.Node(metadata=ObjectMeta(name="one", labels={"disk": "fast", "cores": "8"}))


def pod(**spec: Any) -> core_v1.Pod:
    """Return a pod with these wishes."""
    return core_v1.Pod(spec=core_v1.PodSpec(**spec))


def affinity(*terms: core_v1.NodeSelectorTerm) -> core_v1.Affinity:
    """Return what a pod requires of its node, one of the terms."""
    required = core_v1.NodeSelector(node_selector_terms=list(terms))
    return core_v1.Affinity(
        node_affinity=core_v1.NodeAffinity(required_during_scheduling_ignored_during_execution=required)
    )


def term(key: str, operator: str, *values: str) -> core_v1.NodeSelectorTerm:
    """Return a term on one label."""
    requirement = core_v1.NodeSelectorRequirement(key=key, operator=operator, values=list(values))
    return core_v1.NodeSelectorTerm(match_expressions=[requirement])


def name_is(value: str) -> core_v1.NodeSelectorTerm:
    """Return a term on the node's name, as DaemonSets have it."""
    requirement = core_v1.NodeSelectorRequirement(key="metadata.name", operator="In", values=[value])
    return core_v1.NodeSelectorTerm(match_fields=[requirement])


@pytest.mark.parametrize(
    ("wishes", "fits"),
    [
        (pod(), True),
        (pod(node_selector={"disk": "fast"}), True),
        (pod(node_selector={"disk": "slow"}), False),
        (pod(affinity=affinity(term("disk", "In", "slow", "fast"))), True),
        (pod(affinity=affinity(term("disk", "NotIn", "fast"))), False),
        (pod(affinity=affinity(term("gpu", "NotIn", "x"))), True),
        (pod(affinity=affinity(term("gpu", "Exists"))), False),
        (pod(affinity=affinity(term("gpu", "DoesNotExist"))), True),
        (pod(affinity=affinity(term("cores", "Gt", "4"))), True),
        (pod(affinity=affinity(term("cores", "Lt", "4"))), False),
        (pod(affinity=affinity(term("disk", "Gt", "4"))), False),
        (pod(affinity=affinity(term("gpu", "Exists"), name_is("one"))), True),
        (pod(affinity=affinity(name_is("two"))), False),
        (pod(affinity=affinity(core_v1.NodeSelectorTerm())), False),
    ],
)
def test_a_pod_chooses_its_node(wishes: core_v1.Pod, fits: bool) -> None:
    """By labels and by name; one of several terms is enough, an empty one is none."""
    assert (misfit(wishes, NODE) is None) == fits


def test_a_taint_keeps_away_who_does_not_tolerate_it() -> None:
    """By key, value and effect, or by whatever is left open."""
    tainted = core_v1.Node(
        metadata=ObjectMeta(name="one"),
        spec=core_v1.NodeSpec(taints=[core_v1.Taint(key="gpu", value="a", effect="NoSchedule")]),
    )
    assert misfit(pod(), tainted) == "node(s) had untolerated taint(s) {gpu: a}"
    for toleration in (
        core_v1.Toleration(key="gpu", value="a"),
        core_v1.Toleration(key="gpu", operator="Exists"),
        core_v1.Toleration(operator="Exists"),
    ):
        assert misfit(pod(tolerations=[toleration]), tainted) is None
    wrong = core_v1.Toleration(key="gpu", operator="Exists", effect="NoExecute")
    assert misfit(pod(tolerations=[wrong]), tainted) is not None


def test_a_cordoned_node_takes_nobody() -> None:
    """But those that tolerate even that."""
    cordoned = core_v1.Node(metadata=ObjectMeta(name="one"), spec=core_v1.NodeSpec(unschedulable=True))
    assert misfit(pod(), cordoned) == "node(s) were unschedulable"
    assert misfit(pod(tolerations=[core_v1.Toleration(operator="Exists")]), cordoned) is None
