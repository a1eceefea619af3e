"""The queue's interleavings as transcripts: each line is what is done, and after the arrow what follows from it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from konverge.queue import LOW_PRIORITY, NotInFlight, Queue, QueueShutDown
from konverge.testing.virtual_time import run

Replay = Callable[[str], None]


def test_a_key_is_queued_once(replay: Replay) -> None:
    """Two adds of a waiting key are one run."""
    replay("""
        add a; add a; show → 1 ready, 0 delayed, 0 in flight
        take w1 → w1 gets a at 0
        take w2; show → 0 ready, 0 delayed, 1 in flight
        done a; show → 0 ready, 0 delayed, 0 in flight
    """)


def test_a_key_in_flight_runs_again_after_it_is_done(replay: Replay) -> None:
    """While one worker has the key no other gets it; the add is not lost."""
    replay("""
        add a
        take w1 → w1 gets a at 0
        take w2
        add a; show → 1 ready, 0 delayed, 1 in flight
        wait 5
        done a → w2 gets a at 5
        done a; show → 0 ready, 0 delayed, 0 in flight
    """)


def test_a_key_in_flight_keeps_the_place_of_its_add(replay: Replay) -> None:
    """It was added before b, so it comes before b although it was locked meanwhile."""
    replay("""
        add a
        take w1 → w1 gets a at 0
        add a
        add b
        done a
        take w1 → w1 gets a at 0
        take w2 → w2 gets b at 0
    """)


def test_a_locked_key_does_not_block_the_others(replay: Replay) -> None:
    """A ready key behind a locked one is served."""
    replay("""
        add a
        take w1 → w1 gets a at 0
        add a
        add b
        take w2 → w2 gets b at 0
    """)


def test_a_delay_ends_on_time(replay: Replay) -> None:
    """A delayed key is handed out at its moment, not before and not after."""
    replay("""
        add a after=5; show → 0 ready, 1 delayed, 0 in flight
        take w1
        wait 4.5
        wait 0.5 → w1 gets a at 5
    """)


def test_an_earlier_time_wins(replay: Replay) -> None:
    """A second delayed add brings the key forward, and its old time brings nothing."""
    replay("""
        add a after=60
        add a after=10
        take w1
        wait 30 → w1 gets a at 10
        done a
        take w1
        wait 60
    """)


def test_a_later_time_changes_nothing(replay: Replay) -> None:
    """A delayed add never postpones: neither a delayed key nor a ready one."""
    replay("""
        add a after=10; add a after=60
        take w1
        wait 20 → w1 gets a at 10
        add b; add b after=60
        take w2 → w2 gets b at 20
        done b; take w2
        wait 100
    """)


def test_an_add_now_ends_a_delay(replay: Replay) -> None:
    """An event for a key that waits for its requeue is served at once, and once."""
    replay("""
        add a after=60
        add a
        take w1 → w1 gets a at 0
        done a; take w1
        wait 100
    """)


def test_the_timer_moves_with_the_soonest(replay: Replay) -> None:
    """Delays that come in any order end in the order of their times."""
    replay("""
        add a after=30
        add b after=10
        add c after=20
        take w1; take w2; take w3
        wait 60 → w1 gets b at 10, w2 gets c at 20, w3 gets a at 30
    """)


def test_a_delay_that_ends_while_its_key_is_in_flight(replay: Replay) -> None:
    """The key is ready from then on, and served when it is done."""
    replay("""
        add a
        take w1 → w1 gets a at 0
        take w2; add a after=3
        wait 5
        show → 1 ready, 0 delayed, 1 in flight
        done a → w2 gets a at 5
    """)


def test_a_delay_that_outlives_the_work(replay: Replay) -> None:
    """A requeue-after that was asked for during the work waits on after it."""
    replay("""
        add a
        take w1 → w1 gets a at 0
        add a after=30; done a; take w1
        wait 60 → w1 gets a at 30
    """)


def test_backoff_doubles_and_is_forgotten(replay: Replay) -> None:
    """Failures wait 5, 10, 20 ms; after a success it is 5 ms again."""
    replay("""
        fail a; take w1; wait 1 → w1 gets a at 0.005
        fail a; done a; take w1; wait 1 → w1 gets a at 1.01
        fail a; done a; take w1; wait 1 → w1 gets a at 2.02
        forget a; fail a; done a; take w1; wait 1 → w1 gets a at 3.005
    """)


def test_higher_priorities_go_first_and_fifo_within(replay: Replay) -> None:
    """The order is by priority, and within one by arrival."""
    replay("""
        add a priority=-100; add b priority=-100; add c; add d; add e priority=10
        take w; take w; take w → w gets e at 0, w gets c at 0, w gets d at 0
        take w; take w → w gets a at 0, w gets b at 0
    """)


def test_a_raised_priority_goes_to_the_end_of_its_new_lane(replay: Replay) -> None:
    """Those that came for that priority before it keep their turn; a lower one changes nothing."""
    replay("""
        add a priority=-100; add b priority=-100; add c; add b; add c priority=-100
        take w; take w; take w → w gets c at 0, w gets b at 0, w gets a at 0
    """)


def test_a_priority_raised_while_delayed_or_locked_counts(replay: Replay) -> None:
    """The higher priority wins in every state of a key."""
    replay("""
        add a
        take w → w gets a at 0
        add a priority=-100; add b after=1 priority=-100; add c; add a priority=5; add b after=9 priority=3
        wait 2
        done a; take w; take w; take w → w gets a at 2, w gets b at 2, w gets c at 2
    """)


def test_a_low_priority_is_passed_over_seven_times_only(replay: Replay) -> None:
    """The eighth get serves the oldest, whatever else there is."""
    replay("""
        add old priority=-100
        add a; add b; add c; add d; add e; add f; add g; add h
        take w; take w; take w; take w → w gets a at 0, w gets b at 0, w gets c at 0, w gets d at 0
        take w; take w; take w; take w → w gets e at 0, w gets f at 0, w gets g at 0, w gets old at 0
        take w → w gets h at 0
    """)


def test_a_cancelled_get_takes_nothing(replay: Replay) -> None:
    """A key that arrives after the cancellation goes to the next worker."""
    replay("""
        take w1; take w2
        cancel w1
        add a → w2 gets a at 0
    """)


def test_a_get_cancelled_after_it_was_woken_passes_it_on(replay: Replay) -> None:
    """The key arrives, the first waiter is woken for it, and is cancelled before it can look: the second gets it."""
    replay("""
        take w1; take w2
        wait 0
        add a; cancel w1 → w2 gets a at 0
    """)


def test_a_get_cancelled_just_before_the_add_is_skipped(replay: Replay) -> None:
    """The cancelled waiter is still in line when the key arrives."""
    replay("""
        take w1; take w2
        cancel w1; add a → w2 gets a at 0
    """)


def test_the_only_get_cancelled_leaves_the_key(replay: Replay) -> None:
    """With nobody else there, the key stays for whoever comes."""
    replay("""
        take w1
        wait 0
        add a; cancel w1; show → 1 ready, 0 delayed, 0 in flight
        take w2 → w2 gets a at 0
    """)


def test_a_second_done_is_refused(replay: Replay) -> None:
    """It must not unlock the key for another while a third worker has it."""
    replay("""
        add a
        take w1 → w1 gets a at 0
        add a; take w2
        done_twice a → the second is refused, w2 gets a at 0
        add a; take w3
        show → 1 ready, 0 delayed, 1 in flight
        done a → w3 gets a at 0
    """)


def test_shutdown_sends_everyone_home(replay: Replay) -> None:
    """It does not drain: what waits is dropped, adds are ignored, and work in flight may end."""
    replay("""
        add a
        take w1 → w1 gets a at 0
        take w2; take w3
        add a; add b after=5
        stop → w2 is sent home, w3 is sent home
        add c; fail d; show → shut down: 0 ready, 0 delayed, 1 in flight
        take w2 → w2 is sent home
        done a
        wait 10
        show → shut down: 0 ready, 0 delayed, 0 in flight
    """)


def test_drain_finishes_what_is_ready(replay: Replay) -> None:
    """Ready keys are worked on, also one that is locked; delayed ones are dropped, later adds ignored."""
    replay("""
        add a; add b; add c after=5
        take w1 → w1 gets a at 0
        add a; drain
        add d
        take w2 → w2 gets b at 0
        take w3; done b
        done a → w3 gets a at 0
        take w1 → w1 is sent home
        done a → drained
        take w1 → w1 is sent home
    """)


def test_drain_of_an_idle_queue_is_at_once(replay: Replay) -> None:
    """Nothing to wait for, so workers go home and the drain ends."""
    replay("""
        take w1
        drain → drained, w1 is sent home
    """)


def test_shutdown_ends_a_drain(replay: Replay) -> None:
    """Who loses patience shuts down, and the drain returns."""
    replay("""
        add a; add b
        take w1 → w1 gets a at 0
        drain
        stop → drained
        take w1 → w1 is sent home
        done a
    """)


def test_a_drain_can_be_cancelled_and_asked_for_again(replay: Replay) -> None:
    """A timeout around the drain leaves the queue draining."""
    replay("""
        add a; take w1 → w1 gets a at 0
        drain
        cancel drain
        drain
        done a → drained
    """)


def test_iteration_ends_with_the_queue() -> None:
    """`async for` gives items until the queue is shut down."""

    async def main() -> list[str]:
        queue: Queue[str] = Queue()
        seen = []
        for key in "abc":
            queue.add(key)
        async for item in queue:
            seen.append(item.key)
            queue.done(item)
            if item.key == "c":
                queue.shut_down()
        return seen

    assert run(main()) == ["a", "b", "c"]


def test_items_of_the_same_key_are_different_runs() -> None:
    """An item says what its own run waited for; the one before does not unlock it."""

    async def main() -> None:
        queue: Queue[str] = Queue("views")
        queue.add("a")
        await asyncio.sleep(2)
        first = await queue.get()
        assert (first.key, first.priority, first.waited, first.started) == ("a", 0, 2.0, 2.0)
        queue.done(first)
        queue.add("a", after=1, priority=LOW_PRIORITY)
        second = await queue.get()
        assert (second.priority, second.waited, second.started) == (LOW_PRIORITY, 0.0, 3.0)
        with pytest.raises(NotInFlight, match=r"'a' is not in flight in the queue .views.*once per get"):
            queue.done(first)
        assert queue.in_flight == (second,)

    run(main())


def test_an_add_from_another_thread_is_refused() -> None:
    """It would race with the loop, so it is an error there and then."""
    queue: Queue[str] = Queue()
    caught = []

    def add() -> None:
        try:
            queue.add("a")
        except RuntimeError as error:
            caught.append(str(error))

    thread = threading.Thread(target=add)
    thread.start()
    thread.join()
    assert caught == ["no running event loop"]
    assert len(queue) == 0
    assert queue


def test_the_error_of_a_shut_down_queue_names_it() -> None:
    """Whoever sees it in a log knows which queue it was."""

    async def main() -> None:
        queue: Queue[str] = Queue("views")
        queue.shut_down()
        assert queue.shutting_down
        await queue.get()

    with pytest.raises(QueueShutDown, match='the queue "views" is shut down'):
        run(main())


def test_delays_cost_one_timer() -> None:
    """Ten thousand delayed keys are no tasks, and one timer."""

    async def main() -> None:
        queue: Queue[int] = Queue()
        for i in range(10_000):
            queue.add(i, after=1 + i / 1000)
        loop = asyncio.get_running_loop()
        assert len(asyncio.all_tasks()) == 1
        assert len([timer for timer in loop._scheduled if not timer.cancelled()]) == 1  # type: ignore[attr-defined]  # no public view
        await asyncio.sleep(60)
        assert [(await queue.get()).key for _ in range(10_000)] == list(range(10_000))

    run(main())


def test_a_hundred_thousand_keys_are_quick() -> None:
    """Adding and taking 100,000 keys on a plain loop takes well under a second on a quiet machine."""

    async def main() -> float:
        queue: Queue[int] = Queue()
        began = time.perf_counter()
        for i in range(100_000):
            queue.add(i, priority=LOW_PRIORITY if i % 2 else 0)
        for _ in range(100_000):
            queue.done(await queue.get())
        return time.perf_counter() - began

    assert asyncio.run(main()) < 5  # 0.4 s; the rest is for a machine that does other things
