"""ConversionNeeded: raised where an object is needed in a version that only a webhook can make of it.

Reading and the first part of writing never wait: they find what was converted before, or raise this. Whoever runs a
verb then waits for the webhook and begins anew, as with a write that came between. What already has a lasting effect
sees to its conversions first (`Strategy.prepare_storing`), and is never begun anew.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable


class ConversionNeeded(Exception):
    """Await `resolve`, then do it again; it raises a `Failure` where the webhook does not convert."""

    def __init__(self, resolve: Callable[[], Awaitable[None]]) -> None:
        super().__init__("the object has to be converted by a webhook first")
        self.resolve = resolve
