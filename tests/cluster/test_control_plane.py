"""The control plane as its users meet it, on both servers."""

from __future__ import annotations

import asyncio

import pytest

from konverge import Client, ObjectMeta
from konverge.api.meta import LabelSelector
from konverge.cluster.control_plane import add_control_plane
from konverge.cluster.embedded import EmbeddedCluster
from konverge.models import apps_v1, core_v1
from konverge.testing import Cluster, VirtualCluster, eventually


@pytest.mark.cluster(controllers=True)
def test_kubectl_rolls_out_and_back(cluster: Cluster, namespace: str) -> None:
    """`create deployment`, `rollout status`, `set image`, `rollout undo`: as on any cluster."""

    def kubectl(*args: str) -> str:
        return cluster.kubectl("-n", namespace, *args)

    kubectl("create", "deployment", "web", "--image=example.com/web:1", "--replicas=3")
    assert "successfully rolled out" in kubectl("rollout", "status", "deployment/web", "--timeout=120s")
    kubectl("set", "image", "deployment/web", "web=example.com/web:2")
    assert "successfully rolled out" in kubectl("rollout", "status", "deployment/web", "--timeout=120s")
    kubectl("rollout", "undo", "deployment/web")
    assert "successfully rolled out" in kubectl("rollout", "status", "deployment/web", "--timeout=120s")
    images = kubectl("get", "pods", "-o", "jsonpath={.items[?(@.status.phase=='Running')].spec.containers[0].image}")
    assert set(images.split()) == {"example.com/web:1"}
    assert "3" in kubectl("rollout", "history", "deployment/web")


def deployment(replicas: int) -> apps_v1.Deployment:
    """Return a Deployment of one container."""
    labels = {"app": "web"}
    spec = core_v1.PodSpec(containers=[core_v1.Container(name="main", image="example.com/web:1")])
    return apps_v1.Deployment(
        metadata=ObjectMeta(name="web", namespace="default"),
        spec=apps_v1.DeploymentSpec(
            replicas=replicas,
            selector=LabelSelector(match_labels=labels),
            template=core_v1.PodTemplateSpec(metadata=ObjectMeta(labels=labels), spec=spec),
        ),
    )


async def available(client: Client, replicas: int) -> apps_v1.Deployment:
    """Wait until so many pods are available."""

    async def so() -> apps_v1.Deployment | None:
        found = await client.get(apps_v1.Deployment, "web", namespace="default")
        return found if found.status.available_replicas == found.status.updated_replicas == replicas else None

    found = await eventually(so)
    assert found is not None
    return found


@pytest.mark.virtual_time
@pytest.mark.cluster(controllers=True)
async def test_a_hundred_pods_are_rolled_out_in_no_time(cluster: VirtualCluster) -> None:
    """Not a second of virtual time passes, and then nothing is left to do."""
    async with cluster.client() as client:
        await client.create(deployment(100))
        found = await available(client, 100)
        assert asyncio.get_running_loop().time() < 1.0
        version = found.metadata.resource_version
        await asyncio.sleep(3600)
        assert (await available(client, 100)).metadata.resource_version == version


async def test_a_cluster_stops_with_its_controllers() -> None:
    """In order, also in the middle of their work."""
    async with EmbeddedCluster(controllers=add_control_plane) as cluster:
        client = Client(cluster.transport())
        await client.create(deployment(5))
