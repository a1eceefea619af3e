"""A reconciler that is a plain function: in a thread, with a client that blocks there and nowhere else."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from konverge import ObjectMeta
from konverge.controller import (
    BlockingContext,
    Channel,
    Request,
    Result,
)
from konverge.errors import Conflict, ConnectionFailed, RequestError
from konverge.models import core_v1

if TYPE_CHECKING:
    from tests.controller.conftest import World

A = Request("shop", "a")


def test_a_plain_def_works_in_a_thread_with_a_blocking_client(world: World, lines: list[dict[str, Any]]) -> None:
    """The same verbs without await, and its writes are noted too."""

    def reconcile(ctx: BlockingContext, request: Request) -> Result:
        ctx.client.create(core_v1.ConfigMap(metadata=ObjectMeta(name=request.name, namespace="shop")))
        found = ctx.live.get(core_v1.ConfigMap, request)
        assert found.metadata.uid
        return Result(requeue_after=10)

    async def main() -> None:
        world.server.delay = 1.0
        made = await world.watching(reconcile, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(5)

    world.play(main())
    assert world.counts.heard == ["requeue_after 2"]
    (line,) = [line for line in lines if line["msg"] == "reconciled"]
    assert line["written"] == ["create configmaps shop/a"]


def test_a_plain_def_that_fails(world: World) -> None:
    """Errors of the server and the author's own come out of the thread as they are."""
    outcomes: list[Exception] = [StopIteration(), KeyError("x")]

    def reconcile(ctx: BlockingContext, request: Request) -> None:
        if outcomes:
            raise outcomes.pop()
        with pytest.raises(Conflict):
            ctx.client.create(core_v1.ConfigMap(metadata=ObjectMeta(name=request.name, namespace="shop")))

    async def main() -> None:
        world.server.refusals = [(409, "Conflict")]
        made = await world.watching(reconcile, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(5)

    world.play(main())
    assert world.counts.heard == ["error 0", "error", "panic", "error 0", "error", "success 0"]


def test_a_thread_past_its_time_can_do_no_more(world: World) -> None:
    """After the timeout the client refuses, and the key stays locked until the thread has ended."""
    notes: list[str] = []

    def reconcile(ctx: BlockingContext, request: Request) -> None:
        for attempt in range(2):
            try:
                ctx.client.create(core_v1.ConfigMap(metadata=ObjectMeta(name=request.name, namespace="shop")))
            except ConnectionFailed as error:
                notes.append(f"{attempt} {'took longer than 5 s' in str(error) or 'closed' in str(error)}")

    async def main() -> None:
        world.server.delay = 60.0
        made = await world.watching(reconcile, world.widget("a"), reconcile_timeout=5)
        async with world.running(made):
            await asyncio.sleep(5.001)

    world.play(main())
    assert notes == ["0 True", "1 True"]
    assert world.counts.heard == ["error 5", "error", "timeout"]
    assert world.server.objects == {}


@pytest.mark.parametrize(
    ("reconciler", "message"),
    [
        (Channel, "Channel is a class: give an instance"),
        (object(), "is no reconciler"),
        (lambda ctx: None, "does not take"),  # noqa: ARG005 - wrong on purpose
    ],
)
def test_what_is_no_reconciler_is_refused(world: World, reconciler: Any, message: str) -> None:
    """A mistake is named when the controller is made."""
    with pytest.raises(RequestError, match=message):
        world.controller(reconciler)


def test_a_blocking_client_on_the_loop_is_refused(world: World, lines: list[dict[str, Any]]) -> None:
    """A blocking context that leaks to the loop's own thread says what to do, instead of waiting for ever."""
    kept: list[BlockingContext] = []

    def reconcile(ctx: BlockingContext, _request: Request) -> None:
        kept.append(ctx)
        looked.wait(5)

    looked = threading.Event()

    async def main() -> None:
        made = await world.watching(reconcile, world.widget("a"))
        async with world.running(made):
            while not kept:  # noqa: ASYNC110 - the thread has no event of the loop to set
                await asyncio.sleep(0)
            with pytest.raises(RequestError, match="await a Client instead"):
                kept[0].client.get(core_v1.ConfigMap, A)
            looked.set()

    world.play(main())
    assert not [line for line in lines if line["level"] == "error"]
