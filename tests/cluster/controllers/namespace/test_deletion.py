from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from konverge import Client, ObjectMeta
from konverge.client.ignore import ignore_not_found
from konverge.cluster.controllers import namespace
from konverge.models import core_v1
from konverge.testing import VirtualCluster, running

pytestmark = pytest.mark.virtual_time
NS = "ending"
HELD = "test.konverge.dev/held"


@asynccontextmanager
async def deleting() -> AsyncIterator[Client]:
    """A cluster with a namespace controller, and a namespace."""
    cluster = VirtualCluster()
    manager = cluster.manager()
    namespace.add_to(manager)
    async with running(manager):
        client = cluster.client()
        await client.create(core_v1.Namespace(metadata=ObjectMeta(name=NS)))
        yield client


async def test_a_namespace_goes_with_all_that_is_in_it() -> None:
    """Objects of several kinds are deleted, and then the namespace is gone."""
    async with deleting() as client:
        await client.create(core_v1.ConfigMap(metadata=ObjectMeta(name="a", namespace=NS)))
        await client.create(core_v1.Secret(metadata=ObjectMeta(name="b", namespace=NS)))
        await client.delete(core_v1.Namespace, NS)
        await asyncio.sleep(4)
        assert len(await client.list(core_v1.ConfigMap, namespace=NS)) == 1  # writes under way may still show
        await asyncio.sleep(2)
        assert await ignore_not_found(client.get(core_v1.Namespace, NS)) is None
        assert len(await client.list(core_v1.ConfigMap, namespace=NS)) == 0


async def test_what_is_left_stands_in_the_conditions() -> None:
    """A finalizer keeps the namespace, which says so, and goes when it is gone."""
    async with deleting() as client:
        held = core_v1.ConfigMap(metadata=ObjectMeta(name="a", namespace=NS, finalizers=[HELD]))
        await client.create(held)
        await client.delete(core_v1.Namespace, NS)
        await asyncio.sleep(30)
        found = await client.get(core_v1.Namespace, NS)
        assert [(each.type, each.status, each.reason, each.message) for each in found.status.conditions or ()] == [
            (
                "NamespaceDeletionDiscoveryFailure",
                "False",
                "ResourcesDiscovered",
                "All resources successfully discovered",
            ),
            (
                "NamespaceDeletionGroupVersionParsingFailure",
                "False",
                "ParsedGroupVersions",
                "All legacy kube types successfully parsed",
            ),
            (
                "NamespaceDeletionContentFailure",
                "False",
                "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization",
            ),
            (
                "NamespaceContentRemaining",
                "True",
                "SomeResourcesRemain",
                "Some resources are remaining: configmaps. has 1 resource instances",
            ),
            (
                "NamespaceFinalizersRemaining",
                "True",
                "SomeFinalizersRemain",
                f"Some content in the namespace has finalizers remaining: {HELD} in 1 resource instances",
            ),
        ]
        version = found.metadata.resource_version
        await asyncio.sleep(60)
        assert (await client.get(core_v1.Namespace, NS)).metadata.resource_version == version  # nothing new to say
        held = await client.get(core_v1.ConfigMap, "a", namespace=NS)
        held.metadata.finalizers = None
        await client.update(held)
        await asyncio.sleep(10)
        assert await ignore_not_found(client.get(core_v1.Namespace, NS)) is None
