"""How a controller begins: sources that are waited for, fail or come late, and one that waits to lead."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from konverge.controller import (
    CacheSyncTimeout,
    Channel,
    ChannelSource,
    KindSource,
    Request,
)
from konverge.errors import ConnectionFailed, NotFound, RequestError
from konverge.queue import Queue

if TYPE_CHECKING:
    from tests.controller.conftest import World

A = Request("shop", "a")


def test_a_source_that_is_waited_for_is_named(world: World, lines: list[dict[str, Any]]) -> None:
    """The log names the source that is not in sync, less and less often; with a limit, the controller ends."""

    async def main() -> None:
        made = world.controller(world.Script([]), cache_sync_timeout=100)
        made.watch(KindSource(world.informers, world.Widget))
        with pytest.raises(CacheSyncTimeout, match=r'controller "test": KindSource\(test.konverge.dev/v1 Widget\)'):
            await made.run()

    world.play(main())
    waits = [line for line in lines if line["msg"] == "waiting for a source"]
    assert len(waits) == 3
    assert waits[0]["source"] == "KindSource(test.konverge.dev/v1 Widget)"


class Shy:
    """A source that cannot start at first."""

    problems = ()

    def __init__(self) -> None:
        self.faults: list[Exception] = [NotFound("the server does not serve kind Widget"), ConnectionFailed("away")]
        self.stopped = False

    async def start(self, queue: Queue[Request], group: asyncio.TaskGroup) -> None:
        """Fail, or bring one request."""
        del group
        if self.faults:
            raise self.faults.pop(0)
        queue.add(A)

    async def wait_for_sync(self) -> None:
        """Be in sync."""

    def stop(self) -> None:
        """Note it."""
        self.stopped = True


def test_a_source_that_cannot_start_is_tried_again(world: World, lines: list[dict[str, Any]]) -> None:
    """A kind that is not served yet keeps its controller waiting, and is named with its reason."""
    script, shy = world.Script([]), Shy()

    async def main() -> None:
        made = world.controller(script)
        made.watch(shy)
        async with world.running(made):
            await asyncio.sleep(10)

    world.play(main())
    assert [note.split()[0] for note in script.notes] == ["2.4"]
    assert [line["cause"] for line in lines if "cannot start" in line["msg"]][1] == "away"
    assert shy.stopped


def test_a_source_with_a_bug_ends_the_controller(world: World) -> None:
    """What trying again would not mend is raised, as it is."""

    async def main() -> None:
        made, shy = world.controller(world.Script([])), Shy()
        shy.faults = [KeyError("bug")]
        made.watch(shy)
        with pytest.raises(KeyError, match="bug"):
            await made.run()

    world.play(main())


def test_watches_come_and_go_while_it_runs(world: World) -> None:
    """A source that is added starts at once, and one that is removed brings nothing more."""
    script = world.Script([])
    channel = Channel()

    async def main() -> None:
        made = await world.watching(script, world.widget("a"))
        source = ChannelSource(channel, name="outside")
        async with world.running(made):
            await asyncio.sleep(1)
            channel.push(A)  # kept until someone listens
            made.watch(source)
            await asyncio.sleep(1)
            made.unwatch(source)
            channel.push(A)
            await asyncio.sleep(1)

    world.play(main())
    assert script.notes == ["0 shop/a (initial Widget shop/a)", "1 shop/a (generic outside shop/a)"]


def test_warming_up_fills_the_queue_before_it_runs(world: World) -> None:
    """Sources start with the warm-up; nothing is reconciled before `run`."""
    script = world.Script([])

    async def main() -> None:
        made = await world.watching(script, world.widget("a"), enable_warmup=True)
        await made.warm_up()
        assert len(made.queue) == 1
        await asyncio.sleep(7)
        async with world.running(made):
            await asyncio.sleep(1)

    world.play(main())
    assert script.notes == ["7 shop/a (initial Widget shop/a)"]


def test_a_warm_controller_that_never_leads_can_be_stopped(world: World) -> None:
    """Its sources end with it."""

    async def main() -> None:
        made = await world.watching(world.Script([]), enable_warmup=True)
        await made.warm_up()
        made.stop()
        await asyncio.sleep(0.1)
        assert (await world.informers.informer(world.Widget)).handlers == 0

    world.play(main())


def test_it_runs_once(world: World) -> None:
    """A second run is refused."""

    async def main() -> None:
        made = await world.watching(world.Script([]))
        async with world.running(made):
            await asyncio.sleep(1)
        with pytest.raises(RequestError, match="make a new one"):
            await made.run()

    world.play(main())
