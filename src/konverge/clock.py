"""Wall time, the one seam for it: `now()`.

Waiting and monotonic time come from the running asyncio loop alone (`asyncio.sleep`, `loop.time()`). Wall time
follows the same loop: a loop that has a `wall_time()` method (a virtual one) is asked, else the machine is. So time
can be replaced for a whole program by running it on another loop, and nothing global is switched.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Protocol, runtime_checkable


@runtime_checkable
class WallClock(Protocol):
    """What a loop offers to also decide what wall time is."""

    def wall_time(self) -> datetime:
        """Return the current time, in UTC."""
        ...


def now() -> datetime:
    """Return the current wall time in UTC: the running loop's if it keeps its own, else the machine's."""
    asyncio = sys.modules.get("asyncio")  # who has not imported it, which costs more than the rest, runs no loop
    try:
        loop = asyncio.get_running_loop() if asyncio is not None else None
    except RuntimeError:
        return datetime.now(UTC)
    own: WallClock | None = loop if hasattr(loop, "wall_time") else None  # isinstance of a protocol costs 28 times this
    return datetime.now(UTC) if own is None else own.wall_time()
