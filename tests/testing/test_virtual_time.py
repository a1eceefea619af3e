"""The loop whose time is virtual: what it promises, each promise once."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from konverge import clock
from konverge.testing.virtual_time import START, Deadlock, VirtualTimeError, VirtualTimeLoop, run


def test_a_day_of_sleeps_takes_no_time() -> None:
    """Twenty thousand sleeps spread over 24 hours end in well under a second of real time."""

    async def main() -> float:
        await asyncio.gather(*(asyncio.sleep(86_400 * i / 20_000) for i in range(1, 20_001)))
        return asyncio.get_running_loop().time()

    began = time.monotonic()
    assert run(main()) == 86_400
    assert time.monotonic() - began < 5  # 0.3 s on a quiet machine


def test_one_task_may_sleep_day_after_day() -> None:
    """A sleep longer than the selector's own limit of a day is one jump, and ends on the second."""

    async def main() -> float:
        for _ in range(10):
            await asyncio.sleep(3 * 86_400)
        return asyncio.get_running_loop().time()

    assert run(main()) == 30 * 86_400


def test_wall_time_follows_the_loop() -> None:
    """`clock.now()` starts at `start`, moves with the sleeps, and stands while code runs."""
    start = datetime(2031, 5, 1, 12, tzinfo=UTC)

    async def main() -> list[datetime]:
        before = clock.now()
        time.perf_counter_ns()
        same = clock.now()
        await asyncio.sleep(90)
        return [before, same, clock.now()]

    assert run(main(), start=start) == [start, start, start + timedelta(seconds=90)]


def test_the_default_start_is_always_the_same() -> None:
    """Two runs without a start see the same times."""

    async def main() -> datetime:
        return clock.now()

    assert run(main()) == run(main()) == START


def test_a_start_without_a_time_zone_is_refused() -> None:
    """A naive time would mean another moment on each machine."""
    with pytest.raises(VirtualTimeError, match="tzinfo=UTC"):
        VirtualTimeLoop(start=datetime(2026, 1, 1))  # noqa: DTZ001 - what is refused


