from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING, Any

from konverge import Client
from konverge.controller import Broadcaster, Recorder

if TYPE_CHECKING:
    from tests.controller.conftest import World


class Desk:
    """A broadcaster that runs, and the events that arrived."""

    def __init__(self, world: World, **options: Any) -> None:
        self.world = world
        self.broadcaster = Broadcaster(Client(world.server), instance="host-1", random=Random(1), **options)
        self.recorder = self.broadcaster.recorder("widget")
        self.obj = world.Widget.from_dict(world.widget("a"))

    async def work(self, seconds: float) -> None:
        """Send for some time."""
        task = asyncio.create_task(self.broadcaster.run())
        await asyncio.sleep(seconds)
        task.cancel()
        await asyncio.wait([task])

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events on the server."""
        return [obj for path, obj in self.world.server.objects.items() if "/events/" in path]


def test_an_event_is_complete(world: World) -> None:
    """It has all that the server asks for, and names the object."""
    desk = Desk(world)

    async def main() -> None:
        desk.recorder.normal(desk.obj, "Created", "made a ConfigMap", action="Create", related=desk.obj)
        await desk.work(1)

    world.play(main())
    (event,) = desk.events
    assert event["metadata"]["name"].startswith("a.")
    assert event["metadata"]["namespace"] == "shop"
    assert (event["type"], event["reason"], event["action"]) == ("Normal", "Created", "Create")
    assert event["note"] == "made a ConfigMap"
    assert event["regarding"] == {
        "apiVersion": "test.konverge.dev/v1",
        "kind": "Widget",
        "name": "a",
        "namespace": "shop",
        "uid": "uid-a",
        "resourceVersion": "1",
    }
    assert event["related"] == event["regarding"]
    assert (event["reportingController"], event["reportingInstance"]) == ("widget", "widget-host-1")
    assert event["eventTime"] == "2026-01-01T00:00:00.000000Z"
    assert "series" not in event


def test_the_same_event_again_becomes_a_series(world: World) -> None:
    """It is patched with the count; when the server has forgotten it, a new one is made."""
    desk = Desk(world)

    async def main() -> None:
        for _ in range(3):
            desk.recorder.warning(desk.obj, "Failed", "no such image")
        await desk.work(1)
        assert [event["series"]["count"] for event in desk.events] == [3]
        world.server.objects.clear()
        desk.recorder.warning(desk.obj, "Failed", "no such image")
        await desk.work(1)

    world.play(main())
    (event,) = desk.events
    assert event["series"] == {"count": 4, "lastObservedTime": "2026-01-01T00:00:01.000000Z"}
    assert event["action"] == "Failed"


def test_recording_neither_waits_nor_fails(world: World) -> None:
    """One is tried again while the server is away, then refused and dropped; the others follow, and nobody waits."""
    desk = Desk(world)
    world.server.refusals = [(503, "ServiceUnavailable"), (403, "Forbidden")]

    async def main() -> None:
        desk.recorder.normal(desk.obj, "One", "x")
        desk.recorder.normal(desk.obj, "Two", "x")
        desk.recorder.normal(desk.obj, "Three", "x")
        await desk.work(60)

    world.play(main())
    assert [event["reason"] for event in desk.events] == ["Two", "Three"]
    assert desk.broadcaster.dropped == 1


def test_when_too_many_wait_the_newest_are_dropped(world: World) -> None:
    """Memory is bounded, and the loss is counted."""
    desk = Desk(world)

    async def main() -> None:
        for number in range(1005):
            obj = world.Widget.from_dict(world.widget(f"n{number}"))
            desk.recorder.normal(obj, "Created", "x")

    world.play(main())
    assert desk.broadcaster.dropped == 5


def test_a_thread_may_record(world: World) -> None:
    """A plain `def` reconciler has the same recorder."""
    desk = Desk(world)

    async def main() -> None:
        task = asyncio.create_task(desk.work(5))
        await asyncio.sleep(1)
        await asyncio.to_thread(desk.recorder.normal, desk.obj, "Created", "x")
        await task

    world.play(main())
    (event,) = desk.events
    assert event["eventTime"] == "2026-01-01T00:00:01.000000Z"


def test_long_texts_are_cut(world: World) -> None:
    """The server's limits hold for whatever is recorded."""
    desk = Desk(world)

    async def main() -> None:
        desk.recorder.normal(desk.obj, "R" * 200, "n" * 2000)
        await desk.work(1)

    world.play(main())
    (event,) = desk.events
    assert (len(event["reason"]), len(event["note"])) == (128, 1024)


def test_without_a_broadcaster_nothing_happens(world: World) -> None:
    """A controller made by hand needs none."""
    Recorder(None, "x").normal(world.Widget.from_dict(world.widget()), "Created", "x")


def test_what_was_recorded_before_the_stop_is_sent(world: World) -> None:
    """Also what the last reconcile recorded in the same moment."""
    desk = Desk(world)

    async def main() -> None:
        task = asyncio.create_task(desk.broadcaster.run())
        await asyncio.sleep(1)
        for number in range(5):
            desk.recorder.normal(desk.obj, f"Last{number}", "x")
        desk.broadcaster.stop()
        desk.broadcaster.stop()
        await task
        assert asyncio.get_running_loop().time() == 1

    world.play(main())
    assert [event["reason"] for event in desk.events] == [f"Last{number}" for number in range(5)]


def test_a_server_that_is_away_does_not_hold_up_the_stop(world: World, lines: list[dict[str, Any]]) -> None:
    """After three seconds it gives up, and says how many are lost."""
    desk = Desk(world)
    world.server.refusals = [(503, "ServiceUnavailable")] * 100

    async def main() -> None:
        desk.recorder.normal(desk.obj, "One", "x")
        desk.recorder.normal(desk.obj, "Two", "x")
        task = asyncio.create_task(desk.broadcaster.run())
        await asyncio.sleep(1)
        desk.broadcaster.stop()
        await task
        assert asyncio.get_running_loop().time() == 4

    world.play(main())
    assert [line["events"] for line in lines if "could not be sent in time" in line["msg"]] == [2]
