"""The reconciles of a manager, for a test that counts them."""

from __future__ import annotations

import pytest

import konverge as kv
from konverge.models.core_v1 import ConfigMap
from konverge.testing import Cluster, Runs, running, wait_idle


@pytest.mark.virtual_time
async def test_it_grows_while_the_manager_runs(cluster: Cluster, namespace: str) -> None:
    """With what each of them wrote, and what they raised."""

    async def reconcile(ctx: kv.Context, request: kv.Request) -> None:
        found = await ctx.client.get(ConfigMap, request)
        if not found.data:
            found.data = {"seen": "yes"}
            await ctx.client.update(found)
            raise kv.TerminalError("and no more")

    manager = cluster.manager(cache=kv.CacheOptions(namespaces=(namespace,)))
    kv.new_controller(manager).for_(ConfigMap).complete(reconcile)
    runs = Runs(manager)
    assert not runs
    async with cluster.client(namespace=namespace) as client, running(manager):
        await client.create(ConfigMap(metadata=kv.ObjectMeta(name="card")))
        await wait_idle(manager)
    assert [run.request.name for run in runs] == ["card", "card"]
    assert runs[0] is runs[:1][0]
    assert [str(write) for write in runs.writes] == [f"update configmaps {namespace}/card"]
    assert [str(error) for error in runs.failures] == ["and no more"]
    assert repr(runs).startswith("Runs(failed with TerminalError: and no more in ")