def test_a_timer_is_never_early() -> None:
    """After a sleep the time is the deadline itself, whatever the rounding of the difference."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(12_345.678)
        for _ in range(1000):
            deadline = loop.time() + 0.1
            await asyncio.sleep(0.1)
            assert loop.time() == deadline

    run(main())


def test_timeouts_are_virtual() -> None:
    """`asyncio.timeout` ends a wait at its virtual deadline."""

    async def main() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3600):
                await asyncio.Event().wait()
        return asyncio.get_running_loop().time()

    assert run(main()) == 3600


def test_work_comes_before_time() -> None:
    """Time does not pass while a task can run, however many turns it takes."""

    async def busy() -> float:
        for _ in range(1000):
            await asyncio.sleep(0)
        return asyncio.get_running_loop().time()

    async def main() -> float:
        sleeper = asyncio.create_task(asyncio.sleep(1e-6))
        worked_until = await busy()
        await sleeper
        return worked_until

    assert run(main()) == 0


async def _lost_event() -> None:
    await asyncio.Event().wait()


def test_a_deadlock_names_the_tasks_and_their_lines() -> None:
    """A program that can never go on is an error that says who waits where, instead of a hang."""

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(_lost_event(), name="reconcile default/a")
            await asyncio.sleep(60)

    with pytest.raises(Deadlock) as caught:
        run(main())
    text = str(caught.value)
    assert "nothing can run and no timer is set" in text
    assert "reconcile default/a: _lost_event > Event.wait at locks.py:" in text
    assert "main > TaskGroup.__aexit__ at taskgroups.py:" in text


def test_a_timer_that_never_comes_is_a_deadlock_too() -> None:
    """Infinity is not a time to jump to."""
    with pytest.raises(Deadlock):
        run(asyncio.sleep(float("inf")))


def test_after_a_deadlock_the_tasks_are_cleaned_up() -> None:
    """The runner cancels what is left, so `finally` blocks run."""
    cleaned = []

    async def main() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append("main")

    with pytest.raises(Deadlock):
        run(main())
    assert cleaned == ["main"]


def test_time_stands_still_while_a_thread_works() -> None:
    """A thread may take as long as it likes: no timer passes it by."""
    release = threading.Event()

    def work() -> str:
        release.wait(10)
        return "answer"

    async def main() -> tuple[str, float, bool]:
        loop = asyncio.get_running_loop()
        sleeper = asyncio.create_task(asyncio.sleep(1))
        real = threading.Timer(0.05, release.set)
        real.start()
        answer = await asyncio.to_thread(work)
        result = answer, loop.time(), sleeper.done()
        await sleeper
        real.join()
        return result

    assert run(main()) == ("answer", 0.0, False)


def test_many_threads_come_back() -> None:
    """No answer is taken for a deadlock, however the ends of threads interleave."""

    async def main() -> list[int]:
        return await asyncio.gather(*(asyncio.to_thread(abs, i) for i in range(500)))

    assert run(main()) == list(range(500))


def test_a_cancelled_wait_still_waits_for_the_thread() -> None:
    """A thread cannot be cancelled, so the time waits for it even when no task does."""
    started, release = threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        release.wait(10)

    async def main() -> None:
        waiting = asyncio.create_task(asyncio.to_thread(work))
        await asyncio.sleep(0)
        started.wait(10)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        threading.Timer(0.05, release.set).start()
        await asyncio.sleep(5)
        assert release.is_set()

    run(main())


def test_a_thread_may_ask_the_loop_for_something_slow() -> None:
    """A blocking client in a thread waits for a coroutine that sleeps: time passes for it, and only for it."""

    async def slow(seconds: float) -> float:
        await asyncio.sleep(seconds)
        return asyncio.get_running_loop().time()

    async def main() -> list[float]:
        loop = asyncio.get_running_loop()

        def work() -> list[float]:
            return [asyncio.run_coroutine_threadsafe(slow(seconds), loop).result(10) for seconds in (3, 4)]

        return await asyncio.to_thread(work)

    assert run(main()) == [3, 7]


def test_a_thread_that_asks_for_what_never_comes_is_a_deadlock() -> None:
    """The thread is released by the cancellation, so that the error is seen."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        await asyncio.to_thread(lambda: asyncio.run_coroutine_threadsafe(_lost_event(), loop).result(10))

    with pytest.raises(Deadlock, match="_lost_event > Event"):
        run(main())


def _connect() -> Awaitable[Any]:
    return asyncio.open_connection("127.0.0.1", 1)


def _serve() -> Awaitable[Any]:
    return asyncio.start_server(lambda *_: None, "127.0.0.1", 0)


def _spawn() -> Awaitable[Any]:
    return asyncio.create_subprocess_exec(sys.executable, "-c", "")


def _lookup() -> Awaitable[Any]:
    return asyncio.get_running_loop().getaddrinfo("localhost", 80)


async def _read() -> None:
    with socket.socket() as sock:
        asyncio.get_running_loop().add_reader(sock, print)


async def _process_pool() -> None:
    with ProcessPoolExecutor(1) as pool:
        await asyncio.get_running_loop().run_in_executor(pool, print)


@pytest.mark.parametrize("ask", [_connect, _serve, _spawn, _lookup, _read, _process_pool])
def test_what_takes_real_time_is_refused(ask: Callable[[], Awaitable[Any]]) -> None:
    """A socket or a subprocess is an error at once, and the error says what to use instead."""

    async def main() -> None:
        await ask()

    with pytest.raises(VirtualTimeError, match="takes real time, and this loop's time is virtual; use an in-process"):
        run(main())


def test_two_runs_interleave_alike() -> None:
    """The same program does the same things in the same order, each time."""

    async def main() -> list[tuple[str, float]]:
        seen = []

        async def beat(name: str, every: float) -> None:
            for _ in range(50):
                await asyncio.sleep(every)
                seen.append((name, asyncio.get_running_loop().time()))

        await asyncio.gather(beat("a", 0.1), beat("b", 0.2), beat("c", 0.3))
        return seen

    assert run(main()) == run(main())
