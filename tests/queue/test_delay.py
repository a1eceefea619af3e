"""The heap of delayed keys."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from konverge.queue.delay import Delays
from konverge.queue.entry import Entry

TIMES = st.floats(0, 1e6)


@given(st.lists(st.tuples(TIMES, st.none() | TIMES)))
def test_entries_come_out_at_their_last_time(plan: list[tuple[float, float | None]]) -> None:
    """Whatever is moved forward comes out once, by its earlier time, in the order of times."""
    delays: Delays[int] = Delays()
    expected = []
    for key, (at, sooner) in enumerate(plan):
        entry = Entry(key, 0)
        delays.add(entry, at)
        if sooner is not None and sooner < at:
            delays.move(entry, sooner)
        expected.append(entry.at)
    assert delays.next() == min(expected, default=None)
    assert [entry.at for entry in delays.due(1e6)] == sorted(expected)
    assert delays.next() is None
    assert len(delays) == 0


def test_only_what_is_due_comes_out() -> None:
    """The moment itself is due, what is later stays."""
    delays: Delays[str] = Delays()
    for key, at in (("a", 1.0), ("b", 2.0), ("c", 2.0), ("d", 3.0)):
        delays.add(Entry(key, 0), at)
    assert [entry.key for entry in delays.due(2.0)] == ["a", "b", "c"]
    assert delays.next() == 3.0


def test_memory_follows_the_entries_and_not_the_calls() -> None:
    """A key that is requeued for hours ahead and woken by an event, again and again, leaves nothing behind."""
    delays: Delays[str] = Delays()
    delays.add(Entry("stays", 0), 50_000.0)
    for _ in range(10_000):
        entry = Entry("a", 0)
        delays.add(entry, 36_000.0)
        delays.move(entry, 35_000.0)
        delays.remove(entry)
    assert len(delays) == 1
    assert len(delays._heap) < 100
    assert delays.next() == 50_000.0


def test_a_key_moved_again_and_again_has_one_place() -> None:
    """The places it left are swept although the key itself still waits."""
    delays: Delays[str] = Delays()
    entry = Entry("a", 0)
    delays.add(entry, 50_000.0)
    for at in range(40_000, 30_000, -1):
        delays.move(entry, float(at))
    assert len(delays._heap) < 100
    assert [entry.at for entry in delays.due(60_000.0)] == [30_001.0]
