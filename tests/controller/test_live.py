"""Controllers on a server: cache, queue, controller and client together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from konverge import ObjectMeta, PartialObjectMetadata, metadata_only
from konverge.builder import Builder, new_controller
from konverge.cache.cache import Cache
from konverge.cache.cached_client import CachedClient
from konverge.client.client import Client
from konverge.client.retry import RetryingTransport, RetryPolicy
from konverge.controller import (
    BlockingContext,
    Broadcaster,
    Context,
    Controller,
    Functions,
    LabelChanged,
    LabelSelectorMatches,
    NotingTransport,
    Recorder,
    Request,
    Result,
    TerminalError,
    ensure_finalizer,
    has_finalizer,
    release_finalizer,
    sync_children,
)
from konverge.controller.reconcile import ReconcilerLike
from konverge.errors import NotFound
from konverge.metrics import Metrics
from konverge.models import core_v1, events_v1
from konverge.testing import Cluster
from konverge.webhook.webhook_builder import WebhookHost

PARENT = LabelSelectorMatches("role=parent")
FINALIZER = "test.konverge.dev/clean-up"


class Program:
    """The parts of a manager that controllers need."""

    def __init__(self, cluster: Cluster, namespace: str) -> None:
        transport = RetryingTransport(cluster.transport(), RetryPolicy())
        self._transport = NotingTransport(transport)
        self.cache = Cache(self._transport, namespaces=(namespace,), random=Random(1))
        self.client = CachedClient(self.cache)
        self.live: Client = self.client.live
        self.metrics = Metrics()
        self.random = Random(2)
        self.controllers: dict[str, Controller] = {}
        self._broadcaster = Broadcaster(self.live, instance="test", random=Random(3))
        self._runnables: list[Any] = [self.cache, self._broadcaster]

    def recorder(self, name: str) -> Recorder:
        """Return what a controller records with."""
        return self._broadcaster.recorder(name)

    def observed(self, controller: str, reconciler: ReconcilerLike) -> ReconcilerLike:
        """Return it as it is."""
        del controller
        return reconciler

    @property
    def webhooks(self) -> WebhookHost:
        """There are none here."""
        raise AssertionError("no controller of these tests has a webhook")

    def add(self, runnable: Any) -> None:
        """Run it with the others."""
        self._runnables.append(runnable)

    def controller(self) -> Builder:
        """Begin a controller."""
        return new_controller(self)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run everything; controllers end in order, the rest is cancelled."""
        tasks = [asyncio.create_task(runnable.run()) for runnable in self._runnables]
        try:
            yield
        finally:
            for made in self.controllers.values():
                made.stop()
            await asyncio.wait(tasks[2:])
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await self._transport.close()
        for task in tasks[2:]:
            task.result()


@pytest.fixture
def program(cluster: Cluster, namespace: str) -> Program:
    """A program of the test's own, that sees the test's namespace alone."""
    return Program(cluster, namespace)


async def eventually(check: Callable[[], Awaitable[bool]]) -> None:
    """Look again and again until it is so."""
    async with asyncio.timeout(30):
        while not await check():  # noqa: ASYNC110 - the server has no event to wait for
            await asyncio.sleep(0.02)


def parent(namespace: str, name: str = "web", **data: str) -> core_v1.ConfigMap:
    """A ConfigMap that asks for a Secret."""
    meta = ObjectMeta(name=name, namespace=namespace, labels={"role": "parent"})
    return core_v1.ConfigMap(metadata=meta, data=data)


@dataclass
class Keeper:
    """Keeps a Secret per key of a parent's data, and cleans up after it."""

    cleaned: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)

    async def reconcile(self, ctx: Context, request: Request) -> Result | None:
        """Bring the Secrets to what the parent asks for."""
        self.runs.append(str(ctx.causes))
        try:
            owner = await ctx.client.get(core_v1.ConfigMap, request)
        except NotFound:
            return None
        if owner.metadata.deletion_timestamp:
            if has_finalizer(owner, FINALIZER):
                self.cleaned.append(request.name)
                await release_finalizer(ctx.client, owner, FINALIZER)
            return None
        await ensure_finalizer(ctx.client, owner, FINALIZER)
        wanted = [
            core_v1.Secret(metadata=ObjectMeta(name=f"{request.name}-{key}"), string_data={"value": value})
            for key, value in (owner.data or {}).items()
        ]
        done = await sync_children(ctx.client, owner, wanted, kinds=[core_v1.Secret])
        if done.created:
            ctx.recorder.normal(owner, "Created", f"made {len(done.created)} secrets")
        return None


