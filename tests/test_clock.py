from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from konverge import clock

MOMENT = datetime(2030, 1, 1, 12, tzinfo=UTC)


class FrozenLoop(asyncio.SelectorEventLoop):
    """A loop that keeps its own wall time."""

    def wall_time(self) -> datetime:
        """Return the same moment always."""
        return MOMENT


async def ask() -> datetime:
    """Return what time it is inside a loop."""
    return clock.now()


def test_without_a_loop_the_machine_is_asked() -> None:
    """Outside of asyncio the time is the machine's, aware and in UTC."""
    before = datetime.now(UTC)
    now = clock.now()
    assert before <= now <= datetime.now(UTC)
    assert now.tzinfo is UTC


def test_an_ordinary_loop_has_the_machines_time() -> None:
    """A loop that keeps no wall time leaves it to the machine."""
    before = datetime.now(UTC)
    assert before <= asyncio.run(ask()) <= datetime.now(UTC)


def test_a_loop_may_decide_what_time_it_is() -> None:
    """A loop with `wall_time` replaces the time for everything that runs on it, and for nothing else."""
    with asyncio.Runner(loop_factory=FrozenLoop) as runner:
        assert runner.run(ask()) == MOMENT
    assert clock.now() != MOMENT
