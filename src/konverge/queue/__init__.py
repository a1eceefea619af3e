"""The station between an event and its reconcile: a keyed queue with delays, priorities and rate limits.

`Queue` holds keys, each at most once, until a worker takes one; its module states what it promises. `RateLimiter`
decides how long a retry waits, `Cause` says why a key is there (for people, never for logic), `QueueMetrics` hears what
happens.
"""

from __future__ import annotations

from konverge.queue.cause import Cause, Causes
from konverge.queue.item import Item
from konverge.queue.metrics import NoMetrics, QueueMetrics, QueueState
from konverge.queue.priority import LOW_PRIORITY
from konverge.queue.queue import NotInFlight, Queue, QueueShutDown
from konverge.queue.rate_limit import Bucket, Exponential, Jittered, MaxOf, RateLimiter, default_rate_limiter

__all__ = [
    "LOW_PRIORITY",
    "Bucket",
    "Cause",
    "Causes",
    "Exponential",
    "Item",
    "Jittered",
    "MaxOf",
    "NoMetrics",
    "NotInFlight",
    "Queue",
    "QueueMetrics",
    "QueueShutDown",
    "QueueState",
    "RateLimiter",
    "default_rate_limiter",
]
