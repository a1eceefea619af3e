from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from konverge import ObjectMeta
from konverge.controller import Context, EnqueueRequestForOwner, KindSource, Request, set_controller_reference
from konverge.controller.flip import Flip, flips_between, managers_of
from konverge.controller.hot_loop import HotLoops
from konverge.controller.writes import Write
from konverge.errors import Operation
from konverge.models import core_v1
from konverge.queue import Cause, Causes

if TYPE_CHECKING:
    from konverge import Client
    from tests.controller.conftest import World


class Keeper:
    """Keeps a ConfigMap per widget, with a content that is given."""

    def __init__(self, content: Any) -> None:
        self.content = content
        self.runs = 0

    async def reconcile(self, ctx: Context, request: Request) -> None:
        """Write the ConfigMap."""
        self.runs += 1
        await asyncio.sleep(0.1)
        child = core_v1.ConfigMap(metadata=ObjectMeta(name=request.name, namespace=request.namespace))
        child.data = self.content(self.runs)
        owner = await ctx.live.get(type(self).kind, request)
        set_controller_reference(owner, child)
        await ctx.client.apply(child)

    kind: Any = None


async def keep(world: World, keeper: Keeper, *, seconds: float = 5) -> None:
    """Run the keeper on one widget for some time."""
    type(keeper).kind = world.Widget
    world.server.objects["/apis/test.konverge.dev/v1/namespaces/shop/widgets/a"] = world.widget("a")
    made = await world.watching(keeper, world.widget("a"))
    made.watch(KindSource(world.informers, core_v1.ConfigMap, EnqueueRequestForOwner(world.Widget)))
    await world.informers.synced(core_v1.ConfigMap)
    async with world.running(made):
        await asyncio.sleep(seconds)


def warnings(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines about loops."""
    return [line for line in lines if "again and again" in line["msg"]]


def test_a_timestamp_in_each_write_is_found(world: World, lines: list[dict[str, Any]]) -> None:
    """The field that differs each time is named once, with its only manager; its value is not shown."""
    keeper = Keeper(lambda runs: {"stamp": f"value-{runs}", "same": "x"})
    world.play(keep(world, keeper))
    assert keeper.runs > 40
    (line,) = warnings(lines)
    assert line["fields"] == ["ConfigMap shop/a .data.stamp, set by test"]
    assert (line["runs"], line["controller"], line["name"]) == (10, "test", "a")
    assert world.counts.heard.count("hot loop") == 1
    assert "value-" not in str(line)


def test_writing_the_same_is_no_loop(world: World, lines: list[dict[str, Any]]) -> None:
    """What the server finds unchanged makes no event, and no alarm."""
    keeper = Keeper(lambda _: {"same": "x"})
    world.play(keep(world, keeper))
    assert keeper.runs == 2
    assert warnings(lines) == []


def test_progress_is_no_loop(world: World, lines: list[dict[str, Any]]) -> None:
    """A long way of different steps that comes to an end is not reported."""
    keeper = Keeper(lambda runs: {f"step-{n}": "done" for n in range(min(runs, 30))})
    world.play(keep(world, keeper))
    assert keeper.runs == 31
    assert warnings(lines) == []


def test_two_managers_that_fight_are_both_named(world: World, lines: list[dict[str, Any]]) -> None:
    """Another manager sets the field back each time: the log says who."""
    keeper = Keeper(lambda _: {"color": "ours"})

    async def main() -> None:
        other = world.client.with_defaults(field_owner="rival")
        fighting = asyncio.create_task(keep(world, keeper, seconds=25))
        for _ in range(45):
            await asyncio.sleep(0.5)
            theirs = core_v1.ConfigMap(metadata=ObjectMeta(name="a", namespace="shop"), data={"color": "theirs"})
            await other.apply(theirs)
        await fighting  # until it is noticed

    world.play(main())
    (line,) = warnings(lines)
    assert line["fields"] == ["ConfigMap shop/a .data.color, set by rival and test"]


def test_flips_name_fields_and_their_managers() -> None:
    """What the server counts with each write is left out; list items count for the owners of the list's items."""
    managed = [
        {"manager": "one", "fieldsV1": {"f:spec": {"f:replicas": {}}}},
        {"manager": "two", "fieldsV1": {"f:spec": {"f:items": {'k:{"name":"a"}': {"f:image": {}}}}}},
    ]
    before = {"metadata": {"resourceVersion": "1"}, "spec": {"replicas": 1, "items": [{"name": "a", "image": "x"}]}}
    after = {
        "metadata": {"resourceVersion": "2", "generation": 2, "managedFields": managed},
        "spec": {"replicas": 2, "items": [{"name": "a", "image": "y"}]},
    }
    flips = flips_between("Web shop/a", before, after)
    assert set(flips) == {
        Flip("Web shop/a", ".spec.replicas", ("one",)),
        Flip("Web shop/a", ".spec.items[0].image", ("two",)),
    }
    assert str(flips[0]).startswith("Web shop/a .spec.")
    assert managers_of("/status/phase", managed) == ()


def test_odd_keys_are_quoted() -> None:
    """A label's key is one step of a path."""
    before: dict[str, Any] = {"metadata": {"labels": {"a.b/c": "x"}}}
    (flip,) = flips_between("W a", before, {"metadata": {"labels": {"a.b/c": "y"}}})
    assert flip.path == '.metadata.labels["a.b/c"]'


def test_a_diagnosis_that_fails_ends_no_worker(world: World, lines: list[dict[str, Any]]) -> None:
    """Whatever the live read raises, the object is reconciled on."""

    class Failing:
        async def get(self, *_args: Any, **_options: Any) -> Any:
            raise ValueError("a bug below")

    loops = HotLoops(cast("Client", Failing()), runs=3)
    causes, request = Causes((Cause("update", "ConfigMap", "shop", "a"),), 1), Request("shop", "a")

    async def main() -> None:
        for now in range(3):
            assert loops.ran(request, causes, [written("a", now)], now=now) is None
        assert loops.suspects(request)
        assert list((await loops.look(request)).values()) == [None]

    world.play(main())
    assert any("could not be read" in line["msg"] for line in lines)


def test_streaks_that_are_over_are_forgotten() -> None:
    """Nothing is remembered of an object a minute after its last write, once another one is written."""
    loops = HotLoops(cast("Client", None), runs=1)
    for number in range(100):
        loops.ran(Request("shop", f"old{number}"), Causes(), [written(f"old{number}", 1)], now=number / 100)
    assert loops.suspects(Request("shop", "old99"))
    loops.ran(Request("shop", "new"), Causes(), [written("new", 1)], now=60.5)
    assert not loops.suspects(Request("shop", "old0"))
    assert loops.suspects(Request("shop", "old99"))
    loops.ran(Request("shop", "newer"), Causes(), [written("newer", 1)], now=62)
    assert not loops.suspects(Request("shop", "old99"))
    assert loops.suspects(Request("shop", "new"))


def written(name: str, version: int) -> Write:
    """A write of a ConfigMap."""
    operation = Operation(verb="update", resource="configmaps", namespace="shop", name=name)
    meta = f'{{"name":"{name}","namespace":"shop","resourceVersion":"{version}"}}'
    return Write(operation, f'{{"apiVersion":"v1","kind":"ConfigMap","metadata":{meta}}}'.encode())
