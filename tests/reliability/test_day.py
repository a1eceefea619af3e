"""A day in the life of a manager, in virtual time: watches that end, bookmarks, tokens that rotate, resyncs."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Any

import msgspec
import pytest

from konverge.api.meta import ObjectMeta
from konverge.api.request import ApiRequest
from konverge.builder import new_controller
from konverge.cache.stored import Stored
from konverge.client.client import Client
from konverge.client.transport import ApiResponse, Transport, error_of
from konverge.controller.reconcile import Context, Request
from konverge.errors import NotFound
from konverge.manager import CacheOptions, Manager
from konverge.models.core_v1 import ConfigMap
from konverge.testing import Cluster, virtual_time

SEED = 7
DAY = 24 * 3600.0
BOOKMARK_EVERY = 60.0
WRITE_EVERY = (5.0, 90.0)
TOKEN_LASTS = 3600.0
TOKEN_LATE = 240.0  # the new token arrives so long after the old one has expired: a watch is opened in between
LONGEST_DELAY = 60.0  # more than a watcher ever waits before it tries again
OBJECTS = 50


class Door:
    """Counts what is asked, and refuses calls with an expired token; open watches go on."""

    def __init__(self) -> None:
        self.token_expired = False
        self.asked: Counter[str] = Counter()

    async def rotate_tokens(self) -> None:
        """Let the token expire each hour, and the new one come late."""
        while True:
            await asyncio.sleep(TOKEN_LASTS - TOKEN_LATE)
            self.token_expired = True
            await asyncio.sleep(TOKEN_LATE)
            self.token_expired = False

    def admit(self, request: ApiRequest) -> None:
        """Let a call in, or raise."""
        verb = request.operation.verb
        self.asked[f"{verb} refused" if self.token_expired else verb] += 1
        if self.token_expired:
            raise error_of(request, 401, b'{"kind":"Status","reason":"Unauthorized","code":401}')
        if ("sendInitialEvents", "true") in request.query:
            self.asked["streamed list"] += 1


class Server:
    """ConfigMaps in memory, and their list and watch, behind a door."""

    def __init__(self, random: Random) -> None:
        self.objects: dict[str, dict[str, Any]] = {}
        self.version = 100
        self.door = Door()
        self._random = random
        self._log: list[tuple[int, bytes]] = []
        self._written = asyncio.Event()
        self._made = 0
        for _ in range(OBJECTS):
            self._create()

    # --- what happens on it ---

    async def live(self) -> None:
        """Let others write for ever."""
        while True:
            await asyncio.sleep(self._random.uniform(*WRITE_EVERY))
            self.write()

    def write(self) -> None:
        """Create, change or delete one object."""
        chance = self._random.random()
        if chance < 0.1 or len(self.objects) < OBJECTS:
            self._create()
        else:
            name = self._random.choice(list(self.objects))
            if chance < 0.2:
                self._tell("DELETED", self.objects.pop(name))
            else:
                self._tell("MODIFIED", self.objects[name])

    def _create(self) -> None:
        self._made += 1
        name = f"a{self._made}"
        metadata = {"name": name, "namespace": "shop", "uid": f"uid-{name}"}
        self.objects[name] = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata}
        self._tell("ADDED", self.objects[name])

    def _tell(self, kind: str, obj: dict[str, Any]) -> None:
        self.version += 1
        obj["metadata"]["resourceVersion"] = str(self.version)
        self._log.append((self.version, _line(kind, obj)))
        self._written.set()
        self._written = asyncio.Event()

    # --- the transport to it ---

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Answer a list."""
        self.door.admit(request)
        items = list(self.objects.values())[: int(dict(request.query).get("limit", 500))]
        body = {"kind": "List", "metadata": {"resourceVersion": str(self.version)}, "items": items}
        return ApiResponse(status=200, body=msgspec.json.encode(body))

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Answer a watch."""
        self.door.admit(request)
        yield self._watch(dict(request.query))

    async def close(self) -> None:
        """Close nothing."""

    async def _watch(self, query: dict[str, str]) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        end = loop.time() + float(query["timeoutSeconds"])
        version = int(query.get("resourceVersion", self.version))
        if query.get("sendInitialEvents") == "true":
            for obj in self.objects.values():
                yield _line("ADDED", obj)
            yield _bookmark(version, {"k8s.io/initial-events-end": "true"})
        while loop.time() < end:
            written = self._written
            for at, line in [entry for entry in self._log if entry[0] > version]:
                version = at
                yield line
            try:
                async with asyncio.timeout(min(BOOKMARK_EVERY, end - loop.time())):
                    await written.wait()
            except TimeoutError:
                version = self.version
                yield _bookmark(version)


def _line(kind: str, obj: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"type": kind, "object": obj}) + b"\n"


def _bookmark(version: int, annotations: dict[str, str] | None = None) -> bytes:
    return _line("BOOKMARK", {"metadata": {"resourceVersion": str(version), "annotations": annotations}})


class Reconciler:
    """Keeps the version of each object it has reconciled."""

    def __init__(self) -> None:
        self.settled: dict[str, int] = {}
        self.runs = 0

    async def reconcile(self, ctx: Context, request: Request) -> None:
        """Read one object."""
        self.runs += 1
        self.settled.pop(request.name, None)
        with suppress(NotFound):
            found = await ctx.client.get(ConfigMap, request)
            self.settled[request.name] = int(found.metadata.resource_version or 0)


class Resyncs:
    """Counts the objects that were told again as they are, by the hour at which that was."""

    def __init__(self) -> None:
        self.told: Counter[float] = Counter()

    def on_add(self, obj: Stored[ConfigMap], *, initial: bool) -> None:
        """Nothing of interest."""

    def on_update(self, old: Stored[ConfigMap], new: Stored[ConfigMap]) -> None:
        """Count it if it is no change."""
        if old is new:
            self.told[asyncio.get_running_loop().time() / 3600] += 1

    def on_delete(self, obj: Stored[ConfigMap], *, known: bool) -> None:
        """Nothing of interest."""


def test_a_day() -> None:
    """After 24 hours everything is as on the server, at the price of one watch every few minutes."""

    async def main() -> None:
        server, reconciler, resyncs = Server(Random(SEED)), Reconciler(), Resyncs()
        manager = Manager(transport=server, metrics_address=None, random=Random(SEED))
        new_controller(manager).for_(ConfigMap).complete(reconciler)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(manager.start())
            others = [group.create_task(server.live()), group.create_task(server.door.rotate_tokens())]
            informer = await manager.cache.informer(ConfigMap)
            informer.add_handler(resyncs)
            for hour in range(24):
                await asyncio.sleep(3600.0 * (hour + 1) + LONGEST_DELAY - asyncio.get_running_loop().time())
                versions = {name: int(obj["metadata"]["resourceVersion"]) for name, obj in server.objects.items()}
                _compare(versions, reconciler, informer.items())
            for task in others:
                task.cancel()
            manager.stop()
            await running
        assert informer.handler_errors == 0
        _count(server.door, resyncs)
        assert reconciler.runs <= server.version - 100 + resyncs.told.total()

    virtual_time.run(main())


def _compare(expected: dict[str, int], reconciler: Reconciler, held: Any) -> None:
    """An hour has passed, the token is fresh again, and a watch is open."""
    assert {key.name: entry.version for key, entry in held} == expected
    assert reconciler.settled == expected


def _count(door: Door, resyncs: Resyncs) -> None:
    asked = door.asked
    assert asked["streamed list"] == 1  # nothing was ever listed anew
    assert DAY / 235 <= asked["watch"] <= DAY / 180 + 30
    assert 24 <= asked["list"] <= 48  # one look at the server's version after each interruption
    assert 24 <= asked["list refused"] + asked["watch refused"] <= 24 * 15  # backed off until the token was there
    assert [9 <= hour <= 11 or 18 <= hour <= 22 for hour in resyncs.told] == [True, True]
    assert min(resyncs.told.values()) >= OBJECTS


# --- the same day on the embedded server ---


class Through:
    """A transport through a door."""

    def __init__(self, below: Transport) -> None:
        self._below = below
        self.door = Door()

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Pass it on, if it is let in."""
        self.door.admit(request)
        return await self._below.call(request)

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Pass it on, if it is let in."""
        self.door.admit(request)
        async with self._below.stream(request) as chunks:
            yield chunks

    async def close(self) -> None:
        """Close what is below."""
        await self._below.close()


class Others:
    """Create, change and delete objects of the server, with credentials of their own."""

    def __init__(self, client: Client, random: Random) -> None:
        self._client = client
        self._random = random
        self._names: list[str] = []
        self.written = 0

    async def fill(self) -> None:
        """Create the first objects."""
        for _ in range(OBJECTS):
            await self._create()

    async def live(self) -> None:
        """Write for ever."""
        while True:
            await asyncio.sleep(self._random.uniform(*WRITE_EVERY))
            await self._write(self._random.random())

    async def _write(self, chance: float) -> None:
        if chance < 0.1 or len(self._names) < OBJECTS:
            await self._create()
            return
        self.written += 1
        name = self._random.choice(self._names)
        if chance < 0.2:
            self._names.remove(name)
            await self._client.delete(ConfigMap, name)
        else:
            changed = await self._client.get(ConfigMap, name)
            changed.data = {"written": str(self.written)}
            await self._client.update(changed)

    async def _create(self) -> None:
        self.written += 1
        self._names.append(f"a{self.written}")
        await self._client.create(ConfigMap(metadata=ObjectMeta(name=f"a{self.written}")))

    async def versions(self) -> dict[str, int]:
        """Return the version of each object."""
        found = await self._client.list(ConfigMap)
        return {each.metadata.name or "": int(each.metadata.resource_version or 0) for each in found}


@pytest.mark.virtual_time
async def test_a_day_on_the_embedded_server(cluster: Cluster, namespace: str) -> None:
    """The whole program with its server in one loop: the same promises, and nothing of it in real time."""
    reconciler, resyncs, through = Reconciler(), Resyncs(), Through(cluster.transport())
    options = CacheOptions(namespaces=(namespace,))
    manager = Manager(transport=through, metrics_address=None, cache=options, random=Random(SEED))
    new_controller(manager).for_(ConfigMap).complete(reconciler)
    async with cluster.client(namespace=namespace) as client, asyncio.TaskGroup() as group:
        others = Others(client, Random(SEED))
        await others.fill()
        running = group.create_task(manager.start())
        tasks = [group.create_task(others.live()), group.create_task(through.door.rotate_tokens())]
        informer = await manager.cache.informer(ConfigMap)
        informer.add_handler(resyncs)
        for hour in range(24):
            await asyncio.sleep(3600.0 * (hour + 1) + LONGEST_DELAY - asyncio.get_running_loop().time())
            _compare(await others.versions(), reconciler, informer.items())
        for task in tasks:
            task.cancel()
        manager.stop()
        await running
    assert informer.handler_errors == 0
    _count(through.door, resyncs)
    assert reconciler.runs <= others.written + resyncs.told.total()
