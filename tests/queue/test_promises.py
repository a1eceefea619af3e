"""The queue's promises against a model so plain that it is its own proof, on thousands of generated histories."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from konverge.queue import LOW_PRIORITY, Exponential, Item, NotInFlight, Queue
from konverge.queue.priority import MAX_OVERTAKES
from konverge.testing.virtual_time import VirtualTimeLoop

KEYS = st.sampled_from("abcdefgh")
DELAYS = st.sampled_from([0.0, -1.0, 0.005, 0.25, 1.0, 1.0, 2.5, 60.0])
PRIORITIES = st.sampled_from([LOW_PRIORITY, 0, 0, 7])


@dataclass
class Waiting:
    """What the model knows of a waiting key: when it is ready, how urgent it is, and its place in line."""

    ready_at: float
    priority: int
    place: int
    ready: bool = False


@dataclass
class Model:
    """The promises, spelled out over a dictionary; slow, and with nothing clever in it."""

    now: float = 0.0
    waiting: dict[str, Waiting] = field(default_factory=dict)
    in_flight: set[str] = field(default_factory=set)
    places: itertools.count[int] = field(default_factory=itertools.count)
    passed_over: int = 0

    def add(self, key: str, after: float, priority: int) -> None:
        """The earlier time and the higher priority win."""
        ready_at = self.now + max(after, 0.0)
        known = self.waiting.get(key)
        if known is None:
            self.waiting[key] = known = Waiting(ready_at, priority, next(self.places))
        if priority > known.priority:
            known.priority = priority
            known.place = next(self.places) if known.ready else known.place
        if ready_at < known.ready_at:
            known.ready_at = ready_at
            known.place = next(self.places)
        self.become_ready()

    def become_ready(self) -> None:
        """Give a place in line to each key whose time has come."""
        due = [w for w in self.waiting.values() if not w.ready and w.ready_at <= self.now]
        for waiting in due:
            waiting.ready = True
            waiting.place = next(self.places)

    def takeable(self) -> list[str]:
        """The ready keys that no worker has, oldest first."""
        keys = [key for key, w in self.waiting.items() if w.ready and key not in self.in_flight]
        return sorted(keys, key=lambda key: self.waiting[key].place)

    def take(self) -> str:
        """The highest priority, unless the oldest was passed over often enough."""
        keys = self.takeable()
        oldest = keys[0]
        highest = max(keys, key=lambda key: self.waiting[key].priority)  # the first of those, thus the oldest
        if self.waiting[highest].priority == self.waiting[oldest].priority or self.passed_over >= MAX_OVERTAKES:
            chosen, self.passed_over = oldest, 0
        else:
            chosen, self.passed_over = highest, self.passed_over + 1
        del self.waiting[chosen]
        self.in_flight.add(chosen)
        return chosen

    def next_time(self) -> float | None:
        """When the next delay ends."""
        return min((w.ready_at for w in self.waiting.values() if not w.ready), default=None)


class Histories(RuleBasedStateMachine):
    """Does the same to a queue and to the model, and compares all that can be seen."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = VirtualTimeLoop()
        self.model = Model()
        self.failures: dict[str, int] = {}
        self.items: dict[str, Item[str]] = {}
        self.getters: list[asyncio.Task[Item[str]]] = []
        self.served: list[str] = []  # what waiting getters got, in order
        self.expected: list[str] = []
        self.owed: dict[str, None] = {}  # keys added since they were last handed out

    @initialize()
    def start(self) -> None:
        """Make the queue."""
        self.queue: Queue[str] = Queue(rate_limiter=Exponential())

    def turn(self) -> None:
        """Let the loop do what it can now, and the model's waiting workers take what there is."""

        async def settle() -> None:
            for _ in range(8):
                await asyncio.sleep(0)

        self.serve_model()
        self.loop.run_until_complete(settle())
        self.collect()

    def serve_model(self) -> None:
        """Give the model's waiting workers what it has for them."""
        while len(self.expected) - len(self.served) < len(self.getters) and self.model.takeable():
            self.expected.append(self.model.take())

    def collect(self) -> None:
        """Note what the queue's waiting workers got."""
        for getter in [getter for getter in self.getters if getter.done()]:
            self.getters.remove(getter)
            self.hand_out(getter.result())
        assert sorted(self.served) == sorted(self.expected)

    def hand_out(self, item: Item[str]) -> None:
        """Note an item that a worker got."""
        assert item.key not in self.items, "two workers have one key"
        self.items[item.key] = item
        self.served.append(item.key)
        self.owed.pop(item.key, None)

    @rule(key=KEYS, after=DELAYS, priority=PRIORITIES)
    def add(self, key: str, after: float, priority: int) -> None:
        """Add a key."""
        self.add_many([(key, after, priority)])

    @rule(keys=st.lists(st.tuples(KEYS, DELAYS, PRIORITIES), max_size=30))
    def add_many(self, keys: list[tuple[str, float, int]]) -> None:
        """Add keys in one turn of the loop, so that no worker can take one in between."""

        async def add() -> None:
            for key, after, priority in keys:
                self.queue.add(key, after=after, priority=priority)

        for key, after, priority in keys:
            self.owed[key] = None
            self.model.add(key, after, priority)
        self.loop.run_until_complete(add())
        self.turn()

    @rule(key=KEYS, priority=PRIORITIES)
    def fail(self, key: str, priority: int) -> None:
        """Add a key after its backoff."""

        async def retry() -> None:
            self.queue.add_rate_limited(key, priority=priority)

        failures = self.failures.get(key, 0)
        self.failures[key] = failures + 1
        self.owed[key] = None
        self.loop.run_until_complete(retry())
        self.model.add(key, min(0.005 * 2**failures, 1000.0), priority)
        assert self.queue.num_requeues(key) == failures + 1
        self.turn()

    @rule(key=KEYS)
    def succeed(self, key: str) -> None:
        """Forget a key's failures; what waits of it stays."""
        self.queue.forget(key)
        self.failures.pop(key, None)

    @rule(seconds=st.sampled_from([0.0, 0.004, 0.25, 1.0, 100.0]))
    def wait(self, seconds: float) -> None:
        """Let time pass, stopping at each moment at which something becomes ready."""
        target = self.model.now + seconds
        while (moment := self.model.next_time()) is not None and moment <= target:
            self.until(moment)
        self.until(target)

    def until(self, moment: float) -> None:
        """Let time pass up to a moment at which something may become ready."""

        async def sleep() -> None:
            reached = self.loop.create_future()
            self.loop.call_at(moment, reached.set_result, None)
            await reached

        self.loop.run_until_complete(sleep())
        self.model.now = self.loop.time()
        assert self.model.now == moment
        self.model_ready_in_order_of_time()
        self.turn()

    def model_ready_in_order_of_time(self) -> None:
        """Make keys of one moment ready in the order in which that moment was set."""
        self.model.waiting = dict(sorted(self.model.waiting.items(), key=lambda pair: pair[1].place))
        self.model.become_ready()

    @precondition(lambda self: self.model.takeable())
    @rule()
    def get(self) -> None:
        """Take what is ready: at once, and just what the model takes."""
        expected = self.model.take()
        item = self.loop.run_until_complete(self.queue.get())
        assert item.key == expected
        self.expected.append(expected)
        self.hand_out(item)

    @rule()
    def wait_for_one(self) -> None:
        """Have one more worker wait."""
        self.getters.append(self.loop.create_task(self.queue.get()))
        self.turn()

    @precondition(lambda self: self.getters)
    @rule(data=st.data(), key=KEYS, when=st.sampled_from(["before the add", "after the add", "alone"]))
    def cancel(self, data: st.DataObject, key: str, when: str) -> None:
        """Cancel a waiting worker in the same turn in which a key arrives for it."""
        getter = data.draw(st.sampled_from(self.getters))
        self.getters.remove(getter)

        async def act() -> None:
            if when == "before the add":
                getter.cancel()
            if when != "alone":
                self.queue.add(key)
            getter.cancel()

        if when != "alone":
            self.owed[key] = None
            self.model.add(key, 0.0, 0)
        self.loop.run_until_complete(act())
        self.turn()
        assert getter.cancelled()

    @precondition(lambda self: self.items)
    @rule(data=st.data())
    def done(self, data: st.DataObject) -> None:
        """End the work on one key; doing it twice is refused."""
        key = data.draw(st.sampled_from(sorted(self.items)))
        self.finish(key)

    def finish(self, key: str) -> None:
        """End the work on a key, and try it a second time."""
        item = self.items.pop(key)

        async def end() -> None:
            self.queue.done(item)
            with pytest.raises(NotInFlight):
                self.queue.done(item)

        self.loop.run_until_complete(end())
        self.model.in_flight.discard(key)
        self.turn()

    @invariant()
    def levels_agree(self) -> None:
        """What the queue says of itself is what the model knows."""
        if not hasattr(self, "queue"):
            return

        async def state() -> tuple[dict[int, int], int, int]:
            found = self.queue.state()
            return {p: n for p, n in found.depth.items() if n}, found.delayed, found.in_flight

        ready = [w.priority for w in self.model.waiting.values() if w.ready]
        depth = {priority: ready.count(priority) for priority in sorted(set(ready), reverse=True)}
        delayed = len(self.model.waiting) - len(ready)
        assert self.loop.run_until_complete(state()) == (depth, delayed, len(self.model.in_flight))
        assert len(self.queue) == len(ready)

    def teardown(self) -> None:
        """Work until nothing is left: every key that was added has been handed out after its last add."""
        try:
            if hasattr(self, "queue"):
                self.work_it_off()
        finally:
            for getter in self.getters:
                getter.cancel()
            self.loop.run_until_complete(asyncio.sleep(0))
            self.loop.close()

    def work_it_off(self) -> None:
        """Get and finish, and let time pass where there is nothing to get."""
        for _ in range(100):  # enough for eight keys; a queue that went wrong must not keep the test from saying so
            if not (self.items or self.model.waiting):
                break
            for key in sorted(self.items):
                self.finish(key)
            if self.model.takeable():
                self.get()
            elif (moment := self.model.next_time()) is not None:
                self.until(moment)
        assert not self.owed
        assert len(self.queue) == 0


TestHistories = Histories.TestCase
