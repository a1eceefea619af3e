from __future__ import annotations

import asyncio
import threading

import pytest

from konverge.manager.loop_reader import LoopReader


async def test_other_threads_read_on_the_loop() -> None:
    """The function runs on the loop's thread, and its answer or error comes back."""
    reader = LoopReader[int](asyncio.get_running_loop(), patience=60)
    here = threading.get_ident()
    assert await asyncio.to_thread(reader, threading.get_ident) == here
    assert reader(threading.get_ident) == here

    def fail() -> int:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await asyncio.to_thread(reader, fail)


async def test_while_the_loop_is_blocked_the_last_answer_is_given() -> None:
    """A thread that asks while the loop waits for that very thread gets what was read before."""
    reader = LoopReader[str](asyncio.get_running_loop(), patience=0.05)
    answers: list[str] = []

    def ask(text: str) -> None:
        answers.append(reader(lambda: text))

    await asyncio.to_thread(ask, "first")
    thread = threading.Thread(target=ask, args=("second",))
    thread.start()
    thread.join()  # blocks the loop
    assert answers == ["first", "first"]


def test_after_the_loop_is_gone_it_is_read_in_place() -> None:
    """Nothing changes any more."""

    async def make() -> LoopReader[str]:
        return LoopReader(asyncio.get_running_loop())

    reader = asyncio.run(make())
    answers: list[str] = []
    thread = threading.Thread(target=lambda: answers.append(reader(lambda: "late")))
    thread.start()
    thread.join()
    assert answers == ["late"]
