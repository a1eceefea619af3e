"""Leader election: one of several replicas leads, by a Lease that it renews.

The algorithm and the defaults are client-go's, with one difference on the safe side: a leader gives up when its last
renewal was *sent* a renew deadline ago, not a retry period later. Decisions are in `election`, the Lease is in
`lease`; here they meet time. Where the elector runs is `leadership`'s matter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from random import Random
from typing import Protocol

import msgspec

from konverge import clock, log
from konverge.errors import KonvergeError, RequestError
from konverge.manager.election import Candidate, Read, Seen, Wait, Write, observe
from konverge.manager.fence import Fence
from konverge.manager.lease import LeaseLock

JITTER = 1.2  # a wait between two tries to acquire is up to this many times longer than the retry period
_LOG = log.get("leader_election")


class LeaderElection(msgspec.Struct, frozen=True, kw_only=True):
    """How to elect; replicas of one program give the same `id`, and other programs in the namespace another one."""

    id: str  # the name of the Lease
    namespace: str = ""  # where it is; by default the configuration's namespace, in a pod its own
    identity: str = ""  # who we are, unique among the replicas; by default the host's name and a random part
    lease_duration: int = 15  # seconds without a renewal after which others take over
    renew_deadline: float = 10.0  # seconds after which a leader that cannot renew stops
    retry_period: float = 2.0  # seconds between two tries
    release_on_stop: bool = True  # give the lease back after a graceful stop, so that the next one need not wait
    labels: Mapping[str, str] = msgspec.field(default_factory=dict)  # of the Lease, set by whoever leads

    def __post_init__(self) -> None:
        if not self.id:
            raise RequestError('leader election needs an id, the name of its Lease: LeaderElection(id="my-operator")')
        if self.lease_duration != int(self.lease_duration) or self.lease_duration <= self.renew_deadline:
            raise RequestError(
                f"lease_duration={self.lease_duration} must be whole seconds and longer than "
                f"renew_deadline={self.renew_deadline}: a leader has to stop before others take over"
            )
        if not 0 < self.retry_period * JITTER < self.renew_deadline:
            raise RequestError(
                f"retry_period={self.retry_period} must be positive and, times {JITTER}, shorter than "
                f"renew_deadline={self.renew_deadline}: one failed renewal must leave time for another"
            )

    @property
    def request_timeout(self) -> float:
        """The longest a single request may take, so that one that hangs does not cost the leadership."""
        return max(1.0, self.renew_deadline / 2)


class ElectionMetrics(Protocol):
    """Told of what happens to the leadership."""

    def leading(self, *, leads: bool) -> None:
        """We lead, or no longer."""
        ...

    def slow_path(self) -> None:
        """A renewal needed a read first."""
        ...


class Elector:
    """Acquires, renews and gives back one lease; used by one task at a time."""

    def __init__(
        self,
        lock: LeaseLock,
        options: LeaderElection,
        *,
        identity: str,
        fence: Fence,
        metrics: ElectionMetrics,
        random: Random,
    ) -> None:
        self._lock = lock
        self._options = options
        self._candidate = Candidate(identity=identity, duration=int(options.lease_duration))
        self._fence = fence
        self._metrics = metrics
        self._random = random
        self._seen: Seen | None = None
        self._leader: str | None = None
        self._problem = ""
        self._log = _LOG.bind(lease=str(lock), identity=identity)
        metrics.leading(leads=False)

    @property
    def leader(self) -> str:
        """Who was last seen to lead; empty if nobody."""
        return self._seen.record.holder if self._seen else ""

    async def acquire(self) -> None:
        """Try until the lease is ours, and return then."""
        self._log.info("waiting to become leader")
        while not await self._try():
            self._tell_leader()
            await asyncio.sleep(self._options.retry_period * (1 + JITTER * self._random.random()))
        self._metrics.leading(leads=True)
        self._log.info("became leader")

    async def keep(self) -> str:
        """Renew for as long as that works; return why it did not."""
        loop = asyncio.get_running_loop()
        reason = ""
        try:
            while True:
                await asyncio.sleep(min(self._options.retry_period, max(0.0, self._fence.until - loop.time())))
                if loop.time() >= self._fence.until:
                    reason = f"the lease {self._lock} was not renewed within {self._options.renew_deadline} s"
                    break
                if not await self._try(until=self._fence.until) and self._taken():
                    reason = f"the lease {self._lock} is held by {self.leader}"
                    break
        finally:
            if reason:
                self._fence.close()
                self._metrics.leading(leads=False)
        return reason

    async def release(self) -> None:
        """Give the lease back if it is ours; what fails here only makes the next leader wait."""
        self._fence.close()
        self._metrics.leading(leads=False)
        if not self._options.release_on_stop:
            return
        try:
            async with asyncio.timeout(self._options.renew_deadline):
                await self._look()
                step = self._seen and self._candidate.given_back(self._seen, wall=clock.now())
                if step:
                    await self._write(step)
                    self._log.info("gave the lease back")
        except (KonvergeError, TimeoutError) as error:
            self._log.warning("the lease could not be given back; it runs out by itself", cause=str(error))

    def _taken(self) -> bool:
        """Whether somebody else was seen to hold the lease; one that is gone may still be made anew in time."""
        return self.leader not in ("", self._candidate.identity)

    # --- one try ---

    async def _try(self, *, until: float | None = None) -> bool:
        """Acquire or renew once; False if that did not work, for whatever reason."""
        started = self._now()
        try:
            async with asyncio.timeout_at(until):
                won = await self._step()
        except (KonvergeError, TimeoutError) as error:
            self._tell_problem(str(error) or "no answer in time")
            return False
        self._problem = ""
        if won is not None:
            self._fence.renewed(won + self._options.renew_deadline)
        self._log.debug("tried the lease", won=won is not None, seconds=self._now() - started)
        return won is not None

    async def _step(self) -> float | None:
        """Return when the write that made or kept us leader was sent, or None if there was none."""
        step: Read | Write | Wait = self._candidate.first_step(self._seen, now=self._now(), wall=clock.now())
        if isinstance(step, Write):
            try:
                return await self._write(step)
            except KonvergeError as error:
                self._metrics.slow_path()
                self._log.debug("a renewal was refused; reading the lease", cause=str(error))
        await self._look()
        step = self._candidate.after_reading(self._seen, now=self._now(), wall=clock.now())
        return await self._write(step) if isinstance(step, Write) else None

    async def _look(self) -> None:
        async with asyncio.timeout(self._options.request_timeout):
            found = await self._lock.read()
        self._seen = observe(self._seen, *found, now=self._now()) if found else None

    async def _write(self, step: Write) -> float:
        sent = self._now()  # before it goes out: from when it is written on, others count at least from here
        async with asyncio.timeout(self._options.request_timeout):
            version = await self._lock.write(step)
        self._seen = Seen(step.record, version, sent)
        return sent

    def _tell_problem(self, problem: str) -> None:
        """Log a problem when it is new, not at each try: a missing RBAC rule would fill the log."""
        write = self._log.debug if problem == self._problem else self._log.warning
        self._problem = problem
        write("the lease could not be read or written", cause=problem)

    def _tell_leader(self) -> None:
        if self.leader != self._leader:
            self._leader = self.leader
            if self.leader:  # empty where nobody leads, or where the lease could not be read
                self._log.info("another replica leads", leader=self.leader)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
