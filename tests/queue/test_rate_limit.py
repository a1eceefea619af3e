"""The rate limiters, with client-go's numbers."""

from __future__ import annotations

import pytest

from konverge.queue import Bucket, Exponential, Jittered, MaxOf, RateLimiter, default_rate_limiter


def test_the_backoff_doubles_from_5_ms_to_1000_s() -> None:
    """The numbers are client-go's: 5 ms · 2^n, and 1,000 s from the nineteenth retry on."""
    limiter = Exponential()
    delays = [limiter.when("a", 0.0) for _ in range(20)]
    assert delays[:5] == [0.005, 0.01, 0.02, 0.04, 0.08]
    assert delays[16:] == [327.68, 655.36, 1000.0, 1000.0]
    assert limiter.num_requeues("a") == 20


def test_the_backoff_does_not_overflow() -> None:
    """A key that fails for years stays at the maximum."""
    limiter = Exponential()
    assert {limiter.when("a", 0.0) for _ in range(5000)} >= {1000.0}
    assert limiter.when("a", 0.0) == 1000.0


def test_each_key_has_its_own_backoff() -> None:
    """One key's failures do not slow another down, and forgetting one forgets only that."""
    limiter = Exponential(1.0, 60.0)
    assert [limiter.when(key, 0.0) for key in "aab"] == [1.0, 2.0, 1.0]
    limiter.forget("a")
    assert (limiter.num_requeues("a"), limiter.num_requeues("b")) == (0, 1)
    assert [limiter.when(key, 0.0) for key in "ab"] == [1.0, 2.0]
    limiter.forget("never seen")


def test_the_bucket_lets_a_burst_through_and_then_ten_a_second() -> None:
    """A hundred at once, then one more each tenth of a second, in the order they came."""
    bucket = Bucket()
    assert {bucket.when(i, 0.0) for i in range(100)} == {0.0}
    assert [bucket.when(i, 0.0) for i in range(3)] == pytest.approx([0.1, 0.2, 0.3])
    assert bucket.num_requeues("a") == 0


def test_the_bucket_fills_with_time_up_to_its_burst() -> None:
    """Waiting brings tokens back, never more than fit, and a clock that stands brings none."""
    bucket = Bucket(rate=2.0, burst=3)
    assert [bucket.when("a", 10.0) for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    assert bucket.when("a", 10.5) == 0.5
    assert [bucket.when("a", 1000.0) for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    bucket.forget("a")
    assert bucket.when("a", 999.0) == 1.0


def test_the_longest_wins_and_each_counts() -> None:
    """The default is the longer of backoff and bucket: many keys that fail for the first time share the bucket."""
    limiter = default_rate_limiter()
    delays = [limiter.when(key, 0.0) for key in range(120)]
    assert delays[:100] == [0.005] * 100
    assert delays[-1] == pytest.approx(2.0)
    assert limiter.num_requeues(0) == 1
    limiter.forget(0)
    assert limiter.num_requeues(0) == 0
    nothing: RateLimiter[str] = MaxOf()
    assert (nothing.when("a", 0.0), nothing.num_requeues("a")) == (0.0, 0)


def test_jitter_only_lengthens() -> None:
    """The given source decides how much; there is none unless it is asked for."""
    numbers = iter([0.0, 0.5, 0.999])
    limiter: RateLimiter[str] = Jittered(Exponential(1.0), fraction=0.1, random=lambda: next(numbers))
    assert [limiter.when(key, 0.0) for key in "abc"] == pytest.approx([1.0, 1.05, 1.0999])
    limiter.forget("a")
    assert [limiter.num_requeues(key) for key in "ab"] == [0, 1]
