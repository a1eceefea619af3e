"""Waiting until a manager has nothing left to do."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import konverge as kv
from konverge.errors import RequestError
from konverge.models.core_v1 import ConfigMap
from konverge.testing import Cluster, Runs, running, wait_idle


def runs_of(cluster: Cluster, namespace: str, reconcile: Any) -> Runs:
    """Return what a manager with one controller will have done."""
    manager = cluster.manager(cache=kv.CacheOptions(namespaces=(namespace,)))
    kv.new_controller(manager).for_(ConfigMap).complete(reconcile)
    return Runs(manager)


def card(name: str = "card") -> ConfigMap:
    """Return a ConfigMap."""
    return ConfigMap(metadata=kv.ObjectMeta(name=name))


async def test_it_has_seen_and_done_all_there_is(cluster: Cluster, namespace: str) -> None:
    """What was there when it started, and what was written last, before the wait."""

    async def reconcile(_ctx: kv.Context, _request: kv.Request) -> None:
        await asyncio.sleep(0.01)

    runs = runs_of(cluster, namespace, reconcile)
    async with cluster.client(namespace=namespace) as client:
        await client.create(card("early"))
        async with running(runs.manager):
            await wait_idle(runs.manager)
            seen = [run.request.name for run in runs]
            assert seen == ["early", "kube-root-ca.crt"][: len(seen)]
            await client.create(card("late"))
            await wait_idle(runs.manager)
            assert [run.request.name for run in runs[len(seen) :]] == ["late"]
            await client.delete(ConfigMap, "late")
            await wait_idle(runs.manager)
            assert [run.request.name for run in runs[len(seen) :]] == ["late", "late"]


@pytest.mark.virtual_time
async def test_what_is_tried_again_is_waited_for(cluster: Cluster, namespace: str) -> None:
    """A failure is not the end, and a requeue for later is not a beginning."""
    failures = 3

    async def reconcile(_ctx: kv.Context, _request: kv.Request) -> kv.Result:
        nonlocal failures
        if failures:
            failures -= 1
            raise ValueError("not yet")
        return kv.Result(requeue_after=3600)

    runs = runs_of(cluster, namespace, reconcile)
    async with cluster.client(namespace=namespace) as client, running(runs.manager):
        await client.create(card())
        await wait_idle(runs.manager)
        assert len(runs.failures) == 3
        assert len(runs) == 4


@pytest.mark.virtual_time
async def test_the_message_says_what_is_left(cluster: Cluster, namespace: str) -> None:
    """A reconcile that never ends, one that always fails, and a manager that nobody runs."""
    outcome = asyncio.Event()

    async def reconcile(_ctx: kv.Context, _request: kv.Request) -> None:
        await outcome.wait()
        raise ValueError("no luck")

    runs = runs_of(cluster, namespace, reconcile)
    with pytest.raises(RequestError, match=r"not inside `konverge\.testing\.running`"):
        await wait_idle(runs.manager)
    async with cluster.client(namespace=namespace) as client, running(runs.manager):
        await client.create(card())
        with pytest.raises(AssertionError, match=r"not idle after 5 s: <Queue 'configmap': 0 ready.*1 in flight>"):
            await wait_idle(runs.manager, within=5)
        outcome.set()
        with pytest.raises(AssertionError, match=f"{namespace}/card is to be tried again.*no luck"):
            await wait_idle(runs.manager, within=5)


# In real time: virtual time stands still while anyone has something to do, and here someone always has.
async def test_one_that_works_for_ever_is_never_idle(cluster: Cluster, namespace: str) -> None:
    """A controller that wakes itself by each of its writes."""

    async def reconcile(ctx: kv.Context, request: kv.Request) -> None:
        found = await ctx.client.get(ConfigMap, request)
        found.data = {"count": str(int((found.data or {}).get("count", 0)) + 1)}
        await ctx.client.update(found)

    runs = runs_of(cluster, namespace, reconcile)
    async with cluster.client(namespace=namespace) as client, running(runs.manager):
        await client.create(card())
        with pytest.raises(AssertionError, match=r"not idle after 0\.2 s"):
            await wait_idle(runs.manager, within=0.2)
