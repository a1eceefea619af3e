"""What is started and stopped in the tests of the lifecycle; each notes what is done to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from konverge.manager import Group
from konverge.manager.lifecycle import Lifecycle
from konverge.testing import virtual_time

Transcript = list[str]


@dataclass
class Part:
    """A runnable that writes down what happens to it."""

    name: str
    transcript: Transcript
    group: Group | None = None
    needs_leader_election: bool = True
    getting_ready: float = 1.0
    ending: float = 0.0

    async def run(self) -> None:
        """Run until cancelled, and take some time to end."""
        self.transcript.append(f"{self.name} starts")
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.transcript.append(f"{self.name} is asked to stop")
            await asyncio.sleep(self.ending)
            self.transcript.append(f"{self.name} ends")

    async def ready(self) -> None:
        """Take some time to be ready."""
        await asyncio.sleep(self.getting_ready)
        self.transcript.append(f"{self.name} is ready")


class WithWarmUp(Part):
    """One that also warms up."""

    async def warm_up(self) -> None:
        """Take some time."""
        await asyncio.sleep(1)
        self.transcript.append(f"{self.name} is warm")


@dataclass
class Worker:
    """A runnable that is asked to stop, and ends when its work is done."""

    seconds: float
    transcript: Transcript
    name: str = "worker"
    _stop: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Work until asked to stop, and then to the end."""
        try:
            await self._stop.wait()
            await asyncio.sleep(self.seconds)
            self.transcript.append("work in flight ended")
        except asyncio.CancelledError:
            self.transcript.append("work in flight was cut off")
            raise

    def stop(self) -> None:
        """Take no more work."""
        self._stop.set()


@dataclass
class Election:
    """An election that is won and lost on demand."""

    lifecycle: Lifecycle
    transcript: Transcript

    def start(self) -> None:
        """Begin."""
        self.transcript.append("election starts")

    def win(self) -> None:
        """Become leader."""
        self.transcript.append("election won")
        self.lifecycle.became_leader()

    async def stop(self, *, release: bool) -> None:
        """End."""
        self.transcript.append(f"election ends, {'lease given back' if release else 'lease kept'}")


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run under virtual time."""
    virtual_time.run(main())
