"""What a queue tells about itself: events to a `QueueMetrics` as they happen, levels in a `QueueState` when asked.

The two together hold all that the `workqueue_*` metrics of controller-runtime show. Levels are not pushed: they are
exact at the moment they are scraped, and cost nothing in between.

| metric | from |
|---|---|
| workqueue_adds_total | `added` |
| workqueue_queue_duration_seconds | `taken` |
| workqueue_work_duration_seconds | `finished` |
| workqueue_retries_total | `retried` |
| workqueue_depth, by priority | `QueueState.depth` |
| workqueue_unfinished_work_seconds | `QueueState.unfinished_work` |
| workqueue_longest_running_processor_seconds | `QueueState.longest_running` |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec


class QueueMetrics(Protocol):
    """Called by the queue on the loop's thread, so an implementation must be quick and must not raise."""

    def added(self, priority: int) -> None:
        """Hear that a key became ready; adds that met a ready one are not counted."""
        ...

    def taken(self, priority: int, waited: float) -> None:
        """Hear that a worker took a key that was ready for so many seconds."""
        ...

    def finished(self, worked: float) -> None:
        """Hear that a worker was done with a key after so many seconds."""
        ...

    def retried(self) -> None:
        """Hear that a key was added with a delay: a retry, or a requeue after some time."""
        ...


class NoMetrics:
    """Hears and forgets."""

    def added(self, priority: int) -> None:
        """Ignore it."""

    def taken(self, priority: int, waited: float) -> None:
        """Ignore it."""

    def finished(self, worked: float) -> None:
        """Ignore it."""

    def retried(self) -> None:
        """Ignore it."""


class QueueState(msgspec.Struct, frozen=True, kw_only=True):
    """The levels of a queue at one moment."""

    depth: Mapping[int, int]  # ready keys by priority, highest first; a priority that was in use before may show 0
    delayed: int  # keys that become ready later
    in_flight: int  # keys that workers have
    unfinished_work: float  # seconds that the keys in flight have taken so far, in sum
    longest_running: float  # seconds that the longest of them has taken so far
