from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from random import Random
from typing import Any

import msgspec
import pytest

from konverge import Client, ObjectMeta, OwnerReference, Unstructured
from konverge.api.object import Object
from konverge.api.request import ApiRequest
from konverge.client.ignore import ignore_not_found
from konverge.client.transport import ApiResponse, Transport
from konverge.cluster.controllers import garbage_collector
from konverge.manager import Manager
from konverge.models import apiextensions_v1, core_v1
from konverge.testing import VirtualCluster, running

pytestmark = pytest.mark.virtual_time
NS = "default"


@asynccontextmanager
async def collecting() -> AsyncIterator[Client]:
    """An empty cluster with a garbage collector."""
    cluster = VirtualCluster()
    manager = cluster.manager()
    garbage_collector.add_to(manager)
    async with running(manager):
        yield cluster.client()


def config_map(name: str, *owners: Object, block: bool = False, namespace: str = NS, **metadata: Any) -> Any:
    """A ConfigMap that belongs to others."""
    references = [reference(owner, block=block) for owner in owners]
    named: dict[str, Any] = {"generate_name": name} if name.endswith("-") else {"name": name}
    meta = ObjectMeta(namespace=namespace, owner_references=references or None, **named, **metadata)
    return core_v1.ConfigMap(metadata=meta)


def reference(owner: Object, *, block: bool = False) -> OwnerReference:
    """A reference to an owner."""
    return OwnerReference(
        api_version=owner.api_version,
        kind=owner.kind,
        name=owner.metadata.name or "",
        uid=owner.metadata.uid or "",
        block_owner_deletion=block or None,
    )


async def names(client: Client) -> list[str]:
    """The ConfigMaps that are there."""
    return [item.metadata.name or "" for item in await client.list(core_v1.ConfigMap, namespace=NS)]


async def create(client: Client, *objects: Object) -> None:
    """Create objects, one after the other."""
    for obj in objects:
        await client.create(obj)


async def test_what_an_owner_leaves_behind_is_collected() -> None:
    """A chain of three goes by background deletion of its first; what nobody owned stays."""
    async with collecting() as client:
        first = await client.create(config_map("first"))
        second = await client.create(config_map("second", first))
        await create(client, config_map("third", second), config_map("apart"))
        await asyncio.sleep(1)
        await client.delete(first)
        await asyncio.sleep(5)
        assert await names(client) == ["apart"]


async def test_foreground_deletes_dependents_first() -> None:
    """The owner waits for the dependents that block it, and for no other."""
    async with collecting() as client:
        owner = await client.create(config_map("owner"))
        await create(client, config_map("held", owner, block=True, finalizers=["test.konverge.dev/held"]))
        await create(client, config_map("blocks", owner, block=True))
        await client.delete(owner, propagation="Foreground")
        await asyncio.sleep(5)
        assert await names(client) == ["held", "owner"]
        held = await client.get(core_v1.ConfigMap, "held", namespace=NS)
        held.metadata.finalizers = None
        await client.update(held)
        await asyncio.sleep(5)
        assert await names(client) == []


async def test_orphans_stay_and_name_no_owner() -> None:
    """With the policy Orphan, dependents lose their reference before the owner goes."""
    async with collecting() as client:
        owner = await client.create(config_map("owner"))
        other = await client.create(config_map("other"))
        await create(client, config_map("a", owner), config_map("b", owner, other))
        await client.delete(owner, propagation="Orphan")
        await asyncio.sleep(5)
        assert await names(client) == ["a", "b", "other"]
        a, b = [await client.get(core_v1.ConfigMap, name, namespace=NS) for name in "ab"]
        assert a.metadata.owner_references is None
        assert [each.name for each in b.metadata.owner_references or ()] == ["other"]


# --- what it costs ---


