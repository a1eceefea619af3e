from __future__ import annotations

import asyncio

import pytest

from konverge import Client, ObjectMeta, controller_of
from konverge.cluster import controllers
from konverge.models import core_v1, discovery_v1
from konverge.testing import VirtualCluster, running

pytestmark = pytest.mark.virtual_time
LABELS = {"app": "web"}


def service() -> core_v1.Service:
    """A service of one port."""
    spec = core_v1.ServiceSpec(selector=LABELS, ports=[core_v1.ServicePort(port=80)])
    return core_v1.Service(metadata=ObjectMeta(name="web"), spec=spec)


async def run_pod(client: Client, node: str) -> None:
    """A pod that its node, known or not, says is ready."""
    container = core_v1.Container(name="main", image="example.com/web:1")
    spec = core_v1.PodSpec(containers=[container], node_name=node)
    pod = await client.create(core_v1.Pod(metadata=ObjectMeta(name="a", labels=LABELS), spec=spec))
    pod.status.phase = "Running"
    pod.status.pod_ip, pod.status.pod_ips = "10.244.0.2", [core_v1.PodIP(ip="10.244.0.2")]
    pod.status.conditions = [core_v1.PodCondition(type="Ready", status="True")]
    await client.status.patch(pod)


async def test_a_service_takes_no_slice_of_the_one_before_it() -> None:
    """Made anew under its name, it has slices of its own at once: the old ones go with the old one."""
    cluster = VirtualCluster()
    client = cluster.client(namespace=cluster.create_namespace())
    manager = cluster.manager()
    controllers.add_to(manager, ["endpointslice-controller"])
    async with running(manager):
        await client.create(service())
        await asyncio.sleep(1)
        await client.delete(core_v1.Service, "web")
        made = await client.create(service())
        await asyncio.sleep(1)
        (found,) = await client.list(discovery_v1.EndpointSlice)
        owner = controller_of(found)
        assert owner is not None
        assert owner.uid == made.metadata.uid


async def test_a_pod_is_listed_when_its_node_is_known() -> None:
    """No event of the pod tells of that, so it is looked again."""
    cluster = VirtualCluster()
    client = cluster.client(namespace=cluster.create_namespace())
    manager = cluster.manager()
    controllers.add_to(manager, ["endpointslice-controller"])
    async with running(manager):
        await client.create(service())
        await run_pod(client, "late")
        await asyncio.sleep(1)
        (empty,) = await client.list(discovery_v1.EndpointSlice)
        assert not empty.endpoints
        await client.create(core_v1.Node(metadata=ObjectMeta(name="late")))
        await asyncio.sleep(60)
        (found,) = await client.list(discovery_v1.EndpointSlice)
        assert [each.addresses for each in found.endpoints or ()] == [["10.244.0.2"]]
