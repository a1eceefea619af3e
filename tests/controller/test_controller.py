"""A controller at work, as transcripts under virtual time: what runs, in which order, and how it ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from konverge import ObjectMeta
from konverge.controller import (
    Context,
    KindSource,
    Request,
)
from konverge.models import core_v1

if TYPE_CHECKING:
    from tests.controller.conftest import World

A = Request("shop", "a")


def test_every_object_is_reconciled_once_the_cache_is_in_sync(world: World) -> None:
    """Workers wait for the sync; the initial list, a change and a deletion each lead to a run, with their cause."""
    script = world.Script([])

    async def main() -> None:
        made = world.controller(script)
        made.watch(KindSource(world.informers, world.Widget))
        async with world.running(made):
            await asyncio.sleep(1)
            await world.informers.synced(world.Widget, world.widget("a"), world.widget("b"))
            await asyncio.sleep(1)
            world.informers.changed(world.widget("a", resourceVersion="2"))
            await asyncio.sleep(1)
            world.informers.deleted(world.widget("b", resourceVersion="3"))
            await asyncio.sleep(1)

    world.play(main())
    assert script.notes == [
        "1 shop/a (initial Widget shop/a)",
        "1 shop/b (initial Widget shop/b)",
        "2 shop/a (update Widget shop/a)",
        "3 shop/b (delete Widget shop/b)",
    ]
    assert world.counts.heard == ["success 0"] * 4


def test_no_object_has_two_workers(world: World) -> None:
    """With many workers, different objects are reconciled at the same time and one object never is."""
    busy: list[str] = []
    most = 0

    async def reconcile(_ctx: Context, request: Request) -> None:
        nonlocal most
        assert request.name not in busy
        busy.append(request.name)
        most = max(most, len(busy))
        await asyncio.sleep(1)
        busy.remove(request.name)

    async def main() -> None:
        names = [world.widget(name) for name in "abcdef"]
        made = await world.watching(reconcile, *names, max_concurrent_reconciles=4)
        async with world.running(made):
            for version in range(2, 30):
                world.informers.changed(world.widget("a", resourceVersion=str(version)))
                await asyncio.sleep(0.3)

    world.play(main())
    assert most == 4
    assert not any("error" in line for line in world.counts.heard)


def test_a_worker_that_never_waits_gives_way_all_the_same(world: World) -> None:
    """However many objects there are, everything else gets its turns, even where the clock stands still."""
    runs = 0
    between: list[int] = []

    async def reconcile(_ctx: Context, _request: Request) -> None:
        nonlocal runs
        runs += 1

    async def main() -> None:
        made = await world.watching(reconcile, *(world.widget(f"w{number}") for number in range(1000)))
        async with world.running(made):
            while runs < 1000:
                between.append(-runs)
                await asyncio.sleep(0)
                between[-1] += runs

    world.play(main())
    assert max(between) <= 128


def test_stopping_lets_work_under_way_end_and_takes_no_more(world: World) -> None:
    """After stop, the run in flight finishes; what waits is not begun."""
    notes: list[str] = []

    async def reconcile(_ctx: Context, request: Request) -> None:
        notes.append(f"begin {request}")
        await asyncio.sleep(10)
        notes.append(f"end {request}")

    async def main() -> float:
        made = await world.watching(reconcile, world.widget("a"), world.widget("b"))
        async with world.running(made):
            await asyncio.sleep(1)
        world.informers.changed(world.widget("c"))
        return asyncio.get_running_loop().time()

    assert world.play(main()) == 10
    assert notes == ["begin shop/a", "end shop/a"]


def test_cancelling_ends_it_at_once(world: World) -> None:
    """A cancelled run ends the reconcile under way where it waits."""

    async def reconcile(_ctx: Context, _request: Request) -> None:
        await asyncio.sleep(1000)

    async def main() -> float:
        made = await world.watching(reconcile, world.widget("a"))
        task = asyncio.create_task(made.run())
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return asyncio.get_running_loop().time()

    assert world.play(main()) == 1


def test_stopping_before_the_sync(world: World) -> None:
    """A controller whose cache never comes in sync can be stopped, and says meanwhile what it waits for."""

    async def main() -> None:
        made = world.controller(world.Script([]))
        made.watch(KindSource(world.informers, world.Widget))
        async with world.running(made):
            await asyncio.sleep(100)

    world.play(main())


def test_resyncs_and_the_initial_list_give_way_to_news(world: World) -> None:
    """A change passes the initial list that still waits; a resync comes after it."""
    script = world.Script([])

    async def slowly(_ctx: Context) -> None:
        await asyncio.sleep(1)

    async def main() -> None:
        script.outcomes = [slowly] * 20
        made = await world.watching(script, *(world.widget(name) for name in "abcd"))
        async with world.running(made):
            await asyncio.sleep(0.5)
            world.informers.resync("Widget")
            world.informers.changed(world.widget("new", resourceVersion="2"))
            await asyncio.sleep(20)

    world.play(main())
    order = [note.split("/")[1].split()[0] for note in script.notes]
    assert order == ["a", "new", "b", "c", "d", "a"]
    assert script.notes[-1] == "5 shop/a (resync Widget shop/a)"


def test_the_log_says_what_was_written_and_why(world: World, lines: list[dict[str, Any]]) -> None:
    """A run that wrote is logged with its writes, its time and its causes; the lines of the author carry its id."""

    async def reconcile(ctx: Context, request: Request) -> None:
        ctx.log.info("at work")
        made = core_v1.ConfigMap(metadata=ObjectMeta(name=request.name, namespace="shop"))
        await ctx.client.create(made)
        await ctx.client.create(core_v1.ConfigMap(metadata=ObjectMeta(name="dry", namespace="shop")), dry_run=True)
        await asyncio.sleep(2)

    async def main() -> None:
        made = await world.watching(reconcile, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(5)

    world.play(main())
    (line,) = [line for line in lines if line["msg"] == "reconciled"]
    assert line["written"] == ["create configmaps shop/a"]
    assert (line["took"], line["causes"], line["level"]) == (2.0, "initial Widget shop/a", "info")
    (own,) = [line for line in lines if line["msg"] == "at work"]
    assert own["reconcileID"] == line["reconcileID"]
    assert len(own["reconcileID"]) == 36


def test_its_repr_shows_its_state(world: World) -> None:
    """The name, the sources and the queue are in it."""

    async def main() -> str:
        return repr(await world.watching(world.Script([])))

    assert world.play(main()) == (
        "<Controller 'test': 1 sources, not in sync, <Queue 'test': 0 ready, 0 delayed, 0 in flight>>"
    )
