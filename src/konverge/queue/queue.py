"""The keyed queue: what events put in and workers take out.

What it promises, each promise proven in `tests/queue`:

- **No lost key.** A key that was added is handed to a worker after the add, unless the queue is shut down. A cancelled
  `get` takes nothing with it.
- **Once.** A key that waits is not queued again: adds merge, and one run serves them all.
- **No two workers on a key.** A key in flight is locked until `done`; an add meanwhile makes it run again after that.
  Only the item that was handed out unlocks its key, so a second `done` is an error and never someone else's unlocking.
- **The earlier time wins.** A delayed add never postpones a key, ready or delayed; an earlier one brings it forward. A
  delay is never forgotten and never ends early.
- **The higher priority wins** when adds merge, and is served first; FIFO within a priority, by the moment a key became
  ready. A key added while in flight keeps that place; one whose priority rises goes to the end of its new priority.
- **No starvation.** The oldest ready key is passed over at most seven times in a row: see `priority`.

Semantics are controller-runtime's but for the last. Everything happens on the loop's thread and without locks; an add
from another thread raises `RuntimeError` (use `loop.call_soon_threadsafe(queue.add, key)`). All delays share one timer.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import Generic

from konverge.errors import KonvergeError
from konverge.queue.cause import Cause, Causes, merged
from konverge.queue.delay import Delays
from konverge.queue.entry import Entry, K
from konverge.queue.item import Item
from konverge.queue.metrics import NoMetrics, QueueMetrics, QueueState
from konverge.queue.priority import PriorityLanes
from konverge.queue.rate_limit import RateLimiter, default_rate_limiter

_NO_CAUSES = Causes()


class QueueShutDown(KonvergeError):
    """The queue hands out nothing more: the worker should end."""


class NotInFlight(KonvergeError):
    """`done` was called for an item that is not, or no longer, being worked on."""


class Queue(Generic[K]):
    """Keys that wait for a worker. A worker is `async for item in queue: try: ... finally: queue.done(item)`."""

    def __init__(
        self, name: str = "", *, rate_limiter: RateLimiter[K] | None = None, metrics: QueueMetrics | None = None
    ) -> None:
        self.name = name
        self._limiter: RateLimiter[K] = rate_limiter if rate_limiter is not None else default_rate_limiter()
        self._metrics: QueueMetrics = metrics if metrics is not None else NoMetrics()
        # Every waiting key, in exactly one state: delayed (in _delays); ready (in _ready); or locked, which is ready
        # but in flight at the same time (in neither, until it is done).
        self._entries: dict[K, Entry[K]] = {}
        self._delays = Delays[K]()
        self._ready = PriorityLanes[K]()
        self._in_flight: dict[K, Item[K]] = {}
        self._getters: deque[asyncio.Future[None]] = deque()
        self._drainers: list[asyncio.Future[None]] = []
        # Never later than the soonest delay; it may be earlier, and then finds nothing to do.
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop  # that of the adds, so it is known once there is something to get
        self._closed = False  # nothing comes in
        self._drains = False  # what is ready still goes out

    def __repr__(self) -> str:
        delayed, working = len(self._delays), len(self._in_flight)
        state = " shut down" if self._closed else ""
        return f"<Queue {self.name!r}{state}: {len(self)} ready, {delayed} delayed, {working} in flight>"

    def __len__(self) -> int:
        """How many keys are ready, those included that are ready again while in flight; delayed ones are not."""
        return len(self._entries) - len(self._delays)

    def __bool__(self) -> bool:
        """Be true, also when empty: a queue is a thing, not a list."""
        return True

    @property
    def shutting_down(self) -> bool:
        """Whether adds are ignored by now."""
        return self._closed

    @property
    def in_flight(self) -> tuple[Item[K], ...]:
        """What workers have right now, the longest running first."""
        return tuple(self._in_flight.values())

    def state(self) -> QueueState:
        """Return the levels that metrics and dumps show."""
        now = asyncio.get_running_loop().time()
        depth = self._ready.depth()
        for key in self._in_flight:
            entry = self._entries.get(key)
            if entry is not None and not entry.delayed:
                depth[entry.priority] = depth.get(entry.priority, 0) + 1
        running = [now - item.started for item in self._in_flight.values()]
        return QueueState(
            depth=dict(sorted(depth.items(), reverse=True)),
            delayed=len(self._delays),
            in_flight=len(running),
            unfinished_work=sum(running),
            longest_running=max(running, default=0.0),
        )

    def add(self, key: K, *, after: float = 0.0, priority: int = 0, cause: Cause | None = None) -> None:
        """Have the key worked on, now or in `after` seconds; ignored once the queue is shut down."""
        if self._closed:
            return
        self._loop = loop = asyncio.get_running_loop()
        now = loop.time()
        if after > 0:
            self._metrics.retried()
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = Entry(key, priority)
            if after > 0:
                self._delays.add(entry, now + after)
                self._arm()
            else:
                self._make_ready(entry, now)
        else:
            self._merge(entry, priority)
            if entry.delayed:
                self._bring_forward(entry, now, after)
        if cause is not None:
            entry.causes = merged(entry.causes, cause) if entry.cause_count else (cause,)
            entry.cause_count += 1

    def add_rate_limited(self, key: K, *, priority: int = 0, cause: Cause | None = None) -> None:
        """Have the key worked on again after as long as the rate limiter says: what a failure asks for."""
        if not self._closed:
            delay = self._limiter.when(key, asyncio.get_running_loop().time())
            self.add(key, after=delay, priority=priority, cause=cause)

    def forget(self, key: K) -> None:
        """End the key's backoff, because it succeeded; a waiting add of it stays."""
        self._limiter.forget(key)

    def num_requeues(self, key: K) -> int:
        """How often the key was added rate-limited since it was last forgotten."""
        return self._limiter.num_requeues(key)

    async def get(self) -> Item[K]:
        """Wait for a key and lock it until `done(item)`; raise `QueueShutDown` when there will be none.

        When a key is ready this does not let other tasks run, so a worker must await something else now and then.
        """
        while not self._ready.count:
            if self._closed and self._nothing_to_drain():
                raise QueueShutDown(f'the queue "{self.name}" is shut down')
            await self._turn()
        return self._take(self._loop.time())

    def __aiter__(self) -> Queue[K]:
        """Iterate over items until the queue is shut down; each needs its `done`."""
        return self

    async def __anext__(self) -> Item[K]:
        if self._ready.count:  # without a coroutine more, as it is most often
            return self._take(self._loop.time())
        try:
            return await self.get()
        except QueueShutDown:
            raise StopAsyncIteration from None

    def done(self, item: Item[K]) -> None:
        """Unlock the item's key; if it was added in the meantime, it is ready now."""
        if self._in_flight.get(item.key) is not item:
            raise NotInFlight(
                f'{item.key!r} is not in flight in the queue "{self.name}" as this item; call done() once per get()'
            )
        now = asyncio.get_running_loop().time()
        del self._in_flight[item.key]
        self._metrics.finished(now - item.started)
        entry = self._entries.get(item.key)
        if entry is not None and not entry.delayed:
            self._ready.put_back(entry)
            self._wake_one()
        if self._closed:
            self._wake_if_drained()

    def shut_down(self) -> None:
        """Stop at once: adds are ignored, what waits is dropped, and each `get` raises; keys in flight may end."""
        self._closed = True
        self._drains = False
        self._entries.clear()
        self._drop_delays()
        self._ready.clear()
        self._wake_if_drained()

    async def shut_down_with_drain(self) -> None:
        """Ignore adds and drop delays, but return only when all that was ready has been worked on.

        It needs workers to come to an end; put `asyncio.timeout` around it. `shut_down()` ends it early, without
        waiting for keys in flight; cancelling it leaves the queue draining.
        """
        if not self._closed:
            self._closed = self._drains = True
            self._entries = {key: entry for key, entry in self._entries.items() if not entry.delayed}
            self._drop_delays()
        drained: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._drainers.append(drained)
        self._wake_if_drained()
        await drained

    def _merge(self, entry: Entry[K], priority: int) -> None:
        if priority <= entry.priority:
            return
        if entry.delayed:
            entry.priority = priority
        elif entry.key in self._in_flight:
            entry.priority = priority
            entry.order = self._ready.next_order()
        else:
            self._ready.rise(entry, priority)

    def _bring_forward(self, entry: Entry[K], now: float, after: float) -> None:
        if not after > 0:
            self._delays.remove(entry)
            self._make_ready(entry, now)
        elif now + after < entry.at:
            self._delays.move(entry, now + after)
            self._arm()

    def _make_ready(self, entry: Entry[K], now: float) -> None:
        entry.at = now
        entry.order = self._ready.next_order()
        self._metrics.added(entry.priority)
        if entry.key not in self._in_flight:
            self._ready.append(entry)
            if self._getters:
                self._wake_one()

    def _take(self, now: float) -> Item[K]:
        entry = self._ready.pop()
        del self._entries[entry.key]
        causes = Causes(entry.causes, entry.cause_count) if entry.cause_count else _NO_CAUSES
        item = Item(entry.key, entry.priority, causes, now - entry.at, now)
        self._in_flight[entry.key] = item
        self._metrics.taken(entry.priority, item.waited)
        return item

    def _arm(self) -> None:
        """Have the timer ring no later than the soonest delay ends."""
        at = self._delays.next()
        if at is None or (self._timer is not None and self._timer.when() <= at):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(at, self._ring, at)

    def _ring(self, at: float) -> None:
        self._timer = None
        # A loop may ring early by as much as its clock's resolution; the delay is over all the same.
        now = max(at, asyncio.get_running_loop().time())
        for entry in self._delays.due(now):
            self._make_ready(entry, now)
        self._arm()

    async def _turn(self) -> None:
        """Wait until something may be ready. Whoever is woken and cannot look passes the wake-up on."""
        getter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._getters.append(getter)
        try:
            await getter
        except BaseException:
            if getter.done() and not getter.cancelled():
                self._wake_one()
            else:
                getter.cancel()
                with suppress(ValueError):  # a wake-up may have met it, cancelled, and gone on to the next
                    self._getters.remove(getter)
            raise

    def _wake_one(self) -> None:
        while self._getters:
            getter = self._getters.popleft()
            if not getter.done():
                getter.set_result(None)
                return

    def _nothing_to_drain(self) -> bool:
        """Whether no key is ready and none can become so: only one that is locked still could."""
        return not (self._drains and self._entries)

    def _wake_if_drained(self) -> None:
        """After shutdown, let getters and drainers see that nothing comes any more."""
        if not self._closed:
            return
        if self._nothing_to_drain():
            while self._getters:
                self._wake_one()
        if not self._drains or not (self._entries or self._in_flight):
            for drainer in self._drainers:
                if not drainer.done():
                    drainer.set_result(None)
            self._drainers.clear()

    def _drop_delays(self) -> None:
        self._delays.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
