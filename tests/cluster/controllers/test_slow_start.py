from __future__ import annotations

from konverge.cluster.controllers.slow_start import slow_start


async def test_all_are_done_in_rounds_that_double() -> None:
    """Everything succeeds: each number once, in order."""
    done, failure = await slow_start(10, _same)
    assert (done, failure) == (list(range(10)), None)


async def _same(number: int) -> int:
    return number


async def test_a_failure_ends_it_after_its_round() -> None:
    """The third call fails: its round of two is done, and no other begins."""
    tried: list[int] = []

    async def fail_at_two(number: int) -> int:
        tried.append(number)
        if number == 2:
            raise ValueError("no")
        return number

    done, failure = await slow_start(100, fail_at_two)
    assert (tried, done, str(failure)) == ([0, 1, 2], [0, 1], "no")


async def test_nothing_to_do_is_done() -> None:
    """Zero calls are no call."""
    assert await slow_start(0, _same) == ([], None)
