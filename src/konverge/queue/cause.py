"""Why a key is in the queue: the events that put it there, for logs and traces.

Causes travel with a key and are merged when it is added again. They are kept small: the first eight different ones, and
how many there were in all. No decision may look at them; a key that lost its causes is worked on all the same.
"""

from __future__ import annotations

from typing import Final

import msgspec

MAX_CAUSES: Final = 8


class Cause(msgspec.Struct, frozen=True, gc=False):
    """One event: what happened to which object. It holds strings alone, so the garbage collector need not look."""

    event: str  # "create", "update", "delete", "generic", "resync", "retry", "requeue after 30 s" ...
    kind: str = ""
    namespace: str = ""
    name: str = ""

    def __str__(self) -> str:
        path = "/".join(part for part in (self.namespace, self.name) if part)
        return " ".join(part for part in (self.event, self.kind, path) if part)


class Causes(msgspec.Struct, frozen=True):
    """The first different causes of one run of a key, in order, and the number of adds that had one."""

    first: tuple[Cause, ...] = ()
    count: int = 0

    def __str__(self) -> str:
        named = ", ".join(str(cause) for cause in self.first)
        more = self.count - len(self.first)
        return f"{named} and {more} more" if more else named


def merged(first: tuple[Cause, ...], cause: Cause) -> tuple[Cause, ...]:
    """Return the causes with one more, unless it is there or there are enough."""
    return first if len(first) >= MAX_CAUSES or cause in first else (*first, cause)
