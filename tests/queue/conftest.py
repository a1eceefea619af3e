"""A player for transcripts: what is done to a queue, line by line, and beside it what must follow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from konverge.queue import Exponential, Item, NotInFlight, Queue, QueueShutDown
from konverge.testing.virtual_time import run


class Player:
    """Runs commands against a queue and notes who got what, at which time."""

    def __init__(self) -> None:
        self.queue: Queue[str] = Queue("transcript", rate_limiter=Exponential())
        self.items: dict[str, Item[str]] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.notes: list[str] = []

    async def play(self, script: str) -> str:
        """Return the script with what really happened after each arrow."""
        lines = []
        for line in script.strip().splitlines():
            command = line.split("→")[0].strip()
            for part in command.split("; "):  # parts of a line happen in one turn of the loop
                await self.do(*part.split())
            await self.settle()
            happened = ", ".join(self.notes)
            self.notes.clear()
            lines.append(f"{command} → {happened}" if happened else command)
        for task in self.tasks.values():
            task.cancel()
        await self.settle()
        return "\n".join(lines)

    async def settle(self) -> None:
        """Let everything run that can, without time passing."""
        for _ in range(10):
            await asyncio.sleep(0)
        for task in self.tasks.values():
            if task.done() and not task.cancelled():
                task.result()

    async def do(self, verb: str, *args: str) -> None:
        """Run one command."""
        await getattr(self, verb)(*args)

    async def add(self, key: str, *options: str) -> None:
        """Add a key: `add a after=5 priority=-100`."""
        given = dict(option.split("=") for option in options)
        self.queue.add(key, after=float(given.get("after", 0)), priority=int(given.get("priority", 0)))

    async def fail(self, key: str) -> None:
        """Add a key rate-limited."""
        self.queue.add_rate_limited(key)

    async def forget(self, key: str) -> None:
        """End a key's backoff."""
        self.queue.forget(key)

    async def take(self, worker: str) -> None:
        """Have a worker wait for one item."""
        self.tasks[worker] = asyncio.create_task(self._take(worker))

    async def _take(self, worker: str) -> None:
        try:
            item = await self.queue.get()
        except QueueShutDown:
            self.notes.append(f"{worker} is sent home")
            return
        assert item.key not in self.items
        self.items[item.key] = item
        self.notes.append(f"{worker} gets {item.key} at {asyncio.get_running_loop().time():g}")

    async def cancel(self, worker: str) -> None:
        """Cancel a worker's wait."""
        self.tasks[worker].cancel()

    async def done(self, key: str) -> None:
        """End the work on a key."""
        self.queue.done(self.items.pop(key))

    async def done_twice(self, key: str) -> None:
        """End the work on a key, and then by mistake once more."""
        item = self.items.pop(key)
        self.queue.done(item)
        try:
            self.queue.done(item)
        except NotInFlight:
            self.notes.append("the second is refused")

    async def wait(self, seconds: str) -> None:
        """Let time pass."""
        await asyncio.sleep(float(seconds))

    async def stop(self) -> None:
        """Shut down."""
        self.queue.shut_down()

    async def drain(self) -> None:
        """Shut down with drain, beside what follows."""
        self.tasks["drain"] = asyncio.create_task(self._drain())

    async def _drain(self) -> None:
        await self.queue.shut_down_with_drain()
        self.notes.append("drained")

    async def show(self) -> None:
        """Note the queue's own words."""
        self.notes.append(repr(self.queue).removeprefix("<Queue 'transcript'").removesuffix(">").lstrip(": "))


@pytest.fixture
def replay() -> Callable[[str], None]:
    """Play a transcript under virtual time and compare it with itself."""

    async def play(script: str) -> str:
        return await Player().play(script)

    def compare(script: str) -> None:
        wanted = "\n".join(line.strip() for line in script.strip().splitlines())
        assert run(play(wanted)) == wanted

    return compare
