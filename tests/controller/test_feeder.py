from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from konverge.controller import Channel, ChannelSource, Context, KindSource, Request
from konverge.controller.event import Event, UpdateEvent
from konverge.models import core_v1

if TYPE_CHECKING:
    from konverge.controller.source import Source
    from tests.controller.conftest import World

FAILED = "a handler failed and is asked again"


class Notes:
    """A reconciler that notes whom it was called for."""

    def __init__(self) -> None:
        self.names: list[str] = []

    async def reconcile(self, _ctx: Context, request: Request) -> None:
        """Note it."""
        self.names.append(request.name)


def test_a_cancelled_await_in_a_handler_is_a_failure_like_any_other(world: World, lines: list[dict[str, Any]]) -> None:
    """Also where the handler cancels its own task: it is asked again, and the events after it pass."""
    notes, channel, faults = Notes(), Channel(), ["await", "own task"]

    async def owner(obj: core_v1.ConfigMap) -> list[Request]:
        fault = faults.pop(0) if faults else ""
        if fault == "await":
            future = asyncio.get_running_loop().create_future()
            future.cancel()
            await future
        if fault and (task := asyncio.current_task()) is not None:
            task.cancel()
            await asyncio.sleep(1)
        return [Request("shop", obj.metadata.name or "")]

    async def main() -> None:
        made = world.controller(notes)
        made.watch(ChannelSource(channel, owner))
        async with world.running(made):
            for name in "abc":
                channel.push(core_v1.ConfigMap.from_dict(world.config_map(name)))
            await asyncio.sleep(10)

    world.play(main())
    assert notes.names == ["c", "a", "b"]
    assert [line["error"] for line in lines if line["msg"] == FAILED] == ["the handler ended in a cancelled task"] * 2


def test_of_each_object_one_event_waits_to_be_asked_again(world: World, lines: list[dict[str, Any]]) -> None:
    """An hour of updates with a fault that stays costs as much as the fault alone: a call now and then."""
    calls: list[Event[Any]] = []

    def broken(event: Event[Any]) -> list[Request]:
        calls.append(event)
        raise KeyError("label")

    class Handler:
        def requests(self, event: Event[Any]) -> list[Request]:
            return broken(event)

    async def main() -> None:
        await world.informers.synced(core_v1.ConfigMap, world.config_map(resourceVersion="1"))
        made = world.controller(Notes())
        made.watch(KindSource(world.informers, core_v1.ConfigMap, Handler()))
        async with world.running(made):
            for version in range(2, 3602):
                world.informers.changed(world.config_map(resourceVersion=str(version)))
                await asyncio.sleep(1)
            calls.clear()
            await asyncio.sleep(3600)

    world.play(main())
    assert len(calls) == 12
    assert len([line for line in lines if line["msg"] == FAILED]) < 40
    last = calls[-1]
    assert isinstance(last, UpdateEvent)
    assert last.metadata.resource_version == "3601"


def test_what_waits_ends_with_its_source(world: World) -> None:
    """After `unwatch`, no answer that was waited for and no retry puts anything into the queue."""
    notes, faults = Notes(), [KeyError("x")]

    async def slow(obj: core_v1.ConfigMap) -> list[Request]:
        await asyncio.sleep(10)
        return [Request("shop", obj.metadata.name or "")]

    def failing(obj: core_v1.ConfigMap) -> list[Request]:
        if faults:
            raise faults.pop()
        return [Request("shop", obj.metadata.name or "")]

    async def main() -> None:
        channel = Channel()
        sources: list[Source] = [ChannelSource(channel, function) for function in (slow, failing)]
        made = world.controller(notes)
        for source in sources:
            made.watch(source)
        async with world.running(made):
            await asyncio.sleep(1)
            channel.push(core_v1.ConfigMap.from_dict(world.config_map("a")))
            await asyncio.sleep(0.01)
            for source in sources:
                made.unwatch(source)
            await asyncio.sleep(100)
        assert not [task for task in asyncio.all_tasks() if "handler" in task.get_name()]

    world.play(main())
    assert notes.names == []
