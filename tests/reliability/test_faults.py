"""A whole manager behind a network that fails in every way: it ends up where the server is, each time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Any, ClassVar

import konverge as kv
from konverge.api import request
from konverge.api.kind import ObjectKey
from konverge.builder import new_controller
from konverge.cache.watcher import Limits
from konverge.client.client import Client
from konverge.client.http import HttpTransport
from konverge.controller.controller import Controller
from konverge.controller.reconcile import Context, Request
from konverge.errors import Conflict, NotFound
from konverge.manager import CacheOptions, Manager
from konverge.queue.rate_limit import Exponential
from konverge.testing import Cluster, Fault, FaultProxy
from konverge.testing.fault import CALLS, STREAMS

SEED = 20260727
OBJECTS = 1000
NAMESPACES = 8  # each is a watch of its own, so that faults overlap
WRITERS = 4
ROUNDS = 10  # quiet points in a full run
EACH = 10  # of each fault, in each round, for streams and for calls
PATIENCE = 240.0  # seconds for a round of faults, and for a quiet point; only a failure takes as long
LIMITS = Limits(watch_seconds=(1, 2), watch_idle=1.0, list_idle=2.0)

ON_STREAMS = tuple(fault for fault in Fault if fault is not Fault.CUT_BODY)
ON_CALLS = (Fault.CUT, Fault.CUT_BODY, Fault.DELAY, Fault.TOO_MANY_REQUESTS, Fault.SERVER_ERROR, Fault.UNAVAILABLE)

GROUP = "reliability.konverge.dev"
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"widgets.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                },
            }
        ],
    },
}


class WidgetSpec(kv.Model):
    """What is wanted."""

    value: int | None = None
    doomed: bool | None = None  # the reconciler deletes it


class WidgetStatus(kv.Model):
    """What is."""

    value: int | None = None


class Widget(kv.Object):
    """The kind that is reconciled."""

    __resource__: ClassVar[kv.Resource] = kv.Resource(
        group=GROUP, version="v1", kind="Widget", plural="widgets", namespaced=True
    )

    spec: WidgetSpec = kv.field(default_factory=WidgetSpec)
    status: WidgetStatus = kv.field(default_factory=WidgetStatus)


class Reconciler:
    """Copies the spec into the status, deletes what is doomed, and keeps the version at which each object was fine."""

    def __init__(self) -> None:
        self.settled: dict[ObjectKey, int] = {}
        self.changed = asyncio.Event()

    async def reconcile(self, ctx: Context, request: Request) -> None:
        """Bring one object to what it should be."""
        try:
            await self._reconcile(ctx, request)
        finally:
            self.changed.set()

    async def _reconcile(self, ctx: Context, request: Request) -> None:
        self.settled.pop(request.key, None)
        try:
            widget = await ctx.client.get(Widget, request)
        except NotFound:
            return
        if widget.spec.doomed:
            with suppress(NotFound):
                await ctx.client.delete(widget)
        elif widget.status.value != widget.spec.value:
            widget.status.value = widget.spec.value
            with suppress(Conflict, NotFound):  # someone was faster, and the watch will tell
                await ctx.client.status.update(widget)
        else:
            self.settled[request.key] = int(widget.metadata.resource_version or 0)


class Writer:
    """Creates, updates and deletes at random, straight on the server, about as many as there were."""

    def __init__(self, client: Client, namespaces: list[str]) -> None:
        self._client = client
        self._namespaces = namespaces
        self._random = Random(SEED)
        self._names: list[ObjectKey] = []
        self._made = 0

    async def fill(self) -> None:
        """Create all objects."""
        async with asyncio.TaskGroup() as group:
            for _ in range(WRITERS):
                group.create_task(self._fill(OBJECTS // WRITERS))

    async def _fill(self, count: int) -> None:
        for _ in range(count):
            await self._create()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """Write as long as the block runs; a write that is under way at its end is waited for."""
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for _ in range(WRITERS):
                group.create_task(self._write(stop))
            yield
            stop.set()

    async def _write(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            chance = self._random.random()
            if chance < 0.2 or len(self._names) < OBJECTS:
                await self._create()
            else:
                key = self._names[self._random.randrange(len(self._names))]
                await self._change(key, chance)

    async def _create(self) -> None:
        self._made += 1
        key = ObjectKey(self._namespaces[self._made % len(self._namespaces)], f"w{self._made}")
        widget = Widget(metadata=kv.ObjectMeta(name=key.name, namespace=key.namespace), spec=WidgetSpec(value=0))
        await self._client.create(widget)
        self._names.append(key)

    async def _change(self, key: ObjectKey, chance: float) -> None:
        with suppress(NotFound):  # the reconciler, or another writer, has deleted it
            if chance < 0.3:
                self._forget(key)
                await self._client.delete(Widget, key)
            elif chance < 0.4:
                self._forget(key)
                await self._patch(key, {"doomed": True})
            else:
                await self._patch(key, {"value": self._random.randrange(1_000_000)})

    def _forget(self, key: ObjectKey) -> None:
        with suppress(ValueError):
            self._names.remove(key)

    async def _patch(self, key: ObjectKey, spec: dict[str, Any]) -> None:
        named = Widget(metadata=kv.ObjectMeta(name=key.name, namespace=key.namespace))
        await self._client.patch(named, kv.RawPatch(request.MERGE_PATCH, json.dumps({"spec": spec}).encode()))


class World:
    """The parts of the test, and the quiet point at which they are compared."""

    def __init__(self, manager: Manager, made: Controller, reconciler: Reconciler, namespaces: list[str]) -> None:
        self.manager = manager
        self.controller = made
        self.reconciler = reconciler
        self.namespaces = namespaces

    async def quiet_point(self, transport: HttpTransport) -> None:
        """Wait until everything is reconciled at the version the server has, and compare."""
        settled = self.reconciler.settled
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    self.reconciler.changed.clear()  # before the list: what settles meanwhile is worth another look
                    server = await self._on_server(transport)
                    if _same(settled, server):
                        break
                    await self.reconciler.changed.wait()
        except TimeoutError:
            raise AssertionError(await self._difference(transport)) from None
        self._compare(server)

    async def _on_server(self, transport: HttpTransport) -> dict[ObjectKey, dict[str, Any]]:
        found = {}
        for namespace in self.namespaces:
            call = request.list_(Widget.__resource__, namespace, request.ListOptions())
            for item in json.loads((await transport.call(call)).body)["items"]:
                item["metadata"].pop("managedFields", None)
                found[ObjectKey(namespace, item["metadata"]["name"])] = item
        return found

    async def _difference(self, transport: HttpTransport) -> str:
        server = await self._on_server(transport)
        settled = self.reconciler.settled
        differing = [key for key in {**server, **settled} if settled.get(key) != _version(server.get(key))]
        lines = [f"{key}: settled {settled.get(key)}, server {_version(server.get(key))}" for key in differing[:20]]
        return "\n".join([f"{len(differing)} are not settled, {self.controller.queue!r}", *lines, self.manager.dump()])

    def _compare(self, server: dict[ObjectKey, dict[str, Any]]) -> None:
        (informer,) = self.manager.cache.informers
        held = {key: _canonical(json.loads(entry.data)) for feed in informer.feeds for key, entry in feed.store.items()}
        assert held == {key: _canonical(item) for key, item in server.items()}
        assert [item for feed in informer.feeds for item in feed.overlay.items()] == []
        assert dict(informer.items()).keys() == held.keys()
        assert informer.handler_errors == 0


def _version(item: dict[str, Any] | None) -> int | None:
    return None if item is None else int(item["metadata"]["resourceVersion"])


def _same(settled: dict[ObjectKey, int], server: dict[ObjectKey, dict[str, Any]]) -> bool:
    return settled == {key: _version(item) for key, item in server.items()}


def _canonical(item: dict[str, Any]) -> str:
    return json.dumps(item, sort_keys=True)


@asynccontextmanager
async def running(proxy: FaultProxy, namespaces: list[str]) -> AsyncIterator[World]:
    """Run a manager with one controller through the proxy."""
    options = CacheOptions(namespaces=tuple(namespaces), limits=LIMITS)
    manager = Manager(proxy.config, metrics_address=None, cache=options, random=Random(SEED))
    reconciler = Reconciler()
    builder = new_controller(manager).for_(Widget)
    builder.with_options(max_concurrent_reconciles=16, rate_limiter=Exponential(maximum=1.0), hot_loop_runs=0)
    made = builder.complete(reconciler)
    task = asyncio.create_task(manager.start())
    try:
        yield World(manager, made, reconciler, namespaces)
    finally:
        manager.stop()
        await task


async def test_faults(cluster: Cluster, share: float) -> None:
    """After each of many quiet points the cache equals the server and every object is reconciled at its version."""
    cluster.kubectl("apply", "-f", "-", input=json.dumps(CRD))
    cluster.kubectl("wait", "--for=condition=Established", f"crd/widgets.{GROUP}", "--timeout=60s")
    namespaces = [cluster.create_namespace() for _ in range(NAMESPACES)]
    rounds = max(1, round(ROUNDS * share))
    direct = HttpTransport(kv.Config.load(cluster.kubeconfig))
    try:
        async with FaultProxy(cluster, seed=SEED, chance=0.7, delay=0.2) as proxy:
            writer = Writer(Client(direct), namespaces)
            await writer.fill()
            async with running(proxy, namespaces) as world:
                for _ in range(rounds):
                    proxy.inject(*ON_STREAMS, times=EACH, calls=STREAMS)
                    proxy.inject(*ON_CALLS, times=EACH, calls=CALLS)
                    async with writer.writing(), asyncio.timeout(PATIENCE):
                        await proxy.spent()
                    await world.quiet_point(direct)
            met = proxy.met
        assert set(met) == set(Fault)
        assert min(met.values()) >= EACH * rounds
        assert met.total() == (len(ON_STREAMS) + len(ON_CALLS)) * EACH * rounds
    finally:
        await direct.close()
        cluster.kubectl("delete", f"crd/widgets.{GROUP}", "--wait=false")
