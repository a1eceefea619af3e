from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest

from konverge import metadata_only, unstructured
from konverge.controller import (
    Channel,
    ChannelSource,
    Context,
    Controller,
    EnqueueRequestForOwner,
    GenerationChanged,
    GenericEvent,
    IteratorSource,
    KindSource,
    Request,
    Scheduled,
    Source,
)
from konverge.errors import Unavailable
from konverge.models import core_v1

if TYPE_CHECKING:
    from tests.controller.conftest import World


class Notes:
    """A reconciler that notes when it was called, for whom and why."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    async def reconcile(self, ctx: Context, request: Request) -> None:
        """Note it."""
        self.lines.append(f"{asyncio.get_running_loop().time():g} {request} ({ctx.causes})")


def made(world: World, notes: Notes, *sources: Source) -> Controller:
    """A controller with these sources."""
    controller = world.controller(notes)
    for source in sources:
        controller.watch(source)
    return controller


def test_owned_objects_wake_their_owner(world: World) -> None:
    """An event of a child becomes a request for its owner, with the child as the cause."""
    notes = Notes()

    async def main() -> None:
        source = KindSource(world.informers, core_v1.ConfigMap, EnqueueRequestForOwner(world.Widget))
        await world.informers.synced(core_v1.ConfigMap)
        async with world.running(made(world, notes, source)):
            await asyncio.sleep(1)
            world.informers.changed(world.config_map("c", **world.owned_by("a")))
            world.informers.changed(world.config_map("stranger"))
            await asyncio.sleep(1)
            world.informers.deleted(world.config_map("c", resourceVersion="2", **world.owned_by("a")))
            await asyncio.sleep(1)

    world.play(main())
    assert notes.lines == ["1 shop/a (create ConfigMap shop/c)", "2 shop/a (delete ConfigMap shop/c)"]


def test_the_scope_of_an_unstructured_owner_is_found_out(world: World) -> None:
    """The source asks before it starts, and does not watch the owner's kind for that."""
    notes = Notes()

    async def main() -> None:
        owner = EnqueueRequestForOwner(unstructured("test.konverge.dev/v1", "Widget"))
        await world.informers.synced(core_v1.ConfigMap, world.config_map("c", **world.owned_by("a")))
        async with world.running(made(world, notes, KindSource(world.informers, core_v1.ConfigMap, owner))):
            await asyncio.sleep(1)

    world.play(main())
    assert notes.lines == ["0 shop/a (initial ConfigMap shop/c)"]
    assert list(world.informers.made) == ["ConfigMap"]


def test_predicates_keep_events_out(world: World) -> None:
    """All of them must agree."""
    notes = Notes()

    async def main() -> None:
        source = KindSource(
            world.informers, world.Widget, predicates=[GenerationChanged(), lambda event: event.metadata.name != "b"]
        )
        await world.informers.synced(world.Widget, world.widget("a", generation=1), world.widget("b", generation=1))
        async with world.running(made(world, notes, source)):
            await asyncio.sleep(1)
            world.informers.changed(world.widget("a", generation=1, resourceVersion="2"))
            await asyncio.sleep(1)
            world.informers.changed(world.widget("a", generation=2, resourceVersion="3"))
            await asyncio.sleep(1)

    world.play(main())
    assert notes.lines == ["0 shop/a (initial Widget shop/a)", "2 shop/a (update Widget shop/a)"]


def test_a_map_function_that_fails_is_asked_again(world: World, lines: list[dict[str, Any]]) -> None:
    """Neither a plain nor an async one loses an event by a fault that passes."""
    notes = Notes()
    plain_faults, async_faults = [KeyError("x"), KeyError("x")], [Unavailable("not today")]

    def plain(_obj: core_v1.ConfigMap) -> list[Request]:
        if plain_faults:
            raise plain_faults.pop()
        return [Request("shop", "plain")]

    async def waiting(_obj: core_v1.ConfigMap) -> list[Any]:
        await asyncio.sleep(1)
        if async_faults:
            raise async_faults.pop()
        return [Request("shop", "async"), Scheduled(Request("shop", "later"), after=10)]

    async def main() -> None:
        sources = [KindSource(world.informers, core_v1.ConfigMap, function) for function in (plain, waiting)]
        await world.informers.synced(core_v1.ConfigMap, world.config_map())
        async with world.running(made(world, notes, *sources)):
            await asyncio.sleep(20)

    world.play(main())
    why = "(initial ConfigMap shop/c)"
    assert notes.lines == [f"0.3 shop/plain {why}", f"2.1 shop/async {why}", f"12.1 shop/later {why}"]
    assert len([line for line in lines if line["msg"] == "a handler failed and is asked again"]) == 3


