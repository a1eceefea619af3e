"""SIGKILL in the middle of a collection and of a namespace's deletion: who starts again ends where it would have."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

from konverge import Client, Config, ObjectMeta
from konverge.api.object import Object
from konverge.api.owner import owner_reference
from konverge.client.event import EventType
from konverge.client.ignore import ignore_not_found
from konverge.models import core_v1
from konverge.testing import eventually

PATIENCE = 120.0
MANY = 200
SERVER = """
import asyncio, sys
from konverge.cluster import controllers
from konverge.cluster.embedded import EmbeddedCluster

async def main() -> None:
    add = lambda manager: controllers.add_to(manager, ["garbage-collector-controller", "namespace-controller"])
    async with EmbeddedCluster(folder=sys.argv[1], listen=True, controllers=add) as cluster:
        print(cluster.kubeconfig, flush=True)
        await asyncio.get_running_loop().create_future()

asyncio.run(main())
"""


@asynccontextmanager
async def server(folder: Path) -> AsyncIterator[Client]:
    """A server with its controllers, in a process of its own that is killed at the end."""
    command = [sys.executable, "-c", SERVER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: ASYNC220 - starts in no time
        try:
            assert process.stdout is not None
            kubeconfig = (await asyncio.to_thread(process.stdout.readline)).strip()
            async with Client.connect(Config.load(kubeconfig)) as client:
                yield client
        finally:
            process.kill()


def config_map(name: str, namespace: str, *owners: Object) -> core_v1.ConfigMap:
    """A ConfigMap that belongs to others."""
    references = [owner_reference(owner) for owner in owners] or None
    return core_v1.ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace, owner_references=references))


async def fill(client: Client, namespace: str, *owners: Object, prefix: str = "dependent") -> None:
    """Create many, some at a time."""
    gate = asyncio.Semaphore(8)

    async def create(number: int) -> None:
        async with gate:
            await client.create(config_map(f"{prefix}-{number}", namespace, *owners))

    await asyncio.gather(*(create(number) for number in range(MANY)))


async def version_of(client: Client, namespace: str) -> str | None:
    """Where a watch has to begin to see all that comes from now on."""
    return (await client.list(core_v1.ConfigMap, namespace=namespace)).metadata.resource_version


async def seen(client: Client, namespace: str, type_: EventType, *, since: str | None, count: int = 10) -> None:
    """Return as soon as so many changes of a type were seen."""
    async with aclosing(client.watch(core_v1.ConfigMap, namespace=namespace, resource_version=since)) as events:
        async for event in events:
            count -= event.type is type_
            if not count:
                return


async def left(client: Client, namespace: str) -> list[core_v1.ConfigMap]:
    """What is there."""
    return list(await client.list(core_v1.ConfigMap, namespace=namespace))


async def test_a_collection_goes_on_after_a_kill(tmp_path: Path) -> None:
    """Everything that the owner owned goes; what others own stays."""
    async with server(tmp_path) as client:
        owner = await client.create(config_map("owner", "default"))
        await client.create(config_map("apart", "default"))
        await fill(client, "default", owner)
        since = await version_of(client, "default")
        await client.delete(owner, propagation="Background")
        await asyncio.wait_for(seen(client, "default", EventType.DELETED, since=since), PATIENCE)
    async with server(tmp_path) as client:

        async def settled() -> bool:
            return [each.metadata.name for each in await left(client, "default")] == ["apart"]

        await eventually(settled, within=PATIENCE)


async def test_orphans_are_kept_after_a_kill(tmp_path: Path) -> None:
    """The ones that were not released yet are released then, and not collected."""
    async with server(tmp_path) as client:
        owner = await client.create(config_map("owner", "default"))
        await fill(client, "default", owner)
        since = await version_of(client, "default")
        await client.delete(owner, propagation="Orphan")
        await asyncio.wait_for(seen(client, "default", EventType.MODIFIED, since=since), PATIENCE)
    async with server(tmp_path) as client:

        async def settled() -> bool:
            return await ignore_not_found(client.get(core_v1.ConfigMap, "owner", namespace="default")) is None

        await eventually(settled, within=PATIENCE)
        found = await left(client, "default")
        assert len(found) == MANY
        assert not any(each.metadata.owner_references for each in found)


async def test_a_namespace_goes_after_a_kill(tmp_path: Path) -> None:
    """With all that was left in it."""
    async with server(tmp_path) as client:
        await client.create(core_v1.Namespace(metadata=ObjectMeta(name="ending")))
        await fill(client, "ending")
        since = await version_of(client, "ending")
        await client.delete(core_v1.Namespace, "ending")
        await asyncio.wait_for(seen(client, "ending", EventType.DELETED, since=since), PATIENCE)
    async with server(tmp_path) as client:

        async def settled() -> bool:
            return await ignore_not_found(client.get(core_v1.Namespace, "ending")) is None

        await eventually(settled, within=PATIENCE)
        assert await left(client, "ending") == []
