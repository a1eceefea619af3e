"""Indexes: a set of completion indexes, kept as intervals, in the short form that the status has: `0,2-5,7`.

An indexed job may have 100,000 completions; a set of intervals stays small as long as they finish roughly in order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Self

import msgspec

Interval = tuple[int, int]  # first and last, both included


class Indexes(msgspec.Struct, frozen=True):
    """Intervals in ascending order, with a gap between each two."""

    intervals: tuple[Interval, ...] = ()

    @classmethod
    def of(cls, indexes: Iterable[int]) -> Self:
        """Return the set of these indexes."""
        return cls.joined((index, index) for index in indexes)

    @classmethod
    def joined(cls, intervals: Iterable[Interval]) -> Self:
        """Return the set that these intervals cover, whatever their order and overlap."""
        found: list[Interval] = []
        for first, last in sorted(intervals):
            if found and first <= found[-1][1] + 1:
                found[-1] = (found[-1][0], max(found[-1][1], last))
            else:
                found.append((first, last))
        return cls(tuple(found))

    @classmethod
    def parse(cls, text: str | None, completions: int) -> Self:
        """Read the short form; what lies beyond the completions is cut off, what cannot be read is left out."""
        return cls.joined(_intervals(text or "", completions))

    def __or__(self, other: Indexes) -> Indexes:
        return Indexes.joined((*self.intervals, *other.intervals))

    def __and__(self, other: Indexes) -> Indexes:
        pairs = ((mine, theirs) for mine in self.intervals for theirs in other.intervals)
        shared = ((max(mine[0], theirs[0]), min(mine[1], theirs[1])) for mine, theirs in pairs)
        return Indexes.joined(interval for interval in shared if interval[0] <= interval[1])

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.intervals)

    def __contains__(self, index: int) -> bool:
        place = bisect_left(self.intervals, index, key=lambda interval: interval[1])
        return place < len(self.intervals) and self.intervals[place][0] <= index

    def __str__(self) -> str:
        return ",".join(_shown(first, last) for first, last in self.intervals)

    def gaps(self, completions: int) -> Iterator[int]:
        """Yield the indexes below the completions that are not in the set, in order."""
        start = 0
        for first, last in self.intervals:
            yield from range(start, min(first, completions))
            start = last + 1
        yield from range(start, completions)


def _intervals(text: str, completions: int) -> Iterator[Interval]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or not (last or first).isdecimal():
            continue
        if int(first) < completions:
            yield int(first), min(int(last or first), completions - 1)


def _shown(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first},{last}" if last == first + 1 else f"{first}-{last}"