def test_events_that_wait_for_an_async_handler_end_with_the_controller(world: World) -> None:
    """Nothing is left behind that was never awaited (a warning is an error here)."""

    async def forever(_obj: core_v1.ConfigMap) -> list[Request]:
        await asyncio.sleep(10_000)
        return []

    async def main() -> None:
        source = KindSource(world.informers, core_v1.ConfigMap, forever)
        await world.informers.synced(core_v1.ConfigMap, *(world.config_map(name) for name in "abc"))
        async with world.running(made(world, Notes(), source)):
            await asyncio.sleep(1)

    world.play(main())


def test_a_channel_takes_objects_events_and_requests(world: World) -> None:
    """From this thread or another one, each wakes what it is about."""
    notes, channel = Notes(), Channel()
    obj = world.Widget.from_dict(world.widget("obj"))

    async def main() -> None:
        async with world.running(made(world, notes, ChannelSource(channel, name="hook"))):
            await asyncio.sleep(1)
            channel.push(obj)
            channel.push(GenericEvent(world.Widget.from_dict(world.widget("event"))))
            await asyncio.to_thread(channel.push, Request("shop", "thread"))
            await asyncio.sleep(1)

    world.play(main())
    assert notes.lines == [
        "1 shop/obj (generic hook shop/obj)",
        "1 shop/event (generic hook shop/event)",
        "1 shop/thread (generic hook shop/thread)",
    ]


def test_each_source_of_a_channel_gets_each_event(world: World) -> None:
    """Two sources with handlers of their own both hear."""
    notes, channel = Notes(), Channel()

    async def main() -> None:
        one = ChannelSource(channel, lambda _: [Request("", "one")])
        two = ChannelSource(channel, lambda _: [Request("", "two")])
        async with world.running(made(world, notes, one, two)):
            await asyncio.sleep(1)
            channel.push(world.Widget.from_dict(world.widget()))
            await asyncio.sleep(1)

    world.play(main())
    assert [line.split()[1] for line in notes.lines] == ["one", "two"]


def test_a_function_that_makes_iterators_is_called_again(world: World, lines: list[dict[str, Any]]) -> None:
    """After a failure, and after an end, with a pause."""
    notes = Notes()
    rounds = 0

    async def ticks() -> AsyncIterator[Request]:
        nonlocal rounds
        rounds += 1
        yield Request("", f"tick-{rounds}")
        if rounds == 1:
            raise OSError("gone")

    async def main() -> None:
        async with world.running(made(world, notes, IteratorSource(ticks, name="ticks"))):
            await asyncio.sleep(0.25)

    world.play(main())
    assert [line.split()[:2] for line in notes.lines] == [["0", "tick-1"], ["0.1", "tick-2"], ["0.2", "tick-3"]]
    assert [line["source"] for line in lines if line["level"] == "error"] == ["IteratorSource('ticks')"]


def test_an_iterator_that_fails_ends_its_controller(world: World) -> None:
    """Nothing would come any more, so it is not passed over in silence."""

    async def one() -> AsyncIterator[Request]:
        yield Request("", "tick")
        raise OSError("gone")

    async def main() -> None:
        with pytest.raises(OSError, match="gone"):
            await made(world, Notes(), IteratorSource(one())).run()

    world.play(main())


def test_an_asyncio_queue_is_a_source(world: World) -> None:
    """What is put into it is reconciled."""
    notes = Notes()

    async def main() -> None:
        items: asyncio.Queue[Any] = asyncio.Queue()
        items.put_nowait(Request("", "early"))
        async with world.running(made(world, notes, IteratorSource(items, name="items"))):
            await asyncio.sleep(1)
            items.put_nowait(Request("", "late"))
            await items.join()
            await asyncio.sleep(1)

    world.play(main())
    assert [line.split()[:2] for line in notes.lines] == [["0", "early"], ["1", "late"]]


def test_a_channel_outlives_its_loop(world: World) -> None:
    """Pushing after the program's loop is closed is harmless, from any thread."""
    channel = Channel()

    async def main() -> None:
        channel.listen(lambda _: None)

    world.play(main())
    thread = threading.Thread(target=channel.push, args=(Request("", "x"),))
    thread.start()
    thread.join()


def test_reprs(world: World) -> None:
    """A source says what it watches."""
    assert repr(KindSource(world.informers, metadata_only(core_v1.Pod))) == "KindSource(v1 Pod, metadata only)"
    assert repr(ChannelSource(Channel(), name="hook")) == "ChannelSource('hook')"
