"""The API server killed, and etcd brought back with older data: the cache ends up where the server is."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

import konverge as kv
from konverge.api import request
from konverge.api.kind import ObjectKey
from konverge.cache.cache import Cache
from konverge.cache.cached_client import CachedClient
from konverge.cache.informer import Informer
from konverge.cache.stored import Stored
from konverge.client.http import HttpTransport
from konverge.models.core_v1 import ConfigMap
from konverge.testing import RealCluster

PATIENCE = 120.0  # seconds; only a failure takes as long


@pytest.fixture(scope="module")
def own_cluster(real_cluster: RealCluster) -> Iterator[RealCluster]:
    """A cluster whose programs may be killed, beside the one of the session, whose rule for missing programs holds."""
    assert real_cluster.processes
    with RealCluster() as started:
        yield started


class Versions:
    """A handler that holds what it was told, as a controller would, and wakes who waits for a change."""

    def __init__(self) -> None:
        self.held: dict[ObjectKey, int] = {}
        self.changed = asyncio.Event()

    def on_add(self, obj: Stored[ConfigMap], *, initial: bool) -> None:  # noqa: ARG002 - the listener's
        """Hold a new object."""
        assert obj.key not in self.held
        self._hold(obj)

    def on_update(self, old: Stored[ConfigMap], new: Stored[ConfigMap]) -> None:
        """Hold a changed one."""
        assert self.held[new.key] == old.entry.version
        self._hold(new)

    def on_delete(self, obj: Stored[ConfigMap], *, known: bool) -> None:  # noqa: ARG002 - the listener's
        """Forget one."""
        del self.held[obj.key]
        self.changed.set()

    def _hold(self, obj: Stored[ConfigMap]) -> None:
        self.held[obj.key] = obj.entry.version
        self.changed.set()


class Watched:
    """A running cache of one namespace's ConfigMaps, and what a handler knows of them."""

    def __init__(self, client: CachedClient, informer: Informer[ConfigMap], namespace: str) -> None:
        self.client = client
        self.informer = informer
        self.namespace = namespace
        self.versions = Versions()
        informer.add_handler(self.versions)

    async def write(self, *names: str) -> None:
        """Create objects through the cached client."""
        for name in names:
            await self.client.create(ConfigMap(metadata=kv.ObjectMeta(name=name, namespace=self.namespace)))

    async def is_where_the_server_is(self) -> dict[str, int]:
        """Wait until the handler knows the server's versions, compare everything, and return the versions."""
        async with asyncio.timeout(PATIENCE):
            while True:
                self.versions.changed.clear()
                server = await self._on_server()
                versions = {key: int(item["metadata"]["resourceVersion"]) for key, item in server.items()}
                if self.versions.held == versions:
                    break
                await self.versions.changed.wait()
        (feed,) = self.informer.feeds
        assert {key: json.loads(entry.data) for key, entry in feed.store.items()} == server
        assert {key: entry.version for key, entry in self.informer.items()} == versions
        assert list(feed.overlay.items()) == []
        assert self.informer.handler_errors == 0
        return {key.name: version for key, version in versions.items()}

    async def _on_server(self) -> dict[ObjectKey, dict[str, Any]]:
        call = request.list_(ConfigMap.__resource__, self.namespace, request.ListOptions())
        items = json.loads((await self.client.cache.observing.call(call)).body)["items"]
        for item in items:
            item["metadata"].pop("managedFields", None)
            item |= {"kind": "ConfigMap", "apiVersion": "v1"}
        return {ObjectKey(self.namespace, item["metadata"]["name"]): item for item in items}


@asynccontextmanager
async def watched(cluster: RealCluster) -> AsyncIterator[Watched]:
    """Watch a new namespace."""
    namespace = cluster.create_namespace()
    transport = HttpTransport(kv.Config.load(cluster.kubeconfig))
    cache = Cache(transport, namespaces=(namespace,))
    informer = await cache.informer(ConfigMap)
    task = asyncio.create_task(cache.run())
    try:
        await informer.wait_for_sync()
        yield Watched(CachedClient(cache), informer, namespace)
    finally:
        task.cancel()
        await asyncio.wait([task])
        await transport.close()


async def test_the_api_server_is_killed_and_started_again(own_cluster: RealCluster) -> None:
    """Its watches break without a word; what is written after it is back is seen, and nothing is listed anew."""
    async with watched(own_cluster) as target:
        await target.write("a", "b")
        await target.is_where_the_server_is()
        await asyncio.to_thread(own_cluster.kill, "kube-apiserver")
        await asyncio.to_thread(own_cluster.start, "kube-apiserver")
        await target.write("c")
        await target.client.delete(ConfigMap, "a", namespace=target.namespace)
        assert sorted(await target.is_where_the_server_is()) == ["b", "c"]


async def test_etcd_comes_back_with_older_data(own_cluster: RealCluster) -> None:
    """What was lost is told as deleted, what is as it was before is told so, and what we wrote is not seen any more."""
    async with watched(own_cluster) as target:
        await target.write("kept", "changed")
        before = await target.is_where_the_server_is()
        await asyncio.to_thread(_stop_and_copy, own_cluster)
        await target.write("lost-1", "lost-2", "lost-3")
        changed = await target.client.get(ConfigMap, "changed", namespace=target.namespace)
        changed.data = {"x": "1"}
        await target.client.update(changed)
        await target.client.delete(ConfigMap, "kept", namespace=target.namespace)
        await target.is_where_the_server_is()
        await asyncio.to_thread(_restore, own_cluster)
        assert await target.is_where_the_server_is() == before
        await target.write("new")
        assert sorted(await target.is_where_the_server_is()) == ["changed", "kept", "new"]


def _stop_and_copy(cluster: RealCluster) -> None:
    _stop(cluster)
    shutil.copytree(cluster.folder / "etcd", cluster.folder / "etcd-before")
    _start(cluster)


def _restore(cluster: RealCluster) -> None:
    _stop(cluster)
    shutil.rmtree(cluster.folder / "etcd")
    (cluster.folder / "etcd-before").rename(cluster.folder / "etcd")
    _start(cluster)


def _stop(cluster: RealCluster) -> None:
    cluster.kill("kube-apiserver")  # in order it would wait for our watch
    cluster.stop("etcd")


def _start(cluster: RealCluster) -> None:
    cluster.start("etcd")
    cluster.start("kube-apiserver")
