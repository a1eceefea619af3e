"""How long a key waits before it is tried again. Each limiter is a small pure object: the time comes in as `now`.

`default_rate_limiter()` is client-go's: the longer of 5 ms · 2^n per key, up to 1,000 s, and a bucket of 10 retries a
second with a burst of 100 for all keys together. There is no jitter unless `Jittered` is put around a limiter.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

K = TypeVar("K", bound=Hashable)
_K_contra = TypeVar("_K_contra", bound=Hashable, contravariant=True)


class RateLimiter(Protocol[_K_contra]):
    """The contract: asked once per retry, told when a key has succeeded."""

    def when(self, key: _K_contra, now: float) -> float:
        """Count one more retry of the key and return how many seconds it must wait, 0 or more."""
        ...

    def forget(self, key: _K_contra) -> None:
        """Start over with this key: it succeeded, or nobody retries it any more."""
        ...

    def num_requeues(self, key: _K_contra) -> int:
        """How many retries of the key were counted since it was last forgotten."""
        ...


class Exponential:
    """`base` seconds for a key's first retry, twice as long for each further one, never longer than `maximum`."""

    __slots__ = ("_base", "_maximum", "_retries")

    # Enough to pass any maximum, and the float never overflows.
    _MOST_DOUBLINGS = 62

    def __init__(self, base: float = 0.005, maximum: float = 1000.0) -> None:
        self._base = base
        self._maximum = maximum
        self._retries: dict[Hashable, int] = {}

    def when(self, key: Hashable, now: float) -> float:  # noqa: ARG002 - the contract's; it depends on no time
        """Return the key's backoff and double it."""
        retries = self._retries.get(key, 0)
        self._retries[key] = retries + 1
        return min(self._base * 2.0 ** min(retries, self._MOST_DOUBLINGS), self._maximum)

    def forget(self, key: Hashable) -> None:
        """Begin with `base` again."""
        self._retries.pop(key, None)

    def num_requeues(self, key: Hashable) -> int:
        """How often `when` was asked about the key."""
        return self._retries.get(key, 0)


class Bucket:
    """`rate` retries a second for all keys together, after a burst of `burst`; who comes later waits for a token."""

    __slots__ = ("_burst", "_filled_at", "_rate", "_tokens")

    def __init__(self, rate: float = 10.0, burst: int = 100) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._tokens = self._burst  # below zero: reserved by retries that wait
        self._filled_at: float | None = None

    def when(self, key: Hashable, now: float) -> float:  # noqa: ARG002 - the contract's; all keys share the bucket
        """Reserve a token and return how long it takes to come."""
        passed = 0.0 if self._filled_at is None else max(0.0, now - self._filled_at)
        self._filled_at = now
        self._tokens = min(self._burst, self._tokens + passed * self._rate) - 1.0
        return max(0.0, -self._tokens / self._rate)

    def forget(self, key: Hashable) -> None:
        """Nothing is kept per key; a token that was taken is gone."""

    def num_requeues(self, key: Hashable) -> int:  # noqa: ARG002 - the contract's
        """Nothing is counted per key."""
        return 0


class MaxOf(Generic[K]):
    """The longest of what several limiters ask for; each of them counts the retry."""

    __slots__ = ("_limiters",)

    def __init__(self, *limiters: RateLimiter[K]) -> None:
        self._limiters = limiters

    def when(self, key: K, now: float) -> float:
        """Return the longest delay."""
        return max((limiter.when(key, now) for limiter in self._limiters), default=0.0)

    def forget(self, key: K) -> None:
        """Tell them all."""
        for limiter in self._limiters:
            limiter.forget(key)

    def num_requeues(self, key: K) -> int:
        """Return the highest count."""
        return max((limiter.num_requeues(key) for limiter in self._limiters), default=0)


class Jittered(Generic[K]):
    """Another limiter's delay, longer by up to `fraction` of it: keys that failed together do not stay together.

    `random` returns numbers from 0 up to 1; it is given, so that a test or a virtual run can repeat itself.
    """

    __slots__ = ("_fraction", "_limiter", "_random")

    def __init__(self, limiter: RateLimiter[K], *, fraction: float, random: Callable[[], float]) -> None:
        self._limiter = limiter
        self._fraction = fraction
        self._random = random

    def when(self, key: K, now: float) -> float:
        """Return the other's delay and some more."""
        return self._limiter.when(key, now) * (1.0 + self._fraction * self._random())

    def forget(self, key: K) -> None:
        """Tell the other."""
        self._limiter.forget(key)

    def num_requeues(self, key: K) -> int:
        """Ask the other."""
        return self._limiter.num_requeues(key)


def default_rate_limiter() -> RateLimiter[Hashable]:
    """Return a new limiter with client-go's numbers."""
    return MaxOf(Exponential(), Bucket())
