"""The watchdog, with calls that really block: every wait in here is for an event, within a generous limit."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any

import pytest

from konverge.manager.activity import Activity
from konverge.manager.watchdog import LoopBlocked, Watchdog

PATIENCE = 60.0


class Blocking:
    """A call that blocks the loop until the watchdog has noticed."""

    def __init__(self) -> None:
        self.noticed = threading.Event()

    def call(self) -> None:
        """Block."""
        assert self.noticed.wait(PATIENCE)


async def test_a_blocking_call_is_named_with_its_object_and_line(caplog: pytest.LogCaptureFixture) -> None:
    """The log has the object and the stack once, the counters count, and liveness fails only past the limit."""
    caplog.set_level(logging.INFO, logger="konverge")
    activity, blocking, seconds = Activity(), Blocking(), list[float]()
    turned_again = asyncio.Event()
    loop = asyncio.get_running_loop()
    unhealthy: list[str] = []

    def blocked() -> None:
        with pytest.raises(LoopBlocked) as raised:
            strict.check()
        unhealthy.append(str(raised.value))
        blocking.noticed.set()

    def turned(took: float) -> None:
        seconds.append(took)
        loop.call_soon_threadsafe(turned_again.set)

    strict = Watchdog(activity, threshold=0.05, limit=0.0, blocked=blocked, turned_again=turned)
    strict.start()

    async def worker() -> None:
        task = activity.began("widget", "shop/cart")
        blocking.call()
        activity.ended(task)

    working = asyncio.create_task(worker(), name="widget worker 0")
    await working
    async with asyncio.timeout(PATIENCE):
        await turned_again.wait()
    strict.stop()
    strict.check()
    warnings: list[Any] = [record for record in caplog.records if record.levelname == "WARNING"]
    assert len(warnings) == 1
    assert warnings[0].fields["reconciling"] == "widget shop/cart"
    assert "assert self.noticed.wait(PATIENCE)" in warnings[0].fields["stacktrace"]
    assert "by widget shop/cart" in unhealthy[0]
    assert seconds[0] >= 0.05
    assert activity.of(working) == "widget worker 0"


async def test_what_blocks_outside_of_a_reconcile_is_named_by_its_task() -> None:
    """Where no controller said what it does, the task's own name has to do."""
    blocking = Blocking()
    watchdog = Watchdog(Activity(), threshold=0.05, blocked=blocking.noticed.set)
    watchdog.start()

    async def background() -> None:
        blocking.call()

    await asyncio.create_task(background(), name="my background task")
    watchdog.stop()
    assert watchdog.last is not None
    assert watchdog.last.activity == "my background task"


async def test_a_loop_that_turns_is_left_alone() -> None:
    """Waiting is not blocking, and healthy is the default."""
    watchdog = Watchdog(Activity(), threshold=30.0)
    watchdog.start()
    await asyncio.sleep(0)
    watchdog.check()
    watchdog.stop()
    assert watchdog.last is None


def test_a_closed_loop_ends_the_watchdog() -> None:
    """A loop that is gone cannot be blocked."""
    watchdog = Watchdog(Activity(), threshold=0.02)

    async def main() -> None:
        watchdog.start()

    asyncio.run(main())
    assert watchdog._thread is not None
    watchdog._thread.join(PATIENCE)
    assert not watchdog._thread.is_alive()
