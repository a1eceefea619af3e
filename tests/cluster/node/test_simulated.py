from __future__ import annotations

import asyncio
from typing import Any

import pytest

from konverge import Client, ObjectMeta
from konverge.cluster.control_plane import add_node
from konverge.errors import NotFound
from konverge.models import coordination_v1, core_v1
from konverge.testing import VirtualCluster, eventually, running

pytestmark = pytest.mark.virtual_time


def pod(name: str, simulate: str = "", **spec: Any) -> core_v1.Pod:
    """Return a pod that does as it is told."""
    annotations = {"konverge.dev/simulate": simulate} if simulate else None
    containers = [core_v1.Container(name="main", image="example.com/web:1")]
    return core_v1.Pod(
        metadata=ObjectMeta(name=name, namespace="default", annotations=annotations),
        spec=core_v1.PodSpec(containers=containers, **spec),
    )


async def phase(client: Client, name: str, wanted: str) -> core_v1.Pod:
    """Wait for a phase."""

    async def so() -> core_v1.Pod | None:
        found = await client.get(core_v1.Pod, name)
        return found if found.status.phase == wanted else None

    found = await eventually(so)
    assert found is not None
    return found


async def test_a_node_registers_and_stays_alive(cluster: VirtualCluster) -> None:
    """It is ready, has no taint, and its lease is renewed."""
    manager = cluster.manager()
    add_node(manager)
    async with cluster.client() as client, running(manager):
        await asyncio.sleep(1)
        node = await client.get(core_v1.Node, "konverge")
        assert {each.type: each.status for each in node.status.conditions or ()}["Ready"] == "True"
        assert not node.spec.taints
        lease = await client.get(coordination_v1.Lease, "konverge", namespace="kube-node-lease")
        assert [owner.uid for owner in lease.metadata.owner_references or ()] == [node.metadata.uid]
        before = lease.spec.renew_time
        await asyncio.sleep(60)
        after = (await client.get(coordination_v1.Lease, "konverge", namespace="kube-node-lease")).spec.renew_time
        assert before is not None
        assert after is not None
        assert after > before


async def test_a_pod_waits_for_its_readiness_gates(cluster: VirtualCluster) -> None:
    """Its containers are ready; the pod is when what the gates name is true."""
    manager = cluster.manager()
    add_node(manager)
    gated = pod("gated")
    gated.spec.readiness_gates = [core_v1.PodReadinessGate(condition_type="example.com/open")]
    async with cluster.client(namespace="default") as client, running(manager):
        await client.create(gated)
        found = await phase(client, "gated", "Running")
        said = {each.type: each for each in found.status.conditions or ()}
        assert said["ContainersReady"].status == "True"
        assert (said["Ready"].status, said["Ready"].reason) == ("False", "ReadinessGatesNotReady")
        opened = core_v1.PodCondition(type="example.com/open", status="True")
        found.status.conditions = [*(found.status.conditions or ()), opened]
        await client.status.update(found)
        await asyncio.sleep(1)
        found = await client.get(core_v1.Pod, "gated")
        assert {each.type: each.status for each in found.status.conditions or ()}["Ready"] == "True"


async def test_a_pod_is_resized_while_it_runs(cluster: VirtualCluster) -> None:
    """Its node shows what a container has, and gives it what it asks for."""
    manager = cluster.manager()
    add_node(manager)
    made = pod("sized")
    made.spec.containers[0].resources = core_v1.ResourceRequirements(requests={"cpu": "1"})
    async with cluster.client(namespace="default") as client, running(manager):
        await client.create(made)
        found = await phase(client, "sized", "Running")
        found.spec.containers[0].resources = core_v1.ResourceRequirements(requests={"cpu": "2"})
        await client.subresource("resize").update(found)
        await asyncio.sleep(1)
        (status,) = (await client.get(core_v1.Pod, "sized")).status.container_statuses or []
        assert status.resources is not None
        assert (status.resources.requests, status.allocated_resources) == ({"cpu": "2"}, {"cpu": "2"})


async def test_pods_live_and_end(cluster: VirtualCluster) -> None:
    """They are bound, run with an address each, fail, and are gone after their grace."""
    manager = cluster.manager()
    add_node(manager)
    async with cluster.client(namespace="default") as client, running(manager):
        await client.create(pod("one"))
        await client.create(pod("two", '{"stopAfter": 5}'))
        await client.create(pod("three", '{"exitAfter": 3, "exitCodes": [1]}', restart_policy="Never"))
        first, second = await phase(client, "one", "Running"), await phase(client, "two", "Running")
        assert first.spec.node_name == second.spec.node_name == "konverge"
        assert first.status.pod_ip != second.status.pod_ip
        await phase(client, "three", "Failed")
        await client.delete(core_v1.Pod, "two")
        await asyncio.sleep(4)
        assert (await client.get(core_v1.Pod, "two")).metadata.deletion_timestamp
        await asyncio.sleep(2)
        with pytest.raises(NotFound):
            await client.get(core_v1.Pod, "two")


async def test_a_pod_that_no_node_takes_waits(cluster: VirtualCluster) -> None:
    """It says why, and is bound when the node changes its mind."""
    manager = cluster.manager()
    add_node(manager)
    async with cluster.client(namespace="default") as client, running(manager):
        await client.create(pod("picky", node_selector={"disk": "fast"}))
        await asyncio.sleep(1)
        waiting = await client.get(core_v1.Pod, "picky")
        (condition,) = [each for each in waiting.status.conditions or () if each.type == "PodScheduled"]
        assert (condition.reason, condition.message) == (
            "Unschedulable",
            "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
        )
        node = await client.get(core_v1.Node, "konverge")
        node.metadata.labels = {**(node.metadata.labels or {}), "disk": "fast"}
        await client.update(node)
        await phase(client, "picky", "Running")


async def test_nonsense_in_the_annotation_is_told(cluster: VirtualCluster) -> None:
    """The pod fails, and says what could not be read."""
    manager = cluster.manager()
    add_node(manager)
    async with cluster.client(namespace="default") as client, running(manager):
        await client.create(pod("odd", '{"exitafter": 1}'))
        failed = await phase(client, "odd", "Failed")
        assert failed.status.reason == "InvalidSimulation"
        assert "exitafter" in (failed.status.message or "")
