from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from konverge import ObjectMeta
from konverge.controller.writes import Writes, noting
from konverge.models import core_v1

if TYPE_CHECKING:
    from tests.controller.conftest import World


def config_map(name: str) -> core_v1.ConfigMap:
    """A ConfigMap of the author's making."""
    return core_v1.ConfigMap(metadata=ObjectMeta(name=name, namespace="shop"))


async def test_writes_are_noted_in_order_and_reads_are_not(world: World) -> None:
    """Each with its verb and object; what was refused or dry is left out."""
    writes = Writes()
    with noting(writes):
        made = await world.client.create(config_map("a"))
        await world.client.get(core_v1.ConfigMap, "a", namespace="shop")
        await world.client.create(config_map("b"), dry_run=True)
        await world.client.delete(made, dry_run=True)
        await world.client.create(config_map("c"))
        await world.client.delete(config_map("c"))
    await world.client.create(config_map("d"))
    assert [str(write) for write in writes.made] == [
        "create configmaps shop/a",
        "create configmaps shop/c",
        "delete configmaps shop/c",
    ]


async def test_each_run_has_its_own_notes(world: World) -> None:
    """Two that run at once do not see each other's; child tasks belong to their run."""

    async def run(name: str) -> list[str]:
        writes = Writes()
        with noting(writes):
            await world.client.create(config_map(name))
            await asyncio.create_task(world.client.create(config_map(f"{name}-child")))
        return [str(write) for write in writes.made]

    one, two = await asyncio.gather(run("one"), run("two"))
    assert one == ["create configmaps shop/one", "create configmaps shop/one-child"]
    assert two == ["create configmaps shop/two", "create configmaps shop/two-child"]


async def test_only_the_first_answers_are_kept(world: World) -> None:
    """A run that writes thousands of objects is noted without holding them all."""
    writes = Writes()
    with noting(writes):
        for number in range(20):
            await world.client.create(config_map(f"n{number}"))
    assert len(writes.made) == 20
    assert len([write for write in writes.made if write.body]) == 16
