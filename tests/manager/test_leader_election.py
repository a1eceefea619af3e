"""The elector against a server in memory, under virtual time."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.client.client import Client
from konverge.errors import RequestError
from konverge.manager.fence import Fence
from konverge.manager.leader_election import Elector, LeaderElection
from konverge.manager.lease import LeaseLock
from konverge.metrics import Metrics
from konverge.testing import virtual_time

if TYPE_CHECKING:
    from tests.manager.conftest import Leases, Line

OPTIONS = LeaderElection(id="operator", namespace="default")


@dataclass
class Replica:
    """One candidate with its fence."""

    line: Line
    identity: str
    options: LeaderElection = OPTIONS
    random: Random = field(default_factory=lambda: Random(1))
    fence: Fence = field(default_factory=Fence)
    metrics: Metrics = field(default_factory=Metrics)
    on_elected: Callable[[], None] = lambda: None
    elected: bool = False
    lost: str = ""

    def __post_init__(self) -> None:
        self.elector = Elector(
            LeaseLock(Client(self.line), self.options.namespace, self.options.id, self.options.labels),
            self.options,
            identity=self.identity,
            fence=self.fence,
            metrics=self.metrics.election(self.options.id),
            random=self.random,
        )

    async def lead(self) -> None:
        """Acquire, and renew until that fails."""
        await self.elector.acquire()
        self.elected = True
        self.on_elected()
        self.lost = await self.elector.keep()

    def may_write(self, now: float) -> bool:
        """Whether the fence lets this replica write as a leader."""
        return self.elected and now < self.fence.until

    @property
    def status(self) -> float:
        """The gauge of leadership."""
        value = self.metrics.registry.get_sample_value("leader_election_master_status", {"name": "operator"})
        assert value is not None
        return value


def now() -> float:
    """The virtual time."""
    return asyncio.get_running_loop().time()


def test_the_first_replica_leads_at_once_and_renews(leases: type[Leases]) -> None:
    """A lease that nobody has is created, then renewed every two seconds without reading."""
    server = leases.Server()
    options = LeaderElection(id="operator", namespace="default", labels={"x": "y"})
    replica = Replica(leases.Line(server), "a", options=options)

    async def main() -> None:
        task = asyncio.create_task(replica.lead())
        await asyncio.sleep(9)
        task.cancel()

    virtual_time.run(main())
    assert [entry.split()[0] for entry in server.log] == ["get", "create", "update", "update", "update", "update"]
    assert server.lease["holderIdentity"] == "a"
    assert server.lease["leaseDurationSeconds"] == 15
    assert server.lease["leaseTransitions"] == 0
    assert server.lease["acquireTime"] == "2026-01-01T00:00:00.000000Z"
    assert server.lease["renewTime"] == "2026-01-01T00:00:08.000000Z"
    assert next(iter(server.objects.values()))["metadata"]["labels"] == {"x": "y"}
    assert replica.status == 1


def test_a_second_replica_takes_over_when_the_first_one_is_gone(leases: type[Leases]) -> None:
    """It leads no sooner than the lease duration after the last renewal, and not much later."""
    server = leases.Server()
    elected = asyncio.Event()
    first = Replica(leases.Line(server), "a")
    second = Replica(leases.Line(server), "b", on_elected=elected.set)

    async def main() -> float:
        leading = asyncio.create_task(first.lead())
        await asyncio.sleep(1)
        following = asyncio.create_task(second.lead())
        await asyncio.sleep(20)
        assert not second.elected
        leading.cancel()  # as SIGKILL would: nothing is given back
        last = now()
        await elected.wait()
        following.cancel()
        return now() - last

    took = virtual_time.run(main())
    assert 13 <= took <= 15 + 2 * (1 + 1.2)
    assert server.lease["leaseTransitions"] == 1


def test_a_lease_that_is_given_back_is_taken_at_the_next_try(leases: type[Leases]) -> None:
    """After a release nobody waits for the lease to run out, and the old leader writes no more."""
    server = leases.Server()
    first, second = (Replica(leases.Line(server), name) for name in "ab")

    async def main() -> float:
        leading = asyncio.create_task(first.lead())
        await asyncio.sleep(5)
        following = asyncio.create_task(second.elector.acquire())
        await asyncio.sleep(1)
        leading.cancel()
        await asyncio.wait([leading])
        released = now()
        await first.elector.release()
        assert server.lease["holderIdentity"] == ""
        assert server.lease["leaseDurationSeconds"] == 1
        await following
        return now() - released

    assert virtual_time.run(main()) <= 2 * (1 + 1.2)
    assert first.fence.until == -math.inf
    assert (first.status, second.status) == (0, 1)


def test_a_leader_that_cannot_renew_stops_at_the_renew_deadline(leases: type[Leases]) -> None:
    """It gives up ten seconds after its last renewal was sent, five before anybody else may lead."""
    server = leases.Server()
    cut = False
    replica = Replica(leases.Line(server, lambda: leases.Fault(reached=not cut)), "a")

    async def main() -> float:
        nonlocal cut
        task = asyncio.create_task(replica.lead())
        await asyncio.sleep(4.5)
        cut = True
        await task
        return now()

    assert virtual_time.run(main()) == pytest.approx(4 + 10)
    assert "was not renewed within 10.0 s" in replica.lost
    assert replica.fence.until == -math.inf
    assert replica.status == 0


def test_a_request_that_hangs_costs_no_more_than_the_deadline(leases: type[Leases]) -> None:
    """A server that accepts and never answers is given up on in time."""
    server = leases.Server()
    hang = False
    replica = Replica(leases.Line(server, lambda: leases.Fault(before=1e6 if hang else 0)), "a")

    async def main() -> float:
        nonlocal hang
        task = asyncio.create_task(replica.lead())
        await asyncio.sleep(4.5)
        hang = True
        await task
        return now()

    assert virtual_time.run(main()) == pytest.approx(4 + 10)


def test_one_lost_answer_does_not_cost_the_leadership(leases: type[Leases]) -> None:
    """A renewal that happened without our knowing is met by a conflict, read and followed by the next."""
    server = leases.Server()
    answers = iter([True, True, False])
    replica = Replica(leases.Line(server, lambda: leases.Fault(answered=next(answers, True))), "a")

    async def main() -> None:
        task = asyncio.create_task(replica.lead())
        await asyncio.sleep(30)
        assert not task.done()
        task.cancel()

    virtual_time.run(main())
    labels = {"name": "operator"}
    assert replica.metrics.registry.get_sample_value("leader_election_slowpath_total", labels) == 1


def test_a_leader_that_sees_another_holder_stops_at_once(leases: type[Leases]) -> None:
    """Whoever wrote over our lease leads; we do not wait for the deadline."""
    server = leases.Server()
    replica = Replica(leases.Line(server), "a")

    async def main() -> float:
        task = asyncio.create_task(replica.lead())
        await asyncio.sleep(5)
        server.version += 1
        (only,) = server.objects.values()
        only["metadata"]["resourceVersion"] = str(server.version)
        only["spec"] |= {"holderIdentity": "thief", "renewTime": "2026-01-01T00:00:05.000000Z"}
        await task
        return now()

    assert virtual_time.run(main()) <= 7
    assert replica.lost.endswith("is held by thief")


def test_a_lease_that_was_deleted_is_made_anew(leases: type[Leases]) -> None:
    """Deleting the lease does not end a leader that can create it again."""
    server = leases.Server()
    replica = Replica(leases.Line(server), "a")

    async def main() -> None:
        task = asyncio.create_task(replica.lead())
        await asyncio.sleep(5)
        server.objects.clear()
        await asyncio.sleep(20)
        assert not task.done()
        task.cancel()

    virtual_time.run(main())
    assert server.lease["holderIdentity"] == "a"


def test_a_problem_is_told_once(leases: type[Leases], caplog: pytest.LogCaptureFixture) -> None:
    """A server that cannot be reached for an hour is worth one warning, and the leader is named once, too."""
    caplog.set_level(logging.INFO, logger="konverge")
    server = leases.Server()
    cut = False
    first = Replica(leases.Line(server), "a")
    second = Replica(leases.Line(server, lambda: leases.Fault(reached=not cut)), "b")

    async def main() -> None:
        nonlocal cut
        leading = asyncio.create_task(first.lead())
        await asyncio.sleep(1)
        following = asyncio.create_task(second.lead())
        await asyncio.sleep(60)
        cut = True
        await asyncio.sleep(3600)
        leading.cancel()
        following.cancel()

    virtual_time.run(main())
    assert len([record for record in caplog.records if "could not be read" in record.getMessage()]) <= 2
    assert len([record for record in caplog.records if "another replica leads" in record.getMessage()]) == 1


def test_no_leader_is_named_where_none_is_known(leases: type[Leases], caplog: pytest.LogCaptureFixture) -> None:
    """A server that cannot be reached says nothing about other replicas."""
    caplog.set_level(logging.INFO, logger="konverge")
    cut_off = Replica(leases.Line(leases.Server(), lambda: leases.Fault(reached=False)), "a")

    async def main() -> None:
        following = asyncio.create_task(cut_off.lead())
        await asyncio.sleep(60)
        following.cancel()

    virtual_time.run(main())
    assert not [record for record in caplog.records if "another replica leads" in record.getMessage()]


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"id": ""}, "needs an id"),
        ({"id": "x", "lease_duration": 10}, "longer than renew_deadline"),
        ({"id": "x", "lease_duration": 15.5}, "whole seconds"),
        ({"id": "x", "retry_period": 9}, "leave time for another"),
        ({"id": "x", "retry_period": 0}, "must be positive"),
    ],
)
def test_options_that_would_break_the_promise_are_refused(options: dict[str, Any], remedy: str) -> None:
    """What client-go refuses is refused here, when it is written down."""
    with pytest.raises(RequestError, match=remedy):
        LeaderElection(**options)


@given(seed=st.integers(0, 2**32), count=st.integers(2, 3), trouble=st.floats(0, 0.9))
def test_never_do_two_replicas_lead_at_once(  # noqa: C901 - one story: lives, faults and the moment of the check
    leases: type[Leases], seed: int, count: int, trouble: float
) -> None:
    """However slow, cut or lossy their lines are, and whoever crashes, stops or comes back, one may write at most.

    When the trouble ends, somebody leads within a lease duration and two tries.
    """
    random = Random(seed)
    server = leases.Server()
    calm = False

    def fault() -> Any:
        if calm or random.random() > trouble:
            return leases.Fault(before=random.random() * 0.1, after=random.random() * 0.1)
        return leases.Fault(
            before=random.choice((0, 1, 4.9, 12)) * random.random(),
            after=random.choice((0, 1, 4.9, 12)) * random.random(),
            reached=random.random() > 0.3,
            answered=random.random() > 0.3,
        )

    replicas: list[Replica] = []

    async def live() -> None:
        """Lead one life after the other, each with its own identity and its own end."""
        while True:
            line, name = leases.Line(server, fault), f"replica-{len(replicas)}"
            replica = Replica(line, name, random=Random(random.random()), on_elected=check)
            replicas.append(replica)
            life = asyncio.create_task(replica.lead())
            await asyncio.wait([life], timeout=None if calm else random.uniform(1, 90))
            if not life.done():
                life.cancel()
                await asyncio.wait([life])
                if random.random() < 0.5 and replica.elected:
                    await replica.elector.release()
                else:
                    await asyncio.sleep(random.uniform(0, 5))  # crashed: its fence stays as it was

    overlaps: list[str] = []

    def check() -> None:
        """Look at the moment of each election: later than that, no two can begin to overlap."""
        leaders = [replica.identity for replica in replicas if replica.may_write(now())]
        if len(leaders) > 1:
            overlaps.append(f"at {now():.2f}: {leaders}")

    async def main() -> None:
        nonlocal calm
        lives = [asyncio.create_task(live()) for _ in range(count)]
        await asyncio.sleep(120)
        calm = True
        await asyncio.sleep(90 + 15 + 12 + 2 * 4.4)
        assert any(replica.may_write(now()) for replica in replicas)
        for life in lives:
            life.cancel()
        await asyncio.wait(lives)

    virtual_time.run(main())
    assert not overlaps