async def test_a_set_of_children_follows_its_parent(program: Program, namespace: str) -> None:
    """Created, restored when deleted by hand, changed, and cleaned up in the end; the user sees an event."""
    keeper = Keeper()
    program.controller().for_(core_v1.ConfigMap, predicates=PARENT).owns(core_v1.Secret).complete(keeper)
    live = program.live.in_namespace(namespace)

    async def secrets() -> list[str]:
        return [secret.metadata.name or "" for secret in await live.list(core_v1.Secret)]

    async with program.running():
        made = await live.create(parent(namespace, a="1", b="2"))
        await eventually(lambda: _is(secrets(), ["web-a", "web-b"]))
        await live.delete(core_v1.Secret, "web-a")
        await eventually(lambda: _is(secrets(), ["web-a", "web-b"]))
        made = await live.get(core_v1.ConfigMap, "web")
        made.data = {"b": "2", "c": "3"}
        await live.update(made)
        await eventually(lambda: _is(secrets(), ["web-b", "web-c"]))
        await eventually(lambda: _has(live.list(events_v1.Event), "made 2 secrets"))
        await live.delete(made)
        await eventually(lambda: _is(live.list(core_v1.ConfigMap, labels="role=parent"), []))
    assert keeper.cleaned == ["web"]
    assert any("delete Secret" in cause for cause in keeper.runs)
    assert any("update ConfigMap" in cause for cause in keeper.runs)


async def _is(found: Awaitable[Any], expected: list[Any]) -> bool:
    return list(await found) == expected


async def _counts(found: Awaitable[Any], expected: int) -> bool:
    return len(list(await found)) == expected


async def _has(events: Awaitable[Any], note: str) -> bool:
    return any(event.note == note for event in await events)


async def test_it_comes_to_rest(program: Program, namespace: str) -> None:
    """A reconciler that writes only what differs is not woken by its own writes for ever."""
    keeper = Keeper()
    program.controller().for_(core_v1.ConfigMap, predicates=PARENT).owns(core_v1.Secret).complete(keeper)
    async with program.running():
        await program.live.create(parent(namespace, a="1"))
        await eventually(lambda: _still(keeper))
    assert len(keeper.runs) < 10


async def _still(keeper: Keeper) -> bool:
    """Whether nothing has run for a while, after something had."""
    runs = len(keeper.runs)
    await asyncio.sleep(0.5)
    return 0 < runs == len(keeper.runs)


async def test_outcomes_of_many_sorts(program: Program, namespace: str) -> None:
    """Errors come back, terminal ones do not, bugs are counted, requeues return."""
    script: dict[str, list[Any]] = {
        "failing": [NotFound("x"), NotFound("x"), None],
        "terminal": [TerminalError("x")],
        "buggy": [KeyError("x"), None],
        "periodic": [Result(requeue_after=0.05), Result(requeue_after=0.05), None],
    }
    runs: list[str] = []

    async def reconcile(_ctx: Context, request: Request) -> Result | None:
        runs.append(request.name)
        outcome = script[request.name].pop(0) if script.get(request.name) else None
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    builder = program.controller().named("outcomes").for_(core_v1.ConfigMap, predicates=PARENT)
    builder.with_options(max_concurrent_reconciles=4).complete(reconcile)
    async with program.running():
        for name in script:
            await program.live.create(parent(namespace, name))
        await eventually(lambda: _done(script))
    assert {name: runs.count(name) for name in script} == {"failing": 3, "terminal": 1, "buggy": 2, "periodic": 3}
    text = program.metrics.scrape().decode()
    assert 'controller_runtime_reconcile_panics_total{controller="outcomes"} 1.0' in text
    assert 'controller_runtime_terminal_reconcile_errors_total{controller="outcomes"} 1.0' in text
    assert 'controller_runtime_reconcile_errors_total{controller="outcomes"} 4.0' in text
    assert 'controller_runtime_reconcile_total{controller="outcomes",result="requeue_after"} 2.0' in text


async def _done(script: dict[str, list[Any]]) -> bool:
    return not any(script.values())


