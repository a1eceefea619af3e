"""Series: counters, gauges and histograms as plain numbers, in families of one name.

A reconcile counts ten things, so counting must cost next to nothing. A series that one thread alone counts (a queue's,
a controller's: their loop's) is added to in place, without a lock; `Number.inc` is for the others, which any thread may
count. A scrape reads from a thread of its own and waits for nobody: numbers are read one by one and buckets are copied
in one step, so a histogram's count always fits its buckets, while its sum may be one observation ahead or behind.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final, Generic, TypeVar


class Sort(StrEnum):
    """What the numbers of a family mean, as Prometheus calls it."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Number:
    """A counter or a gauge. Who counts it on one thread alone may add to `value` directly."""

    __slots__ = ("_lock", "value")

    def __init__(self, value: float = 0) -> None:
        self.value = value
        self._lock = threading.Lock()

    def inc(self, amount: float = 1) -> None:
        """Add to it, from any thread."""
        with self._lock:
            self.value += amount


class Histogram:
    """Observations by size; counted on one thread."""

    __slots__ = ("_counts", "bounds", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds: Final = bounds  # each the largest value of its bucket, ascending; one more bucket has the rest
        self.sum = 0.0
        self._counts = [0] * (len(bounds) + 1)

    def observe(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    @property
    def counts(self) -> list[int]:
        """How many values fell into each bucket, at one moment."""
        return self._counts.copy()


S = TypeVar("S", Number, Histogram)


class Family(Generic[S]):
    """The series of one name, by the values of their labels."""

    def __init__(self, sort: Sort, name: str, text: str, labels: Sequence[str], make: Callable[[], S]) -> None:
        self.sort = sort
        self.name = name
        self.text = text
        self.labels = tuple(labels)
        self.series: dict[tuple[str, ...], S] = {}
        self._make: Callable[[], S] = make
        if not labels:
            self.of()

    def of(self, *values: str) -> S:
        """Return the series of these labels, shown from now on."""
        found = self.series.get(values)
        # One step, for two threads may ask at once: they must get the same one.
        return found if found is not None else self.series.setdefault(values, self._make())


def counter(name: str, text: str, *labels: str) -> Family[Number]:
    """Make a family of counters."""
    return Family(Sort.COUNTER, name, text, labels, Number)


def gauge(name: str, text: str, *labels: str) -> Family[Number]:
    """Make a family of gauges."""
    return Family(Sort.GAUGE, name, text, labels, Number)


def histogram(name: str, text: str, *labels: str, bounds: Sequence[float]) -> Family[Histogram]:
    """Make a family of histograms."""
    return Family(Sort.HISTOGRAM, name, text, labels, lambda: Histogram(bounds))
