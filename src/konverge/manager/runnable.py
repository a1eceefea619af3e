"""What a manager runs, and in which order.

Groups start in the order of `Group` and stop in that of `STOP_ORDER`, both controller-runtime's. A runnable says
where it belongs by what it has: nothing at all but `run` means that it runs on the leader only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import IntEnum
from inspect import isawaitable
from typing import Any, Protocol

from konverge.errors import RequestError


class Runnable(Protocol):
    """Anything with `async def run(self)`, which is cancelled to stop it; returning early is fine, raising is not.

    It may also have, each looked up once when it is added:

    - `needs_leader_election` (default True): False runs it on every replica;
    - `group`: a `Group`, for what has its own place in the order;
    - `async def ready(self)`: awaited before the next group starts;
    - `async def warm_up(self)`: awaited before the election, on every replica, for 10 seconds at most;
    - `async def stop(self)`: asked to end instead of being cancelled: work in flight ends, then `run` returns. After
      the grace period it is cancelled all the same.
    """

    async def run(self) -> None:
        """Do the work until cancelled."""
        ...


class Group(IntEnum):
    """Where a runnable belongs; groups start in this order, each when the one before is ready."""

    HTTP = 1  # probes must answer before anything that can take long
    WEBHOOKS = 2  # before caches: a conversion webhook may be needed to list
    CACHES = 3
    OTHERS = 4
    WARM_UP = 5
    LEADER = 6


STOP_ORDER = (Group.WARM_UP, Group.OTHERS, Group.LEADER, Group.CACHES, Group.WEBHOOKS, Group.HTTP)


def group_of(runnable: Runnable) -> Group:
    """Return the group of a runnable."""
    own = getattr(runnable, "group", None)
    if isinstance(own, Group):
        return own
    return Group.LEADER if getattr(runnable, "needs_leader_election", True) else Group.OTHERS


def name_of(runnable: Runnable) -> str:
    """Return what logs and errors call a runnable: its name, or its type's."""
    name = getattr(runnable, "name", None)
    return name if isinstance(name, str) and name else type(runnable).__name__


def check(runnable: Any) -> None:
    """Refuse what has no `run`."""
    if not callable(getattr(runnable, "run", None)):
        raise RequestError(
            f"{type(runnable).__name__} has no method run: write `async def run(self)`, or wrap a function with "
            "konverge.manager.Function"
        )


class Function:
    """A coroutine function as a runnable."""

    def __init__(
        self, function: Callable[[], Awaitable[None]], *, name: str = "", needs_leader_election: bool = True
    ) -> None:
        self._function = function
        self.name = name or getattr(function, "__qualname__", "function")
        self.needs_leader_election = needs_leader_election

    async def run(self) -> None:
        """Call it."""
        result = self._function()
        if not isawaitable(result):
            raise RequestError(f"{self.name} is no coroutine function: write `async def`, or use asyncio.to_thread")
        await result
