"""What a worker gets: a key that is its own until `Queue.done(item)`."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

import msgspec

from konverge.queue.cause import Causes

K = TypeVar("K", bound=Hashable)


class Item(msgspec.Struct, Generic[K], frozen=True, eq=False):
    """One run of a key; two runs of the same key are different items."""

    key: K
    priority: int
    causes: Causes
    waited: float  # seconds from the moment it was ready (a delay does not count) until it was taken
    started: float  # the loop's time at which it was taken
