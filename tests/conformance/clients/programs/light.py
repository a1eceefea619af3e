"""A small program on lightkube: built-in and custom resources, a watch, all kinds of patches, a status.

    KUBECONFIG=... python light.py NAMESPACE

Prints what it saw, a line each.
"""

from __future__ import annotations

import asyncio
import sys

from lightkube import ApiError, AsyncClient
from lightkube.generic_resource import create_namespaced_resource
from lightkube.models.apps_v1 import DeploymentSpec
from lightkube.models.core_v1 import Container, ContainerPort, PodSpec, PodTemplateSpec
from lightkube.models.meta_v1 import LabelSelector, ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import ConfigMap
from lightkube.types import PatchType

Cog = create_namespaced_resource("cogs.example.com", "v1", "Cog", "cogs")


async def main(namespace: str) -> None:
    """Run all of it."""
    client = AsyncClient(namespace=namespace, field_manager="light")
    await deployments(client)
    await config_maps(client)
    await cogs(client)


async def deployments(client: AsyncClient) -> None:
    """Create a deployment, patch it in three ways, and scale it."""
    container = Container(name="web", image="nginx:1.27", ports=[ContainerPort(containerPort=80)])
    template = PodTemplateSpec(metadata=ObjectMeta(labels={"app": "web"}), spec=PodSpec(containers=[container]))
    spec = DeploymentSpec(selector=LabelSelector(matchLabels={"app": "web"}), template=template)
    made = await client.create(Deployment(metadata=ObjectMeta(name="web"), spec=spec))
    print("defaults:", made.spec.replicas, made.spec.strategy.type, made.spec.template.spec.restartPolicy)
    more = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "busybox"}]}}}}
    patched = await client.patch(Deployment, "web", more)
    print("strategic:", [each.name for each in patched.spec.template.spec.containers])
    patched = await client.patch(Deployment, "web", {"spec": {"replicas": 4}}, patch_type=PatchType.MERGE)
    change = [{"op": "replace", "path": "/spec/replicas", "value": 5}]
    patched = await client.patch(Deployment, "web", change, patch_type=PatchType.JSON)
    scale = await client.get(Deployment.Scale, "web")
    print("scale:", patched.spec.replicas, scale.spec.replicas, scale.status.selector)
    scale.spec.replicas = 6
    await client.replace(scale, "web")
    print("generation:", (await client.get(Deployment, "web")).metadata.generation)


async def config_maps(client: AsyncClient) -> None:
    """Watch while a config map is applied twice and deleted."""
    async for each in (listed := client.list(ConfigMap)):
        print("there was:", each.metadata.name)
    version = listed.resourceVersion
    watching = asyncio.create_task(follow(client, version))
    for value in ("1", "2"):
        applied = ConfigMap(apiVersion="v1", kind="ConfigMap", metadata=ObjectMeta(name="settings"), data={"a": value})
        await client.apply(applied)
    try:
        await client.apply(applied, field_manager="other")
        await client.apply(ConfigMap(metadata=ObjectMeta(name="settings"), data={"a": "3"}), field_manager="other")
    except ApiError as error:
        print("conflict:", error.status.code, error.status.reason)
    await client.delete(ConfigMap, "settings")
    print("\n".join(await watching))


async def follow(client: AsyncClient, version: str) -> list[str]:
    """Return the events up to the first deletion."""
    seen = []
    async for event, found in client.watch(ConfigMap, resource_version=version):
        managers = sorted(entry.manager for entry in found.metadata.managedFields)
        seen.append(f"{event} {found.metadata.name} {found.data} {managers}")
        if event == "DELETED":
            break
    return seen


async def cogs(client: AsyncClient) -> None:
    """Create a custom resource, write its status, and wait for a condition."""
    await client.create(Cog(metadata=ObjectMeta(name="b"), spec={"size": 2}))
    waiting = asyncio.create_task(client.wait(Cog, "b", for_conditions=["Ready"]))
    conditions = [{"type": "Ready", "status": "True"}]
    await client.patch(Cog.Status, "b", {"status": {"conditions": conditions}}, patch_type=PatchType.MERGE)
    found = await waiting
    print("custom:", found.spec, found.status)
    await client.delete(Cog, "b")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
