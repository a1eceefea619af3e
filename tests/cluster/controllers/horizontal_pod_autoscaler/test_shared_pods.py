"""Autoscalers whose targets have the same pods."""

from __future__ import annotations

import pytest

from konverge import ObjectMeta, Request
from konverge.cluster.controllers.horizontal_pod_autoscaler.shared_pods import SharedPods
from konverge.models import autoscaling_v2, core_v1
from konverge.testing import VirtualCluster

pytestmark = pytest.mark.virtual_time


def autoscaler(name: str, namespace: str) -> autoscaling_v2.HorizontalPodAutoscaler:
    """Return an autoscaler; what it scales is told apart."""
    return autoscaling_v2.HorizontalPodAutoscaler(metadata=ObjectMeta(name=name, namespace=namespace))


async def test_two_that_mean_the_same_pods_are_told() -> None:
    """Each names both; when one is gone the other is content again."""
    cluster = VirtualCluster()
    namespace = cluster.create_namespace()
    async with cluster.client(namespace=namespace) as client:
        spec = core_v1.PodSpec(containers=[core_v1.Container(name="main", image="example.com/web:1")])
        await client.create(core_v1.Pod(metadata=ObjectMeta(name="a", labels={"app": "web", "tier": "1"}), spec=spec))
        shared = SharedPods()
        first, second = autoscaler("first", namespace), autoscaler("second", namespace)
        assert await shared.problem(client, first, "app=web") is None
        problem = await shared.problem(client, second, "tier=1")
        assert problem is not None
        both = f"[{namespace}/first {namespace}/second]"
        assert problem.message == f"pods by selector tier=1 are controlled by multiple HPAs: {both}"
        shared.forget(Request(namespace, "first"))
        assert await shared.problem(client, second, "tier=1") is None


@pytest.mark.parametrize(("selector", "event"), [("", "SelectorRequired"), ("=(", "InvalidSelector")])
async def test_a_selector_that_cannot_be_used(selector: str, event: str) -> None:
    """It is absent, or nobody can read it."""
    async with VirtualCluster().client() as client:
        problem = await SharedPods().problem(client, autoscaler("a", "default"), selector)
        assert problem is not None
        assert (problem.event, problem.reason) == (event, "InvalidSelector")
