"""Waiting in tests: for something to be so, and with a manager at work."""

from __future__ import annotations

import asyncio

import pytest

import konverge as kv
from konverge.errors import NotFound
from konverge.manager import Function
from konverge.models.core_v1 import ConfigMap
from konverge.testing import Cluster, eventually, running


@pytest.mark.virtual_time
async def test_it_looks_until_it_is_so() -> None:
    """Errors of absence and failed assertions are not the end, and what is true in the end is returned."""
    looks = 0

    async def check() -> str:
        nonlocal looks
        looks += 1
        if looks == 1:
            raise NotFound("x")
        assert looks > 2
        return "here" if looks == 4 else ""

    assert await eventually(check) == "here"
    assert looks == 4


@pytest.mark.virtual_time
async def test_it_does_not_look_for_ever() -> None:
    """The last reason is told; other errors are not waited for."""

    async def fails() -> None:
        assert 1 + 1 == 3, "sums are wrong"

    async def breaks() -> None:
        raise KeyError("x")

    with pytest.raises(AssertionError, match="not so within 5 s: sums are wrong"):
        await eventually(fails, within=5)
    assert 5 <= asyncio.get_running_loop().time() < 5.1
    with pytest.raises(KeyError):
        await eventually(breaks)


async def test_a_manager_runs_in_its_block(cluster: Cluster, namespace: str) -> None:
    """It works inside, and has stopped after it."""
    manager = cluster.manager(cache=kv.CacheOptions(namespaces=(namespace,)))
    seen: list[str] = []

    async def reconcile(_ctx: kv.Context, request: kv.Request) -> None:
        seen.append(request.name)

    async def was_seen() -> bool:
        return seen == ["x"]

    kv.new_controller(manager).for_(ConfigMap).complete(reconcile)
    async with running(manager), cluster.client(namespace=namespace) as client:
        await client.create(ConfigMap(metadata=kv.ObjectMeta(name="x")))
        await eventually(was_seen)
    assert not manager.cache.running


@pytest.mark.virtual_time
async def test_a_manager_that_fails_ends_its_block(cluster: Cluster) -> None:
    """With its own error."""
    manager = cluster.manager()

    async def broken() -> None:
        raise ValueError("broken")

    manager.add(Function(broken))
    with pytest.raises(ValueError, match="broken"):
        async with running(manager):
            await asyncio.sleep(10)
