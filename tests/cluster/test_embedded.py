from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

import konverge as kv
from konverge.client.client import Client
from konverge.client.config.config import Config
from konverge.cluster.apiserver.storage import FolderInUse
from konverge.cluster.embedded import EmbeddedCluster
from konverge.errors import ConfigError, ConnectionFailed, NotFound
from konverge.models import core_v1
from konverge.testing import virtual_time


def config_map(name: str = "x") -> core_v1.ConfigMap:
    """Return an object to create."""
    return core_v1.ConfigMap(metadata=kv.ObjectMeta(name=name, namespace="default"), data={"a": "b"})


def test_a_client_works_in_process_and_under_virtual_time() -> None:
    """No socket, no thread, no file."""

    async def main() -> None:
        async with EmbeddedCluster() as cluster, Client(cluster.transport()) as client:
            created = await client.create(config_map())
            assert created.metadata.resource_version
            created.data = {"a": "c"}
            await client.update(created)
            assert (await client.get(core_v1.ConfigMap, "x", namespace="default")).data == {"a": "c"}
            await client.delete(created)
            with pytest.raises(NotFound):
                await client.get(core_v1.ConfigMap, "x", namespace="default")

    virtual_time.run(main())


async def test_a_client_works_over_https() -> None:
    """With the kubeconfig that the cluster wrote, which is gone with it."""
    async with EmbeddedCluster(listen=True) as cluster:
        kubeconfig = cluster.kubeconfig
        async with Client.connect(Config.load(kubeconfig)) as client:
            await client.create(config_map())
        async with Client(cluster.transport()) as client:
            assert (await client.get(core_v1.ConfigMap, "x", namespace="default")).data == {"a": "b"}
    assert not kubeconfig.exists()
    assert not kubeconfig.parent.exists()


async def test_a_folder_gives_everything_back(tmp_path: Path) -> None:
    """Objects, and the authority: a kubeconfig of the first run is good in the second."""
    async with EmbeddedCluster(folder=tmp_path / "data", listen=True) as cluster:
        port = int(cluster.url.rpartition(":")[2])
        config = Config.load(cluster.kubeconfig)
        async with Client(cluster.transport()) as client:
            created = await client.create(config_map())
    async with EmbeddedCluster(folder=tmp_path / "data", listen=True, port=port), Client.connect(config) as client:
        found = await client.get(core_v1.ConfigMap, "x", namespace="default")
        assert found.metadata.uid == created.metadata.uid
        assert found.metadata.resource_version == created.metadata.resource_version


async def test_a_second_cluster_on_a_folder_is_refused(tmp_path: Path) -> None:
    """And the first is none the worse for it."""
    async with EmbeddedCluster(folder=tmp_path) as cluster:
        with pytest.raises(FolderInUse, match="in use by another server"):
            await EmbeddedCluster(folder=tmp_path, listen=True).__aenter__()
        async with Client(cluster.transport()) as client:
            await client.create(config_map())


async def test_a_port_that_is_taken_is_reported(tmp_path: Path) -> None:
    """With the address; the folder is let go."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"cannot listen on 127.0.0.1:{port}"):
            await EmbeddedCluster(folder=tmp_path, listen=True, port=port).__aenter__()
    async with EmbeddedCluster(folder=tmp_path):
        pass


async def test_closing_ends_watches_and_leaves_clients_without_a_server() -> None:
    """A watch ends in order, over both edges; what comes later gets no answer."""
    cluster = EmbeddedCluster(listen=True)
    await cluster.__aenter__()
    clients = Client(cluster.transport()), Client.connect(Config.load(cluster.kubeconfig))
    started = {client: asyncio.Event() for client in clients}

    async def watch(client: Client) -> None:
        async for _ in client.watch(core_v1.ConfigMap, namespace="default"):
            started[client].set()

    await clients[0].create(config_map())
    watches = [asyncio.ensure_future(watch(client)) for client in clients]
    async with asyncio.timeout(10):
        for event in started.values():
            await event.wait()
        await cluster.close()
        await asyncio.gather(*watches)
    for client in clients:
        with pytest.raises(ConnectionFailed):
            await client.get(core_v1.ConfigMap, "x", namespace="default")
        await client.close()
    await cluster.close()


async def test_controllers_that_end_by_themselves_are_noticed() -> None:
    """Whoever keeps a cluster for its controllers hears what ended them; the server goes on."""
    fail = asyncio.Event()

    class Failing:
        name = "failing"

        async def run(self) -> None:
            await fail.wait()
            raise ConfigError("the disk is gone")

    async with EmbeddedCluster(controllers=lambda manager: manager.add(Failing())) as cluster:
        before = cluster.objects
        async with Client(cluster.transport()) as client:
            await client.create(config_map())
        assert cluster.objects == before + 1
        ended = asyncio.ensure_future(cluster.controllers_ended())
        await asyncio.sleep(0)
        assert not ended.done()
        fail.set()
        with pytest.raises(ConfigError, match="the disk is gone"):
            await ended
