"""What a controller promises whatever happens: random histories, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from konverge.controller import Context, Request, Result, TerminalError
from konverge.errors import Conflict

if TYPE_CHECKING:
    from tests.controller.conftest import World

NAMES = st.sampled_from("abcd")
EVENTS = st.lists(
    st.tuples(st.sampled_from(["change", "delete", "resync"]), NAMES, st.floats(0, 3)), min_size=1, max_size=30
)
OUTCOMES = st.lists(
    st.sampled_from(["ok", "slow", "error", "bug", "terminal", "requeue", "after", "cancelled"]), max_size=40
)


class Chaos:
    """A reconciler of random outcomes that notes what it saw."""

    def __init__(self, outcomes: list[str], seen: Callable[[str], str | None]) -> None:
        self.outcomes = outcomes
        self.look = seen
        self.busy: set[str] = set()
        self.last: dict[str, str | None] = {}  # by name: the version that the last run saw

    async def reconcile(self, _ctx: Context, request: Request) -> Result | None:
        """See what is there, then do something."""
        assert request.name not in self.busy, "two workers on one object"
        self.busy.add(request.name)
        try:
            self.last[request.name] = self.look(request.name)
            return await self._act(self.outcomes.pop() if self.outcomes else "ok")
        finally:
            self.busy.discard(request.name)

    async def _act(self, outcome: str) -> Result | None:
        match outcome:
            case "slow":
                await asyncio.sleep(2)
            case "error":
                raise Conflict("x")
            case "bug":
                raise KeyError("x")
            case "terminal":
                raise TerminalError("x")
            case "cancelled":
                raise asyncio.CancelledError
            case "requeue":
                return Result(requeue=True)
            case "after":
                return Result(requeue_after=1)
        return None


@given(events=EVENTS, outcomes=OUTCOMES, workers=st.integers(1, 4))
def test_the_last_state_of_every_object_is_seen(
    new_world: Callable[[], World], events: list[tuple[str, str, float]], outcomes: list[str], workers: int
) -> None:
    """After things have come to rest, the last run of each object saw its last version; none had two workers."""
    world = new_world()
    versions: dict[str, str | None] = {}

    async def main() -> Chaos:
        chaos = Chaos(list(outcomes), versions.get)
        made = await world.watching(chaos, world.widget("a"), max_concurrent_reconciles=workers)
        versions["a"] = "1"
        async with world.running(made):
            await asyncio.sleep(0.1)  # what is gone before anyone listens is nobody's business
            for number, (what, name, pause) in enumerate(events, start=2):
                if what == "change":
                    versions[name] = str(number)
                    world.informers.changed(world.widget(name, resourceVersion=str(number)))
                elif what == "delete" and versions.get(name):
                    versions[name] = None
                    world.informers.deleted(world.widget(name, resourceVersion=str(number)))
                elif what == "resync":
                    world.informers.resync("Widget")
                await asyncio.sleep(pause)
            await asyncio.sleep(3600)
            assert made.queue.state().in_flight == made.queue.state().delayed == 0
        return chaos

    chaos = world.play(main())
    assert chaos.last == versions
