"""A key that waits in the queue, delayed or ready: the one mutable record of it, shared by `delay` and `priority`."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

import msgspec

from konverge.queue.cause import Cause

K = TypeVar("K", bound=Hashable)


class Entry(msgspec.Struct, Generic[K], eq=False):
    """One waiting key. There is at most one entry per key, and none while the key has nothing to wait for."""

    key: K
    priority: int  # only ever raised while the entry lives
    at: float = 0.0  # delayed: when it becomes ready (only ever moved earlier); ready: since when
    delayed: bool = False  # from delayed to ready is the only change there is
    order: int = 0  # its place among the ready; a larger number is further back
    causes: tuple[Cause, ...] = ()
    cause_count: int = 0