class Observing:
    """A transport that counts, and does something before a request of a method."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.calls = 0
        self.before_delete: Callable[[], Awaitable[object]] | None = None

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Count, and pass on."""
        self.calls += 1
        if request.method == "DELETE" and self.before_delete is not None:
            meddle, self.before_delete = self.before_delete, None
            await meddle()
        return await self._transport.call(request)

    def stream(self, request: ApiRequest) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Pass on."""
        return self._transport.stream(request)

    async def close(self) -> None:
        """Pass on."""
        await self._transport.close()


@asynccontextmanager
async def observed() -> AsyncIterator[tuple[Client, Observing]]:
    """A garbage collector whose requests are seen."""
    cluster = VirtualCluster()
    transport = Observing(cluster.transport())
    manager = Manager(transport=transport, metrics_address=None, random=Random(0))
    garbage_collector.add_to(manager)
    async with running(manager):
        await asyncio.sleep(5)
        yield cluster.client(), transport


# Of each dependent: a read of it, and its delete; in the foreground, a read of the owner, which is still there; an
# orphan is only patched.
@pytest.mark.parametrize(("policy", "calls"), [("Background", 2), ("Foreground", 3), ("Orphan", 1)])
async def test_the_number_of_calls_is_linear(policy: str, calls: int) -> None:
    """One owner of many costs as much for each as one of few, and a handful of calls more."""
    async with observed() as (client, transport):
        await cost(client, transport, 20, policy)  # by then it knows how the kind is addressed
        for many in (20, 200):
            assert many * calls <= await cost(client, transport, many, policy) <= many * calls + 8


async def cost(client: Client, transport: Observing, many: int, policy: str) -> int:
    """Return how many calls the deletion of an owner takes."""
    owner = await client.create(config_map("owner"))
    await create(client, *(config_map(f"{many}-", owner, block=True) for _ in range(many)))
    await asyncio.sleep(5)
    before = transport.calls
    await client.delete(owner, propagation=policy)
    await asyncio.sleep(30)
    assert await ignore_not_found(client.get(core_v1.ConfigMap, "owner", namespace=NS)) is None
    return transport.calls - before


async def test_a_change_that_does_not_count_saves_nothing() -> None:
    """The object changed between the look and the delete: it has the same owners, so it goes all the same."""
    async with observed() as (client, transport):
        owner = await client.create(config_map("owner"))
        await create(client, config_map("dependent", owner))

        async def meddle() -> None:
            found = await client.get(core_v1.ConfigMap, "dependent", namespace=NS)
            found.data = {"changed": "yes"}
            await client.update(found)

        await client.delete(owner)
        transport.before_delete = meddle
        await asyncio.sleep(5)
        assert await names(client) == []


async def test_an_owner_that_comes_at_the_last_moment_saves_it() -> None:
    """The delete is refused, since what it was decided by has changed; the lost reference is taken out."""
    async with observed() as (client, transport):
        owner, other = await client.create(config_map("owner")), await client.create(config_map("other"))
        await create(client, config_map("dependent", owner))

        async def meddle() -> None:
            found = await client.get(core_v1.ConfigMap, "dependent", namespace=NS)
            found.metadata.owner_references = [reference(owner), reference(other)]
            await client.update(found)

        await client.delete(owner)
        transport.before_delete = meddle
        await asyncio.sleep(5)
        saved = await client.get(core_v1.ConfigMap, "dependent", namespace=NS)
        assert [each.name for each in saved.metadata.owner_references or ()] == ["other"]


async def test_a_kind_that_goes_takes_its_dependents_along() -> None:
    """Its objects are deleted with its definition, and then what they owned."""
    async with collecting() as client:
        await client.create(definition())
        await asyncio.sleep(5)
        widget = Unstructured(api_version="test.konverge.dev/v1", kind="Widget", metadata=ObjectMeta(name="w"))
        widget.metadata.namespace = NS
        await client.create(widget)
        await create(client, config_map("dependent", widget))
        await asyncio.sleep(5)
        await client.delete(apiextensions_v1.CustomResourceDefinition, "widgets.test.konverge.dev")
        await asyncio.sleep(60)
        assert await names(client) == []


def definition() -> apiextensions_v1.CustomResourceDefinition:
    """A kind of the test's own."""
    schema = apiextensions_v1.JSONSchemaProps(type="object")
    return apiextensions_v1.CustomResourceDefinition(
        metadata=ObjectMeta(name="widgets.test.konverge.dev"),
        spec=apiextensions_v1.CustomResourceDefinitionSpec(
            group="test.konverge.dev",
            scope="Namespaced",
            names=apiextensions_v1.CustomResourceDefinitionNames(kind="Widget", plural="widgets"),
            versions=[
                apiextensions_v1.CustomResourceDefinitionVersion(
                    name="v1",
                    served=True,
                    storage=True,
                    schema=apiextensions_v1.CustomResourceValidation(open_api_v3_schema=schema),
                )
            ],
        ),
    )


async def test_a_version_that_is_no_longer_served_says_nothing_of_the_owner() -> None:
    """Its path leads nowhere, which is not the same as an owner that is gone."""
    async with collecting() as client:
        crd = definition()
        old = msgspec.structs.replace(crd.spec.versions[0], name="v1beta1", storage=False)
        crd.spec.versions.append(old)
        await client.create(crd)
        await asyncio.sleep(5)
        widget = Unstructured(api_version="test.konverge.dev/v1beta1", kind="Widget", metadata=ObjectMeta(name="w"))
        widget.metadata.namespace = NS
        await client.create(widget)
        await create(client, config_map("dependent", widget, widget_named("nobody")))
        await asyncio.sleep(5)
        found = await client.get(core_v1.ConfigMap, "dependent", namespace=NS)
        assert [each.name for each in found.metadata.owner_references or ()] == ["w"]
        crd = await client.get(apiextensions_v1.CustomResourceDefinition, "widgets.test.konverge.dev")
        crd.spec.versions[1].served = False
        await client.update(crd)
        await asyncio.sleep(5)
        found.metadata.owner_references = [reference(widget), reference(widget_named("nobody"))]
        await client.update(found)
        await asyncio.sleep(60)
        assert await names(client) == ["dependent"]


def widget_named(name: str) -> Unstructured:
    """A widget that does not exist."""
    metadata = ObjectMeta(name=name, uid=f"uid-of-{name}")
    return Unstructured(api_version="test.konverge.dev/v1", kind="Widget", metadata=metadata)
