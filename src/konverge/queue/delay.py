"""The delayed keys, soonest first: a heap, so that one timer serves them all. Pure: times come in, entries come out.

An entry that left (it became ready early) or moved (to an earlier time) leaves its old place in the heap behind. Such
places are skipped when they surface and swept when they outnumber the others, so memory follows the number of delayed
keys and not the number of calls.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count
from typing import Final, Generic

from konverge.queue.entry import Entry, K

_SWEEP_FROM: Final = 64  # a heap smaller than this is not worth sweeping


class Delays(Generic[K]):
    """Entries by the time at which they become ready; those of the same time in the order they came."""

    __slots__ = ("_heap", "_live", "_tickets")

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Entry[K]]] = []
        self._live = 0
        self._tickets = count()

    def __len__(self) -> int:
        return self._live

    def add(self, entry: Entry[K], at: float) -> None:
        """Delay an entry that was not."""
        entry.delayed = True
        self._live += 1
        self._place(entry, at)

    def move(self, entry: Entry[K], at: float) -> None:
        """Bring a delayed entry forward."""
        self._place(entry, at)
        self._sweep()

    def remove(self, entry: Entry[K]) -> None:
        """End an entry's delay before its time."""
        entry.delayed = False
        self._live -= 1
        self._sweep()

    def due(self, now: float) -> Iterator[Entry[K]]:
        """Take out each entry whose time has come, soonest first."""
        while (at := self.next()) is not None and at <= now:
            entry = heapq.heappop(self._heap)[2]
            entry.delayed = False
            self._live -= 1
            yield entry

    def next(self) -> float | None:
        """When the soonest entry becomes ready."""
        heap = self._heap
        while heap and not _holds(heap[0]):
            heapq.heappop(heap)
        return heap[0][0] if heap else None

    def clear(self) -> None:
        """Forget all of them."""
        self._heap.clear()
        self._live = 0

    def _place(self, entry: Entry[K], at: float) -> None:
        entry.at = at
        heapq.heappush(self._heap, (at, next(self._tickets), entry))

    def _sweep(self) -> None:
        if len(self._heap) > 2 * self._live + _SWEEP_FROM:
            self._heap = [place for place in self._heap if _holds(place)]
            heapq.heapify(self._heap)


def _holds(place: tuple[float, int, Entry[K]]) -> bool:
    """Whether the entry is still delayed, and until this very time."""
    at, _, entry = place
    return entry.delayed and entry.at == at
