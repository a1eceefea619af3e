"""The cached client on a server: reads from memory that are never behind its own writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

import konverge as kv
from konverge.api.request import ApiRequest
from konverge.cache.cache import Cache
from konverge.cache.cached_client import CachedClient, Unwatched
from konverge.cache.feed import Selection
from konverge.client.transport import ApiResponse, Transport
from konverge.models import core_v1
from konverge.models.core_v1 import ConfigMap
from konverge.testing import Cluster


class Counting:
    """A transport that keeps what was asked."""

    def __init__(self, below: Transport) -> None:
        self._below = below
        self.asked: list[str] = []

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Note the call, and pass it on."""
        self.asked.append(str(request.operation))
        return await self._below.call(request)

    def stream(self, request: ApiRequest) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Pass it on."""
        return self._below.stream(request)

    async def close(self) -> None:
        """Close the one below."""
        await self._below.close()


@asynccontextmanager
async def running(cluster: Cluster, **options: Any) -> AsyncIterator[tuple[CachedClient, Counting]]:
    """Return a client of a cache that runs."""
    transport = Counting(cluster.transport())
    unwatched = options.pop("unwatched", Unwatched.START)
    cache = Cache(transport, **options)
    task = asyncio.ensure_future(cache.run())
    await asyncio.sleep(0)
    try:
        yield CachedClient(cache, unwatched=unwatched), transport
    finally:
        task.cancel()
        await asyncio.wait([task])
        await transport.close()


def cm(name: str, namespace: str, **data: str) -> ConfigMap:
    """Return a ConfigMap to create."""
    return ConfigMap(metadata=kv.ObjectMeta(name=name, namespace=namespace), data=data)


async def test_reads_see_our_own_writes_without_asking(cluster: Cluster, namespace: str) -> None:
    """Create, update, patch, apply, status and delete are read back at once, and only writes go to the server."""
    async with running(cluster, namespaces=(namespace,)) as (client, transport):
        await client.list(ConfigMap)
        transport.asked.clear()
        for round_ in range(20):
            name = f"a{round_}"
            obj = await client.create(cm(name, namespace, x="1"))
            assert (await client.get(ConfigMap, obj.metadata)).data == {"x": "1"}
            obj.data = {"x": "2"}
            await client.update(obj)
            assert (await client.get(ConfigMap, obj.metadata)).data == {"x": "2"}
            obj.data = {"x": "3"}
            await client.patch(obj)
            assert (await client.get(ConfigMap, obj.metadata)).data == {"x": "3"}
            await client.apply(cm(name, namespace, y="4"))
            assert (await client.get(ConfigMap, obj.metadata)).data == {"x": "3", "y": "4"}
            assert len(await client.list(ConfigMap, namespace=namespace)) == 1
            await client.delete(obj)
            with pytest.raises(kv.errors.NotFound, match=name):
                await client.get(ConfigMap, obj.metadata)
            assert await client.list(ConfigMap, namespace=namespace) == []
        assert not [line for line in transport.asked if line.startswith(("get", "list"))]


async def test_nothing_stays_on_top_of_the_store(cluster: Cluster, namespace: str) -> None:
    """When the watch has caught up, the overlay is empty."""
    async with running(cluster, namespaces=(namespace,)) as (client, _):
        informer = await client.cache.informer(ConfigMap)
        await informer.wait_for_sync()
        last = [await client.create(cm(f"a{n}", namespace)) for n in range(10)][-1]
        await client.delete(ConfigMap, "a3", namespace=namespace)
        (feed,) = informer.feeds
        async with asyncio.timeout(30):
            while feed.version < int(last.metadata.resource_version or 0) or len(feed.overlay):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert len(feed.store) == 9


async def test_a_dry_run_is_not_seen(cluster: Cluster, namespace: str) -> None:
    """Its answer has a version and data that was never stored."""
    async with running(cluster, namespaces=(namespace,)) as (client, _):
        obj = await client.create(cm("a", namespace, x="1"))
        await client.list(ConfigMap)
        obj.data = {"x": "2"}
        await client.update(obj, dry_run=True)
        await client.delete(ConfigMap, "a", namespace=namespace, dry_run=True)
        assert (await client.get(ConfigMap, "a", namespace=namespace)).data == {"x": "1"}


async def test_a_deletion_that_waits_for_a_finalizer_is_seen_as_it_is(cluster: Cluster, namespace: str) -> None:
    """The object goes on with a deletion timestamp, and is gone when the finalizer is."""
    async with running(cluster, namespaces=(namespace,)) as (client, _):
        await client.list(ConfigMap)
        obj = cm("a", namespace)
        obj.metadata.finalizers = ["konverge.dev/test"]
        await client.create(obj)
        await client.delete(obj)
        live = await client.get(ConfigMap, obj.metadata)
        assert live.metadata.deletion_timestamp is not None
        live.metadata.finalizers = None
        await client.update(live)
        assert await kv.ignore_not_found(client.get(ConfigMap, obj.metadata)) is None


async def test_a_deletion_of_many_is_seen(cluster: Cluster, namespace: str) -> None:
    """The server names what it deleted; what a finalizer holds is seen as it is, in the end."""
    async with running(cluster, namespaces=(namespace,)) as (client, _):
        await client.list(ConfigMap)
        held = cm("held", namespace)
        held.metadata.finalizers = ["konverge.dev/test"]
        await client.create(held)
        await client.create(cm("a", namespace))
        await client.create(cm("b", namespace))
        await client.delete_all_of(ConfigMap, namespace=namespace, dry_run=True)
        assert len(await client.list(ConfigMap)) == 3
        await client.delete_all_of(ConfigMap, namespace=namespace)
        assert [obj.metadata.name for obj in await client.list(ConfigMap)] == ["held"]
        async with asyncio.timeout(30):
            while (await client.get(ConfigMap, held.metadata)).metadata.deletion_timestamp is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        live = await client.get(ConfigMap, held.metadata)
        live.metadata.finalizers = None
        await client.update(live)
        assert await client.list(ConfigMap) == []


async def test_a_deletion_that_is_answered_with_the_object_is_seen(cluster: Cluster, namespace: str) -> None:
    """Service accounts are answered with what they were, not with a status."""
    async with running(cluster, namespaces=(namespace,)) as (client, _):
        await client.list(core_v1.ServiceAccount)
        account = core_v1.ServiceAccount(metadata=kv.ObjectMeta(name="a", namespace=namespace))
        await client.create(account)
        await client.delete(account)
        assert await kv.ignore_not_found(client.get(core_v1.ServiceAccount, "a", namespace=namespace)) is None


async def test_a_write_that_leaves_the_selector(cluster: Cluster, namespace: str) -> None:
    """An object whose label is taken away is no longer read, before the watch says so."""
    only = Selection[ConfigMap](namespaces=(namespace,), labels=kv.LabelSelector.parse("tier=web"))
    async with running(cluster, selections={ConfigMap: only}) as (client, _):
        await client.list(ConfigMap)
        obj = cm("a", namespace)
        obj.metadata.labels = {"tier": "web"}
        await client.create(obj)
        assert len(await client.list(ConfigMap)) == 1
        obj.metadata.labels = {"tier": "db"}
        await client.update(obj)
        assert await client.list(ConfigMap) == []
        await client.create(cm("b", namespace))
        assert await client.list(ConfigMap) == []


async def test_lists_by_label_and_by_indexed_field(cluster: Cluster, namespace: str) -> None:
    """Selectors work in memory; a field needs an index, and the error says how to get one."""
    async with running(cluster, namespaces=(namespace,)) as (client, _):
        for n in range(4):
            obj = cm(f"a{n}", namespace, colour="blue" if n % 2 else "red")
            obj.metadata.labels = {"n": str(n)}
            await client.create(obj)
        names = [obj.metadata.name for obj in await client.list(ConfigMap, labels="n in (1,2)")]
        assert sorted(filter(None, names)) == ["a1", "a2"]
        with pytest.raises(kv.errors.RequestError, match=r'cache.index\(ConfigMap, "data.colour"\)'):
            await client.list(ConfigMap, fields={"data.colour": "blue"})
        await client.cache.index(ConfigMap, "data.colour")
        found = await client.list(ConfigMap, fields={"data.colour": "blue"})
        assert sorted(filter(None, (obj.metadata.name for obj in found))) == ["a1", "a3"]
        assert [obj.metadata.name for obj in await client.list(ConfigMap, fields="metadata.name=a2")] == ["a2"]
        assert len(await client.list(ConfigMap, limit=3)) == 3
        async for obj in client.list(ConfigMap, labels={"n": "0"}):
            assert obj.metadata.name == "a0"


async def test_what_a_read_of_an_unwatched_kind_does(cluster: Cluster, namespace: str) -> None:
    """It starts an informer, or fails, or asks the server, as it was told."""
    async with running(cluster, unwatched=Unwatched.FAIL) as (client, _):
        with pytest.raises(kv.errors.RequestError, match="ConfigMap is not watched"):
            await client.get(ConfigMap, "a", namespace=namespace)
        assert await client.live.list(ConfigMap, namespace=namespace) == []
    async with running(cluster, unwatched=Unwatched.LIVE) as (client, transport):
        await client.list(ConfigMap, namespace=namespace)
        assert client.cache.informers == []
        assert transport.asked == [f'list configmaps "{namespace}"']


async def test_a_cache_that_does_not_run_cannot_be_read(cluster: Cluster) -> None:
    """Waiting for it would wait for ever."""
    transport = cluster.transport()
    client = CachedClient(Cache(transport))
    with pytest.raises(kv.errors.RequestError, match="does not run"):
        await client.list(ConfigMap)
    await transport.close()


async def test_views_of_a_cached_client(cluster: Cluster, namespace: str) -> None:
    """A view of one namespace reads from memory; one that acts as another user reads live."""
    async with running(cluster, namespaces=(namespace,)) as (client, transport):
        await client.create(cm("a", namespace))
        await client.list(ConfigMap)
        transport.asked.clear()
        assert len(await client.in_namespace(namespace).list(ConfigMap)) == 1
        assert transport.asked == []
        with pytest.raises(kv.errors.Forbidden):
            await client.impersonate("someone").get(ConfigMap, "a", namespace=namespace)


async def test_typed_unstructured_and_metadata_informers_stand_side_by_side(cluster: Cluster, namespace: str) -> None:
    """Each form has an informer of its own, and each sees our writes."""
    async with running(cluster, namespaces=(namespace,)) as (client, _):
        whole, meta = kv.unstructured("v1", "ConfigMap"), kv.metadata_only(ConfigMap)
        await client.list(ConfigMap)
        await client.list(whole)
        await client.list(meta)
        obj = await client.create(cm("a", namespace, x="1"))
        assert (await client.get(ConfigMap, obj.metadata)).data == {"x": "1"}
        assert (await client.get(whole, obj.metadata)).data.x == "1"
        assert (await client.get(meta, obj.metadata)).kind == "ConfigMap"
        assert len(client.cache.informers) == 3


async def test_an_informer_that_no_one_needs_can_be_stopped(cluster: Cluster, namespace: str) -> None:
    """Its watch ends and its objects are forgotten; one that has handlers is not stopped."""
    async with running(cluster, namespaces=(namespace,)) as (client, _):
        await client.list(ConfigMap)
        assert await client.cache.remove(ConfigMap)
        assert client.cache.known(ConfigMap) is None
        assert not await client.cache.remove(ConfigMap)
        assert client.cache.informers == []
        await client.list(ConfigMap)
        assert len(client.cache.informers) == 1


async def test_extract_reads_the_record_that_memory_does_not_have(cluster: Cluster, namespace: str) -> None:
    """Who owns which field is not kept in memory, so extract asks the server."""
    async with running(cluster, namespaces=(namespace,)) as (client, _):
        await client.list(ConfigMap)
        await client.apply(cm("a", namespace, x="1"))
        assert (await client.extract(ConfigMap, "a", namespace=namespace)).data == {"x": "1"}


async def test_cluster_scoped_kinds(cluster: Cluster, namespace: str) -> None:
    """A kind without namespaces is held whole, whatever namespaces the others are limited to."""
    async with running(cluster, namespaces=(namespace,)) as (client, _):
        assert (await client.get(core_v1.Namespace, namespace)).metadata.name == namespace
