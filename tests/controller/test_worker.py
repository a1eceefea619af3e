"""What one run does to the worker, to the runs after it and to its key: nothing but what its outcome says."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from contextvars import ContextVar
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from konverge.controller import Context, Request, Result
from konverge.controller.controller import WorkerEnded
from konverge.errors import ConnectionFailed, RequestError

if TYPE_CHECKING:
    from tests.controller.conftest import World

A = Request("shop", "a")


CURRENT: ContextVar[str] = ContextVar("current", default="nobody")


def _cancel_me() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()


def test_a_reconcile_that_cancels_itself_ends_nobody_else(world: World, lines: list[dict[str, Any]]) -> None:
    """Raised or swallowed, its own cancellation is its own: it is tried again, and the next object knows nothing."""

    async def swallowing(_ctx: Context) -> None:
        _cancel_me()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(1)

    async def raising(_ctx: Context) -> None:
        _cancel_me()
        await asyncio.sleep(1)

    async def leaving_it_behind(_ctx: Context) -> None:
        _cancel_me()

    async def waiting(_ctx: Context) -> None:
        await asyncio.sleep(1)

    script = world.Script([swallowing, raising, leaving_it_behind, waiting])

    async def main() -> None:
        made = await world.watching(script, world.widget("a"), world.widget("b"), world.widget("c"))
        async with world.running(made):
            await asyncio.sleep(60)

    world.play(main())
    notes = [note.split(" (")[0] for note in script.notes]
    assert notes == ["0 shop/a", "0 shop/b", "0 shop/c", "0.005 shop/b", "1.005 shop/c"]
    errors = [line["error"] for line in lines if line["msg"] == "Reconciler error"]
    assert errors == [f"shop/{name}: the reconcile ended in a cancelled task" for name in "bc"]


def test_context_variables_end_with_their_run(world: World) -> None:
    """What one run sets, the next one, of another object or the same, does not see."""
    seen: list[str] = []

    async def reconcile(_ctx: Context, request: Request) -> None:
        seen.append(f"{request} {CURRENT.get()}")
        CURRENT.set(str(request))

    async def main() -> None:
        made = await world.watching(reconcile, world.widget("a"), world.widget("b"))
        async with world.running(made):
            await asyncio.sleep(1)

    world.play(main())
    assert seen == ["shop/a nobody", "shop/b nobody"]


def test_a_worker_that_is_cancelled_from_outside_is_an_error(world: World) -> None:
    """A controller never goes on with fewer workers, or with none, as if nothing had happened."""

    async def main() -> None:
        made = await world.watching(world.Script([]), world.widget("a"), max_concurrent_reconciles=2)
        running = asyncio.create_task(made.run())
        await asyncio.sleep(1)
        (worker,) = (task for task in asyncio.all_tasks() if task.get_name().endswith("worker 1"))
        worker.cancel()
        with pytest.raises(WorkerEnded, match="a worker was ended from outside"):
            await running

    world.play(main())


def test_no_key_is_taken_after_a_cancel_that_was_swallowed(world: World) -> None:
    """A reconcile may swallow its being cancelled; its worker ends all the same, and nothing else begins."""
    notes: list[str] = []

    async def reconcile(_ctx: Context, request: Request) -> None:
        notes.append(str(request))
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(100)

    async def main() -> None:
        made = await world.watching(reconcile, *(world.widget(name) for name in "abcd"), max_concurrent_reconciles=2)
        running = asyncio.create_task(made.run())
        await asyncio.sleep(5)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert asyncio.get_running_loop().time() == 5

    world.play(main())
    assert notes == ["shop/a", "shop/b"]


class Broken:
    """A rate limiter with a bug."""

    def __init__(self, answer: float | None) -> None:
        self.answer = answer

    def when(self, key: Request, now: float) -> float:
        """Answer, or raise."""
        del now
        if self.answer is None:
            raise ValueError(f"no idea about {key}")
        return self.answer

    def forget(self, key: Request) -> None:
        """Raise."""
        raise ValueError(f"cannot forget {key}")

    def num_requeues(self, key: Request) -> int:
        """Raise."""
        raise ValueError(f"cannot count {key}")


@pytest.mark.parametrize("answer", [None, float("nan"), float("inf")])
def test_a_rate_limiter_with_a_bug_ends_no_worker(
    world: World, lines: list[dict[str, Any]], answer: float | None
) -> None:
    """The default backoff takes its place, and the log says so."""
    script = world.Script([ConnectionFailed("x"), ConnectionFailed("x"), None, ConnectionFailed("x")])

    async def main() -> None:
        made = await world.watching(script, world.widget("a"), rate_limiter=Broken(answer))
        async with world.running(made):
            await asyncio.sleep(1)
            assert made.queue.num_requeues(A) == 0
            world.informers.changed(world.widget("a", resourceVersion="2"))
            await asyncio.sleep(1)

    world.play(main())
    assert [note.split()[0] for note in script.notes] == ["0", "0.005", "0.015", "1", "1.005"]
    told = [line["method"] for line in lines if line["msg"].startswith("a rate limiter failed")]
    assert told == ["when", "when", "forget", "num_requeues", "when", "forget"]


@pytest.mark.parametrize("after", [float("nan"), float("inf"), -5, timedelta(seconds=-1)])
def test_a_delay_that_is_none_is_refused(after: float | timedelta) -> None:
    """It would never come, or be taken for "only when something happens"; the error says what to write."""
    with pytest.raises(RequestError, match=r"give seconds from 0 on.*max\(seconds, 0\.001\)"):
        Result(requeue_after=after)
