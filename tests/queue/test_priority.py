"""The lanes of ready keys, and the rule that nothing starves in them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from konverge.queue.entry import Entry
from konverge.queue.priority import LOW_PRIORITY, MAX_OVERTAKES, PriorityLanes


def add(lanes: PriorityLanes[str], key: str, priority: int = 0) -> Entry[str]:
    """Put a new entry at the end of its lane."""
    entry = Entry(key, priority, order=lanes.next_order())
    lanes.append(entry)
    return entry


@given(
    mine=st.sampled_from([-1000, LOW_PRIORITY, 0]),
    older=st.lists(st.sampled_from([LOW_PRIORITY, 0, 3]), max_size=12),
    flood=st.lists(st.lists(st.integers(-200, 9), max_size=4), min_size=110, max_size=110),
)
def test_every_key_is_served_within_its_bound(mine: int, older: list[int], flood: list[list[int]]) -> None:
    """With n older keys, a key is served within (n + 1) · (MAX_OVERTAKES + 1) gets, whatever comes in meanwhile."""
    lanes: PriorityLanes[str] = PriorityLanes()
    for i, priority in enumerate(older):
        add(lanes, f"older {i}", priority)
    add(lanes, "mine", mine)
    bound = (len(older) + 1) * (MAX_OVERTAKES + 1)
    for priorities in flood[:bound]:
        for priority in priorities:
            add(lanes, "flood", priority)
        if lanes and lanes.pop().key == "mine":
            return
    raise AssertionError(f"not served in {bound} gets")


def test_fresh_keys_pass_a_long_initial_list() -> None:
    """Seven gets in eight go to the higher priority, so an event does not wait for thousands of others."""
    lanes: PriorityLanes[str] = PriorityLanes()
    for _ in range(1000):
        add(lanes, "low", LOW_PRIORITY)
    for _ in range(1000):
        add(lanes, "news")
    served = [lanes.pop().key for _ in range(80)]
    assert served == (["news"] * 7 + ["low"]) * 10


def test_the_oldest_is_served_and_not_the_lowest() -> None:
    """Age alone decides whose turn comes after seven: a key in a middle lane may be older than one below it."""
    lanes: PriorityLanes[str] = PriorityLanes()
    add(lanes, "oldest")
    add(lanes, "lowest", LOW_PRIORITY)
    for _ in range(20):
        add(lanes, "news", 10)
    served = [lanes.pop().key for _ in range(16)]
    assert served == ["news"] * 7 + ["oldest"] + ["news"] * 7 + ["lowest"]


def test_with_one_priority_it_is_plain_fifo() -> None:
    """Where nothing can be overtaken, the rule does nothing."""
    lanes: PriorityLanes[str] = PriorityLanes()
    for i in range(100):
        add(lanes, str(i), LOW_PRIORITY)
    assert [lanes.pop().key for _ in range(100)] == [str(i) for i in range(100)]
    assert len(lanes) == 0


def test_a_returned_entry_has_its_old_place() -> None:
    """Entries that were locked come back in between those that came while they were away."""
    lanes: PriorityLanes[str] = PriorityLanes()
    add(lanes, "1")
    locked = [Entry(key, 0, order=lanes.next_order()) for key in ("2", "3")]
    add(lanes, "4")
    for entry in reversed(locked):
        lanes.put_back(entry)
    assert [lanes.pop().key for _ in range(4)] == ["1", "2", "3", "4"]


def test_memory_follows_the_entries_and_not_the_rises() -> None:
    """Keys that are added low and raised, over and over, leave nothing behind in the lane they left."""
    lanes: PriorityLanes[str] = PriorityLanes()
    add(lanes, "stays", LOW_PRIORITY)
    for i in range(10_000):
        lanes.rise(add(lanes, str(i), LOW_PRIORITY), 0)
    assert lanes.depth() == {0: 10_000, LOW_PRIORITY: 1}
    assert len(lanes._lanes[LOW_PRIORITY]._came) < 100


def test_lanes_follow_the_priorities_in_use() -> None:
    """A program that makes up priorities as it goes does not slow the queue down."""
    lanes: PriorityLanes[str] = PriorityLanes()
    for priority in range(10_000):
        add(lanes, "a", priority)
        lanes.pop()
    assert len(lanes._lanes) <= 16
