"""The gate: what a test may do while a reconcile is between its look and its write."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

import konverge as kv
from konverge.errors import Conflict
from konverge.models.core_v1 import ConfigMap
from konverge.testing import Cluster, Gate, Runs, eventually, running, wait_idle


class Echo:
    """Writes into each ConfigMap what is asked for in it, by an update of the version that it read."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> None:
        """Copy `wanted` to `done`."""
        found = await kv.ignore_not_found(ctx.client.get(ConfigMap, request))
        if found is not None and (data := found.data or {}).get("done") != data.get("wanted"):
            found.data = {**data, "done": data["wanted"]}
            await ctx.client.update(found)


def echo(cluster: Cluster, namespace: str, gate: Gate | None = None) -> Runs:
    """Return what a manager with that controller will have done."""
    manager = cluster.manager(cache=kv.CacheOptions(namespaces=(namespace,)), gate=gate)
    kv.new_controller(manager).for_(ConfigMap).with_options(max_concurrent_reconciles=2).complete(Echo())
    return Runs(manager)


@pytest.fixture
async def client(cluster: Cluster, namespace: str) -> AsyncIterator[kv.Client]:
    """A client of the test's namespace."""
    async with cluster.client(namespace=namespace) as client:
        yield client


def wish(text: str, *, name: str = "wish") -> ConfigMap:
    """Return a ConfigMap that asks for something."""
    return ConfigMap(metadata=kv.ObjectMeta(name=name), data={"wanted": text})


async def test_who_writes_meanwhile_makes_a_conflict_for_certain(
    cluster: Cluster, namespace: str, client: kv.Client
) -> None:
    """The request waits with the version that was read; what is done in the block is done before it."""
    gate = Gate()
    runs = echo(cluster, namespace, gate)
    async with running(runs.manager):
        with gate.hold("update", "configmaps", name="wish") as held:
            made = await client.create(wish("a"))
            [operation] = await held.reached()
            assert (operation.verb, operation.name) == ("update", "wish")
            made.data = {"wanted": "b"}
            await client.update(made)
        await wait_idle(runs.manager)
    assert {type(error) for error in runs.failures} == {Conflict}  # again, while its cache is behind
    assert [str(write) for write in runs.writes] == [f"update configmaps {namespace}/wish"]
    assert (await client.get(ConfigMap, "wish")).data == {"wanted": "b", "done": "b"}


@pytest.mark.virtual_time
async def test_two_managers_meet_at_one_gate(cluster: Cluster, namespace: str, client: kv.Client) -> None:
    """Both have looked; let go one after the other, the second one loses."""
    gate = Gate()
    first, second = echo(cluster, namespace, gate), echo(cluster, namespace, gate)
    async with running(first.manager), running(second.manager):
        with gate.hold("update") as held:
            await client.create(wish("a"))
            assert len(await held.reached(2)) == 2
            held.let_go()
            await eventually(lambda: _is_done(client))
            assert len(held.waiting) == 1
        for runs in (first, second):
            await wait_idle(runs.manager)
    assert len(first.writes) + len(second.writes) == 1
    assert len(first.failures) + len(second.failures) == 1


async def _is_done(client: kv.Client) -> bool:
    return (await client.get(ConfigMap, "wish")).data == {"wanted": "a", "done": "a"}


@pytest.mark.virtual_time
async def test_what_it_is_not_told_to_hold_passes(cluster: Cluster, namespace: str, client: kv.Client) -> None:
    """Another name, another verb, and reads, unless their verb is given."""
    gate = Gate()
    runs = echo(cluster, namespace, gate)
    async with running(runs.manager):
        with gate.hold(name="wish") as held, gate.hold("delete"):
            await client.create(wish("a"))
            await client.create(wish("a", name="other"))
            await held.reached()
            await eventually(lambda: _has_written(runs))
            await runs.manager.live.get(ConfigMap, "wish", namespace=namespace)
            with gate.hold("get") as reads:
                task = asyncio.create_task(runs.manager.live.get(ConfigMap, "other", namespace=namespace))
                await reads.reached()
                assert not task.done()
            assert (await task).data == {"wanted": "a", "done": "a"}
    assert {write.key.name for write in runs.writes} == {"wish", "other"}


async def _has_written(runs: Runs) -> bool:
    return bool(runs.writes)


@pytest.mark.virtual_time
async def test_it_tells_what_waits(cluster: Cluster, namespace: str, client: kv.Client) -> None:
    """And what does not; a request that is given up waits no more."""
    gate = Gate()
    assert repr(gate) == "<Gate: open>"
    runs = echo(cluster, namespace, gate)
    with gate.hold("update", "configmaps") as held:
        assert repr(gate) == "<Gate: <Hold update configmaps *: 0 waiting>>"
        with pytest.raises(AssertionError, match=r"0 of 1 requests are here after 2 s: <Hold update"):
            await held.reached(within=2)
        with pytest.raises(AssertionError, match="nothing waits"):
            held.let_go()
        async with running(runs.manager):
            made = await client.create(wish("a"))
            task = asyncio.create_task(runs.manager.live.update(made))
            await held.reached(2)
            task.cancel()
            await asyncio.wait([task])
            assert len(held.waiting) == 1
            held.release()
            assert not held.waiting
            await wait_idle(runs.manager)
    assert len(runs.writes) == 1
