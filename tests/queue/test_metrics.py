"""What a queue tells to its metrics."""

from __future__ import annotations

import asyncio

from konverge.queue import LOW_PRIORITY, Exponential, Queue, QueueState
from konverge.testing.virtual_time import run


class Heard:
    """Writes down what it hears."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def added(self, priority: int) -> None:
        """Note it."""
        self.lines.append(f"added {priority}")

    def taken(self, priority: int, waited: float) -> None:
        """Note it."""
        self.lines.append(f"taken {priority} after {waited:g}")

    def finished(self, worked: float) -> None:
        """Note it."""
        self.lines.append(f"finished in {worked:g}")

    def retried(self) -> None:
        """Note it."""
        self.lines.append("retried")


def test_events_are_told_as_they_happen() -> None:
    """A key counts as added when it is ready, and its wait begins then."""

    async def main() -> list[str]:
        heard = Heard()
        queue: Queue[str] = Queue(rate_limiter=Exponential(1.0), metrics=heard)
        queue.add("a", priority=LOW_PRIORITY)
        queue.add("a")
        await asyncio.sleep(2)
        item = await queue.get()
        await asyncio.sleep(3)
        queue.add_rate_limited("a")
        queue.done(item)
        queue.done(await queue.get())
        return heard.lines

    assert run(main()) == [
        *(f"added {LOW_PRIORITY}", "taken 0 after 2"),
        *("retried", "finished in 3"),
        *("added 0", "taken 0 after 0", "finished in 0"),
    ]


def test_levels_are_read_when_asked() -> None:
    """Depth by priority counts ready keys, those locked included; the work is measured up to now."""

    async def main() -> QueueState:
        queue: Queue[str] = Queue()
        for key in "abc":
            queue.add(key)
        queue.add("low", priority=LOW_PRIORITY)
        queue.add("later", after=60, priority=5)
        await queue.get()
        await asyncio.sleep(2)
        await queue.get()
        await asyncio.sleep(3)
        queue.add("a", priority=2)
        return queue.state()

    assert run(main()) == QueueState(
        depth={2: 1, 0: 1, LOW_PRIORITY: 1}, delayed=1, in_flight=2, unfinished_work=8.0, longest_running=5.0
    )


def test_an_idle_queue_is_all_zero() -> None:
    """There is no work, so nothing runs long."""

    async def main() -> QueueState:
        return Queue[str]().state()

    assert run(main()) == QueueState(depth={}, delayed=0, in_flight=0, unfinished_work=0, longest_running=0)
