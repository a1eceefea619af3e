"""Measures the built-in controllers: what rest costs, what a rollout costs, what a virtual day costs.

    python bench/controllers/run.py [--pods 1000] [--seconds 30]

Rest: the embedded server in this process with all controllers and the simulated node, so many pods that run, and
nothing that changes; CPU of the process over some real seconds. Rollout: 100 replicas, made and then given another
image, under virtual time. Day: a cluster without workloads, 24 hours of virtual time. CPU is user and system time of
all threads.
"""

from __future__ import annotations

import argparse
import asyncio
import time

from konverge import Client, ObjectMeta
from konverge.api.meta import LabelSelector
from konverge.cluster.control_plane import add_control_plane
from konverge.cluster.embedded import EmbeddedCluster
from konverge.models import apps_v1, core_v1
from konverge.testing import VirtualCluster, wait_for
from konverge.testing.virtual_time import run

NAMESPACE = "default"
LABELS = {"app": "web"}
DAY = 24 * 3600.0


def pod_spec(image: str = "example.com/web:1") -> core_v1.PodSpec:
    """Return a pod of one container."""
    return core_v1.PodSpec(containers=[core_v1.Container(name="main", image=image)])


async def running(client: Client, pods: int) -> None:
    """Wait until so many pods run."""
    while True:
        found = await client.list(core_v1.Pod, namespace=NAMESPACE)
        if len(found) == pods and all(pod.status.phase == "Running" for pod in found):
            return
        await asyncio.sleep(1.0)


async def rest(pods: int, seconds: float) -> None:
    """Measure many pods that run, while nothing changes."""
    async with EmbeddedCluster(controllers=add_control_plane) as cluster:
        client = Client(cluster.transport())
        await wait_for(client, core_v1.ServiceAccount, "default", namespace=NAMESPACE, until=lambda _: True)
        for number in range(pods):
            metadata = ObjectMeta(name=f"pod-{number}", namespace=NAMESPACE, labels=LABELS)
            await client.create(core_v1.Pod(metadata=metadata, spec=pod_spec()))
        await running(client, pods)
        await asyncio.sleep(10.0)
        start = time.process_time()
        await asyncio.sleep(seconds)
        used = time.process_time() - start
        print(f"rest: {pods} pods, {seconds:g} s: {used:.3f} s of CPU ({used / seconds:.2%} of a core)")


async def rollout() -> None:
    """Measure a Deployment of 100 replicas: made, and rolled out anew."""
    template = core_v1.PodTemplateSpec(metadata=ObjectMeta(labels=LABELS), spec=pod_spec())
    spec = apps_v1.DeploymentSpec(replicas=100, selector=LabelSelector(match_labels=LABELS), template=template)
    async with VirtualCluster(controllers=add_control_plane).client(namespace=NAMESPACE) as client:
        await client.list(core_v1.Node)
        start = time.process_time()
        await client.create(apps_v1.Deployment(metadata=ObjectMeta(name="web"), spec=spec))
        await running(client, 100)
        print(f"100 replicas made: {time.process_time() - start:.2f} s of CPU")
        web = await client.get(apps_v1.Deployment, "web")
        web.spec.template.spec = pod_spec("example.com/web:2")
        start = time.process_time()
        await client.update(web)
        while not is_rolled_out(web):
            await asyncio.sleep(0.1)
            web = await client.get(apps_v1.Deployment, "web")
        print(f"100 replicas rolled out: {time.process_time() - start:.2f} s of CPU")


def is_rolled_out(web: apps_v1.Deployment) -> bool:
    """Whether all replicas are new, and no others are left."""
    status = web.status
    is_seen = status.observed_generation == web.metadata.generation
    return is_seen and status.updated_replicas == status.replicas == status.available_replicas == web.spec.replicas


async def day() -> None:
    """Measure a day in which nothing happens."""
    async with VirtualCluster(controllers=add_control_plane).client() as client:
        await client.list(core_v1.Node)
        start = time.process_time()
        await asyncio.sleep(DAY)
        print(f"a virtual day: {time.process_time() - start:.2f} s of CPU")


def main() -> None:
    """Measure all three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pods", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=30.0)
    options = parser.parse_args()
    run(rollout())
    run(day())
    asyncio.run(rest(options.pods, options.seconds))


if __name__ == "__main__":
    main()
