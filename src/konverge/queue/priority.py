"""The ready keys by priority, highest first, oldest first within one; and how a low one is kept from starving.

Most gets serve the oldest entry of the highest priority. If that leaves an older entry of a lower priority behind, the
older one was overtaken. **The oldest ready entry is overtaken at most `MAX_OVERTAKES` times in a row; the next get
serves it.** So fresh events pass a long initial list quickly (seven gets in eight are theirs), and the list moves on
however many there are.

Proof that nothing starves: a get either serves the oldest entry, or counts one overtaking; the count starts at zero
whenever the oldest is served. So the oldest is served within `MAX_OVERTAKES + 1` gets. New entries are younger than
those that are there, so an entry with n older ones is the oldest after n such servings at most, and is itself served
within (n + 1) · (MAX_OVERTAKES + 1) gets, counted from its last rise in priority (which takes it to the end of its new
lane). No clock is needed for it, and where all have one priority nothing changes: it is plain FIFO.
"""

from __future__ import annotations

import heapq
from collections import deque
from typing import Final, Generic

from konverge.queue.entry import Entry, K

LOW_PRIORITY: Final = -100
"""The priority of what is not news: the initial list and resyncs. The number is controller-runtime's."""

MAX_OVERTAKES: Final = 7

_MANY_LANES: Final = 16
_SWEEP_FROM: Final = 64


class _Lane(Generic[K]):
    """The ready entries of one priority, oldest first."""

    __slots__ = ("_came", "_live", "_returned", "priority")

    def __init__(self, priority: int) -> None:
        self.priority = priority
        # Both may hold entries that rose to another lane since: those are skipped, never counted.
        self._came: deque[Entry[K]] = deque()  # in order, for entries come oldest first ...
        self._returned: list[tuple[int, Entry[K]]] = []  # ... except those that kept their place while away: a heap
        self._live = 0

    def __len__(self) -> int:
        return self._live

    def append(self, entry: Entry[K]) -> None:
        self._live += 1
        self._came.append(entry)

    def put_back(self, entry: Entry[K]) -> None:
        self._live += 1
        heapq.heappush(self._returned, (entry.order, entry))

    def rose(self) -> None:
        """Count out an entry whose priority was raised; its place is swept when such places outnumber the others."""
        self._live -= 1
        if len(self._came) + len(self._returned) > 2 * self._live + _SWEEP_FROM:
            self._came = deque(entry for entry in self._came if entry.priority == self.priority)
            self._returned = [place for place in self._returned if place[1].priority == self.priority]
            heapq.heapify(self._returned)

    def head(self) -> Entry[K]:
        """The oldest entry of a lane that is not empty."""
        came, returned = self._came, self._returned
        while came and came[0].priority != self.priority:
            came.popleft()
        while returned and returned[0][1].priority != self.priority:
            heapq.heappop(returned)
        if returned and not (came and came[0].order < returned[0][0]):
            return returned[0][1]
        return came[0]

    def pop(self) -> Entry[K]:
        self._live -= 1
        if not self._returned and self._came[0].priority == self.priority:
            return self._came.popleft()  # as it nearly always is
        entry = self.head()
        if self._came and self._came[0] is entry:
            return self._came.popleft()
        return heapq.heappop(self._returned)[1]


class PriorityLanes(Generic[K]):
    """All ready entries that a worker may take."""

    __slots__ = ("_lanes", "_order", "_overtakes", "count")

    def __init__(self) -> None:
        self._lanes: dict[int, _Lane[K]] = {}  # highest priority first
        self.count = 0  # of all entries
        self._order = 0
        self._overtakes = 0  # gets since the oldest entry was served last that left it behind

    def __len__(self) -> int:
        return self.count

    def next_order(self) -> int:
        """A place behind every one that was given out before."""
        self._order += 1
        return self._order

    def append(self, entry: Entry[K]) -> None:
        """Take in an entry that has just been given its place."""
        self.count += 1
        self._lane(entry.priority).append(entry)

    def put_back(self, entry: Entry[K]) -> None:
        """Take in an entry that was given its place some time ago and keeps it."""
        self.count += 1
        self._lane(entry.priority).put_back(entry)

    def rise(self, entry: Entry[K], priority: int) -> None:
        """Move an entry to the end of a higher lane, for those there came for that priority before it."""
        old = self._lanes[entry.priority]
        entry.priority = priority
        entry.order = self.next_order()
        old.rose()
        self._lane(priority).append(entry)

    def pop(self) -> Entry[K]:
        """Take the entry whose turn it is; there must be one."""
        self.count -= 1
        if len(self._lanes) == 1:
            self._overtakes = 0
            return next(iter(self._lanes.values())).pop()
        lanes = [lane for lane in self._lanes.values() if lane]
        highest = lanes[0]
        oldest = min(lanes, key=_age) if len(lanes) > 1 else highest
        if oldest is highest or self._overtakes >= MAX_OVERTAKES:
            self._overtakes = 0
            return oldest.pop()
        self._overtakes += 1
        return highest.pop()

    def depth(self) -> dict[int, int]:
        """How many entries there are of each priority, highest first."""
        return {lane.priority: len(lane) for lane in self._lanes.values()}

    def clear(self) -> None:
        """Forget all of them."""
        self._lanes.clear()
        self.count = 0

    def _lane(self, priority: int) -> _Lane[K]:
        lane = self._lanes.get(priority)
        return lane if lane is not None else self._new_lane(priority)

    def _new_lane(self, priority: int) -> _Lane[K]:
        lane = _Lane[K](priority)
        kept = [old for old in self._lanes.values() if old or len(self._lanes) < _MANY_LANES]
        self._lanes = {lane.priority: lane for lane in sorted([lane, *kept], key=lambda lane: -lane.priority)}
        return lane


def _age(lane: _Lane[K]) -> int:
    return lane.head().order