async def test_a_plain_def(program: Program, namespace: str) -> None:
    """It reads from the same cache and reads its own writes."""
    seen: list[str] = []

    def reconcile(ctx: BlockingContext, request: Request) -> None:
        owner = ctx.client.get(core_v1.ConfigMap, request)
        if not (owner.metadata.annotations or {}).get("seen"):
            owner.metadata.annotations = {"seen": "yes"}
            ctx.client.update(owner)
        again = ctx.client.get(core_v1.ConfigMap, request)
        seen.append((again.metadata.annotations or {})["seen"])

    builder = program.controller().for_(core_v1.ConfigMap, predicates=PARENT)
    builder.with_options(max_concurrent_reconciles=2, reconcile_timeout=20).complete(reconcile)
    async with program.running():
        await program.live.create(parent(namespace))
        await eventually(lambda: _done({"": [] if seen else ["waiting"]}))
    assert set(seen) == {"yes"}


async def test_an_object_that_keeps_itself_busy(program: Program, namespace: str, lines: list[dict[str, Any]]) -> None:
    """The field and the manager come from the server's own record."""

    async def reconcile(ctx: Context, request: Request) -> None:
        owner = await ctx.client.get(core_v1.ConfigMap, request)
        owner.data = {"runs": str(int((owner.data or {}).get("runs", "0")) + 1)}
        await ctx.client.update(owner)

    def loops() -> list[dict[str, Any]]:
        return [line for line in lines if "again and again" in line["msg"]]

    program.controller().named("busy").for_(core_v1.ConfigMap, predicates=PARENT).complete(reconcile)
    async with program.running():
        await program.live.create(parent(namespace))
        await eventually(lambda: _done({"": [] if loops() else ["waiting"]}))
    assert loops()[0]["fields"] == [f"ConfigMap {namespace}/web .data.runs, set by busy"]


async def test_metadata_alone_and_an_async_map(program: Program, namespace: str) -> None:
    """A Secret's metadata wakes every parent that a cached list finds; its data is never held."""
    woken: list[str] = []

    async def parents(secret: PartialObjectMetadata) -> list[ObjectMeta]:
        found = await program.client.list(core_v1.ConfigMap, namespace=secret.metadata.namespace, labels="role=parent")
        return [each.metadata for each in found]

    async def reconcile(ctx: Context, request: Request) -> None:
        if any(cause.kind == "Secret" for cause in ctx.causes.first):
            woken.append(request.name)

    builder = program.controller().for_(core_v1.ConfigMap, predicates=PARENT)
    builder.watches_metadata(core_v1.Secret, parents).complete(reconcile)
    async with program.running():
        for name in ("one", "two"):
            await program.live.create(parent(namespace, name))
        await eventually(lambda: _counts(program.client.list(core_v1.ConfigMap, labels="role=parent"), 2))
        await program.live.create(
            core_v1.Secret(metadata=ObjectMeta(name="s", namespace=namespace), string_data={"a": "hush"})
        )
        await eventually(lambda: _done({"": [] if {"one", "two"} <= set(woken) else ["waiting"]}))
    informer = await program.cache.informer(metadata_only(core_v1.Secret))
    assert [b"hush" in entry.data or b'"data"' in entry.data for _, entry in informer.items()] == [False]


async def test_predicates_of_another_controller_see_each_write_once(program: Program, namespace: str) -> None:
    """One controller writes and reads its own write at once; the other's predicate still sees old and new differ."""
    seen: list[str] = []
    woken: list[str] = []

    async def stamp(ctx: Context, request: Request) -> None:
        found = await ctx.client.get(core_v1.ConfigMap, request)
        if (found.metadata.labels or {}).get("stamp"):
            return
        found.metadata.labels = {**(found.metadata.labels or {}), "stamp": "done"}
        await ctx.client.update(found)
        again = await ctx.client.get(core_v1.ConfigMap, request)
        seen.append((again.metadata.labels or {}).get("stamp", "missing"))

    async def follow(ctx: Context, _request: Request) -> None:
        woken.extend(cause.event for cause in ctx.causes.first)

    program.controller().for_(core_v1.ConfigMap, predicates=PARENT).named("stamp").complete(stamp)
    changes = LabelChanged() & Functions(create=lambda _event: False)
    program.controller().for_(core_v1.ConfigMap, predicates=PARENT & changes).named("follow").complete(follow)
    async with program.running():
        await program.live.create(parent(namespace))
        await eventually(lambda: _done({"": [] if woken else ["waiting"]}))
    assert seen == ["done"]
    assert woken == ["update"]
