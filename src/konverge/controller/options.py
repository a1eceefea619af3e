"""Options of a controller: each with its default, which is controller-runtime's unless the comment says otherwise."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from konverge.controller.hot_loop import DEFAULT_RUNS
from konverge.controller.reconcile import Request
from konverge.errors import RequestError
from konverge.queue import RateLimiter


class ControllerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a controller works."""

    max_concurrent_reconciles: int = 1  # workers; one object is never with two of them
    rate_limiter: RateLimiter[Request] | None = None  # None: 5 ms doubling to 1,000 s, and 10 a second in all
    reconcile_timeout: float | timedelta | None = None  # seconds one reconcile may take; None: as long as it takes
    # Seconds to wait for the sources; None waits on and says what is missing (controller-runtime ends after 120).
    cache_sync_timeout: float | timedelta | None = None
    needs_leader_election: bool = True  # False: works on every replica
    enable_warmup: bool = False  # True: sources start before the election, so a new leader has its caches filled
    hot_loop_runs: int = DEFAULT_RUNS  # runs in a row that their own writes cause before it is reported; 0: never

    def __post_init__(self) -> None:
        if self.max_concurrent_reconciles < 1:
            raise RequestError(
                f"max_concurrent_reconciles={self.max_concurrent_reconciles}: a controller needs at least 1 worker"
            )
        for name in ("reconcile_timeout", "cache_sync_timeout"):
            value = seconds_of(getattr(self, name))
            if value is not None and value <= 0:
                raise RequestError(f"{name}={value:g}: give seconds above 0, or None for no limit")


def seconds_of(duration: float | timedelta | None) -> float | None:
    """Return a duration as seconds."""
    return duration.total_seconds() if isinstance(duration, timedelta) else duration
