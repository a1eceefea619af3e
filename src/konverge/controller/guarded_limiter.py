"""GuardedLimiter: an author's rate limiter, behind which a bug in it ends no worker and loses no key."""

from __future__ import annotations

import math

from konverge import log
from konverge.controller.reconcile import Request
from konverge.queue import RateLimiter, default_rate_limiter

_LOG = log.get("controller")


class GuardedLimiter:
    """Asks the author's limiter; where that raises, or answers with no number, the default one decides."""

    def __init__(self, limiter: RateLimiter[Request]) -> None:
        self._limiter = limiter
        self._default = default_rate_limiter()

    def when(self, key: Request, now: float) -> float:
        """Return the delay of a key."""
        try:
            delay = self._limiter.when(key, now)
            if math.isfinite(delay):
                return delay
            error = None
        except Exception as raised:  # noqa: BLE001 - the author's code
            error = raised
        self._tell("when", key, error)
        return self._default.when(key, now)

    def forget(self, key: Request) -> None:
        """End the backoff of a key."""
        self._default.forget(key)
        try:
            self._limiter.forget(key)
        except Exception as error:  # noqa: BLE001 - the author's code
            self._tell("forget", key, error)

    def num_requeues(self, key: Request) -> int:
        """How often a key was delayed."""
        try:
            return self._limiter.num_requeues(key)
        except Exception as error:  # noqa: BLE001 - the author's code
            self._tell("num_requeues", key, error)
            return self._default.num_requeues(key)

    def _tell(self, method: str, key: Request, error: Exception | None) -> None:
        _LOG.error(
            "a rate limiter failed; the default one takes its place",
            error,
            limiter=type(self._limiter).__name__,
            method=method,
            key=str(key),
        )
