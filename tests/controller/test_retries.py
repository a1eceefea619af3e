"""What is tried again, when, and what is not: outcomes of a reconcile, seen from outside under virtual time."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from konverge.controller import (
    Context,
    Request,
    Result,
    TerminalError,
)
from konverge.errors import ConnectionFailed

if TYPE_CHECKING:
    from tests.controller.conftest import World

A = Request("shop", "a")


def test_a_failure_is_tried_again_with_backoff_until_it_succeeds(world: World) -> None:
    """The pause doubles with each failure, and starts over after a success."""
    script = world.Script(
        [ConnectionFailed("x"), ConnectionFailed("x"), ConnectionFailed("x"), None, ConnectionFailed("x")]
    )

    async def main() -> None:
        made = await world.watching(script, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(1)
            world.informers.changed(world.widget("a", resourceVersion="2"))
            await asyncio.sleep(1)

    world.play(main())
    assert script.notes == [
        "0 shop/a (initial Widget shop/a)",
        "0.005 shop/a (retry)",
        "0.015 shop/a (retry)",
        "0.035 shop/a (retry)",
        "1 shop/a (update Widget shop/a)",
        "1.005 shop/a (retry)",
    ]
    assert world.counts.heard.count("error") == 4
    assert "panic" not in world.counts.heard


def test_requeue_after_ends_the_backoff_and_requeue_does_not(world: World) -> None:
    """The rules of the outcome, seen from outside: delays as asked, and the backoff where it belongs."""
    script = world.Script([Result(requeue=True), Result(requeue=True), Result(requeue_after=timedelta(seconds=30))])
    script.outcomes += [Result(requeue=True), Result(requeue_after=0)]

    async def main() -> None:
        made = await world.watching(script, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(60)

    world.play(main())
    assert script.notes == [
        "0 shop/a (initial Widget shop/a)",
        "0.005 shop/a (requeue)",
        "0.015 shop/a (requeue)",
        "30.015 shop/a (requeue after 30 s)",
        "30.02 shop/a (requeue)",
    ]
    results = [line.split()[0] for line in world.counts.heard]
    assert results == ["requeue", "requeue", "requeue_after", "requeue", "success"]


def test_a_terminal_error_waits_for_the_next_event(world: World) -> None:
    """Nothing is tried again until something changes."""
    script = world.Script([TerminalError("the image name is not valid")])

    async def main() -> None:
        made = await world.watching(script, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(3600)
            world.informers.changed(world.widget("a", resourceVersion="2"))
            await asyncio.sleep(1)

    world.play(main())
    assert [note.split()[0] for note in script.notes] == ["0", "3600"]
    assert world.counts.heard == ["error 0", "error", "terminal", "success 0"]


@pytest.mark.parametrize("error", [KeyError("x"), TypeError("x"), ZeroDivisionError("x"), asyncio.CancelledError()])
def test_a_bug_ends_no_worker(world: World, lines: list[dict[str, Any]], error: BaseException) -> None:
    """Whatever is raised is logged with object and stack and tried again; bugs are counted as panics."""
    script = world.Script([error])

    async def main() -> None:
        made = await world.watching(script, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(1)

    world.play(main())
    assert [note.split()[0] for note in script.notes] == ["0", "0.005"]
    (line,) = [line for line in lines if line["msg"] == "Reconciler error"]
    assert (line["controller"], line["controllerKind"], line["name"]) == ("test", "Widget", "a")
    assert "in reconcile\n    raise outcome" in line["stacktrace"]
    assert ("panic" in world.counts.heard) is (not isinstance(error, asyncio.CancelledError))


def test_a_reconcile_that_takes_too_long_is_ended(world: World) -> None:
    """The timeout is an error like any other, counted apart; a TimeoutError of the author's own is not one."""

    async def forever(_ctx: Context) -> None:
        await asyncio.sleep(1000)

    script = world.Script([forever, TimeoutError("the author's")])

    async def main() -> None:
        made = await world.watching(script, world.widget("a"), reconcile_timeout=5)
        async with world.running(made):
            await asyncio.sleep(100)

    world.play(main())
    assert [note.split()[0] for note in script.notes] == ["0", "5.005", "5.015"]
    assert world.counts.heard == ["error 5", "error", "timeout", "error 0", "error", "success 0"]


def test_returning_something_else_is_an_error(world: World, lines: list[dict[str, Any]]) -> None:
    """A reconcile that returns what is no Result is told so."""
    script = world.Script([30])

    async def main() -> None:
        made = await world.watching(script, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(1)

    world.play(main())
    (line,) = [line for line in lines if line["msg"] == "Reconciler error"]
    assert line["error"] == "reconcile returned int: return kv.Result(…), or None for done"


def test_a_result_may_ask_for_another_priority(world: World) -> None:
    """What is requeued keeps the priority of its run, unless the result says otherwise."""
    priorities: list[int] = []

    async def main() -> None:
        script = world.Script([Result(requeue_after=1), Result(requeue_after=1, priority=7), None])
        made = await world.watching(script, world.widget("a"))
        async with world.running(made):
            for _ in range(3):
                await asyncio.sleep(0.5)
                priorities.extend(made.queue.state().depth)
                await asyncio.sleep(0.5)

    world.play(main())
    assert priorities == [-100, -100, 7, -100]
    assert len(world.counts.heard) == 3
