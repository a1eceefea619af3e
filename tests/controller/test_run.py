"""What a controller tells of its reconciles to who looks on."""

from __future__ import annotations

import pytest

import konverge as kv
from konverge.controller.run import Run
from konverge.models.core_v1 import ConfigMap
from konverge.queue import Cause, Causes
from konverge.testing import Cluster, advance, running

REQUEST = kv.Request("shop", "card")


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (kv.Result(), "succeeded in 0.250 s; wrote nothing; because of update ConfigMap shop/card"),
        (kv.Result(requeue_after=30), "asked to run again after 30 s in 0.250 s"),
        (kv.Result(requeue=True), "asked to run again in 0.250 s"),
        (ValueError("x"), "failed with ValueError: x in 0.250 s"),
    ],
)
def test_a_run_says_what_came_of_it(outcome: kv.Result | BaseException, said: str) -> None:
    """In one line."""
    causes = Causes((Cause("update", "ConfigMap", "shop", "card"),), 1)
    assert str(Run(REQUEST, outcome, took=0.25, writes=(), causes=causes)).startswith(said)


@pytest.mark.virtual_time
async def test_each_run_is_told_of_when_it_has_ended(cluster: Cluster, namespace: str) -> None:
    """With what it wrote."""
    manager = cluster.manager(cache=kv.CacheOptions(namespaces=(namespace,)))  # the server has ConfigMaps of its own
    seen: list[Run] = []

    async def reconcile(ctx: kv.Context, request: kv.Request) -> None:
        if request.name == "card":
            await ctx.client.apply(ConfigMap(metadata=kv.ObjectMeta(name="made", namespace=namespace)))

    controller = kv.new_controller(manager).for_(ConfigMap).complete(reconcile)
    controller.watch_runs(seen.append)
    async with running(manager), cluster.client(namespace=namespace) as client:
        await client.create(ConfigMap(metadata=kv.ObjectMeta(name="card")))
        await advance(1)
    assert [run.request.name for run in seen] == ["card", "made"]
    assert [str(write) for write in seen[0].writes] == [f"patch configmaps {namespace}/made"]
