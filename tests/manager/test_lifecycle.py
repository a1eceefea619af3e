"""The order of start and stop, as transcripts, under virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from konverge.errors import ConfigError, RequestError
from konverge.manager import Function, Group, LeadershipLost, ShutdownTimeout
from konverge.manager.lifecycle import Lifecycle
from konverge.testing import virtual_time

Transcript = list[str]


@dataclass
class Part:
    """A runnable that writes down what happens to it."""

    name: str
    transcript: Transcript
    group: Group | None = None
    needs_leader_election: bool = True
    getting_ready: float = 1.0
    ending: float = 0.0

    async def run(self) -> None:
        """Run until cancelled, and take some time to end."""
        self.transcript.append(f"{self.name} starts")
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.transcript.append(f"{self.name} is asked to stop")
            await asyncio.sleep(self.ending)
            self.transcript.append(f"{self.name} ends")

    async def ready(self) -> None:
        """Take some time to be ready."""
        await asyncio.sleep(self.getting_ready)
        self.transcript.append(f"{self.name} is ready")


class WithWarmUp(Part):
    """One that also warms up."""

    async def warm_up(self) -> None:
        """Take some time."""
        await asyncio.sleep(1)
        self.transcript.append(f"{self.name} is warm")


@dataclass
class Worker:
    """A runnable that is asked to stop, and ends when its work is done."""

    seconds: float
    transcript: Transcript
    name: str = "worker"
    _stop: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Work until asked to stop, and then to the end."""
        try:
            await self._stop.wait()
            await asyncio.sleep(self.seconds)
            self.transcript.append("work in flight ended")
        except asyncio.CancelledError:
            self.transcript.append("work in flight was cut off")
            raise

    def stop(self) -> None:
        """Take no more work."""
        self._stop.set()


@dataclass
class Election:
    """An election that is won and lost on demand."""

    lifecycle: Lifecycle
    transcript: Transcript

    def start(self) -> None:
        """Begin."""
        self.transcript.append("election starts")

    def win(self) -> None:
        """Become leader."""
        self.transcript.append("election won")
        self.lifecycle.became_leader()

    async def stop(self, *, release: bool) -> None:
        """End."""
        self.transcript.append(f"election ends, {'lease given back' if release else 'lease kept'}")


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run under virtual time."""
    virtual_time.run(main())


def test_groups_start_and_stop_in_the_order_of_the_reference() -> None:
    """HTTP, webhooks, caches, others, warm-up, then the leader's; and back in controller-runtime's order."""
    transcript: Transcript = []

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(WithWarmUp("controller", transcript))
        lifecycle.add(Part("other", transcript, needs_leader_election=False))
        lifecycle.add(Part("cache", transcript, Group.CACHES))
        lifecycle.add(Part("webhook", transcript, Group.WEBHOOKS))
        lifecycle.add(Part("http", transcript, Group.HTTP))
        election = Election(lifecycle, transcript)
        running = asyncio.create_task(lifecycle.run(election))
        await asyncio.sleep(100)
        assert not lifecycle.elected.is_set()
        election.win()
        await asyncio.sleep(100)
        assert lifecycle.elected.is_set()
        transcript.append("stop")
        lifecycle.stop()
        await running

    run(main)
    assert transcript == [
        "http starts", "http is ready",
        "webhook starts", "webhook is ready",
        "cache starts", "cache is ready",
        "other starts", "other is ready",
        "controller is warm",
        "election starts", "election won",
        "controller starts", "controller is ready",
        "stop",
        "other is asked to stop", "other ends",
        "controller is asked to stop", "controller ends",
        "cache is asked to stop", "cache ends",
        "webhook is asked to stop", "webhook ends",
        "http is asked to stop", "http ends",
        "election ends, lease given back",
    ]  # fmt: skip


def test_without_an_election_everything_starts_and_counts_as_elected() -> None:
    """A single replica leads by itself."""
    transcript: Transcript = []

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Part("controller", transcript))
        running = asyncio.create_task(lifecycle.run(None))
        await lifecycle.elected.wait()
        await asyncio.sleep(5)
        lifecycle.stop()
        await running

    run(main)
    assert transcript[0] == "controller starts"


def test_a_replica_that_was_never_elected_does_not_start_the_leaders_part() -> None:
    """Stopping while waiting starts nothing, and an election won too late changes nothing."""
    transcript: Transcript = []

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Part("controller", transcript))
        lifecycle.add(Part("other", transcript, needs_leader_election=False, ending=5))
        election = Election(lifecycle, transcript)
        running = asyncio.create_task(lifecycle.run(election))
        await asyncio.sleep(10)
        lifecycle.stop()
        await asyncio.sleep(1)
        election.win()
        await running

    run(main)
    assert not [line for line in transcript if line.startswith("controller")]


def test_work_in_flight_may_end() -> None:
    """Within the grace period, a runnable that is asked to stop finishes what it has begun."""
    transcript: Transcript = []

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Worker(29, transcript))
        running = asyncio.create_task(lifecycle.run(None))
        await asyncio.sleep(1)
        lifecycle.stop()
        await running

    run(main)
    assert transcript == ["work in flight ended"]


def test_work_that_does_not_end_in_time_is_cut_off_and_named() -> None:
    """After the grace period it is cancelled, the lease is not given back, and the error names the runnable."""
    transcript: Transcript = []

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Worker(31, transcript))
        election = Election(lifecycle, transcript)
        running = asyncio.create_task(lifecycle.run(election))
        await asyncio.sleep(1)
        election.win()
        await asyncio.sleep(1)
        lifecycle.stop()
        with pytest.raises(ShutdownTimeout, match="worker did not end within 30 s"):
            await running
        assert asyncio.get_running_loop().time() == pytest.approx(32)

    run(main)
    assert transcript[2:] == ["work in flight was cut off", "election ends, lease kept"]


@pytest.mark.parametrize(("grace", "ended", "took"), [(0, False, 0), (-1, True, 3600)])
def test_no_grace_and_endless_grace(grace: float, ended: bool, took: float) -> None:
    """Zero cuts everything off at once and is no error; a negative one waits as long as it takes."""
    transcript: Transcript = []

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=grace)
        lifecycle.add(Worker(3600, transcript))
        running = asyncio.create_task(lifecycle.run(None))
        await asyncio.sleep(1)
        lifecycle.stop()
        await running
        assert asyncio.get_running_loop().time() == pytest.approx(1 + took)

    run(main)
    assert transcript == ["work in flight ended" if ended else "work in flight was cut off"]


def test_a_runnable_that_fails_stops_the_manager_with_its_error() -> None:
    """The others stop gracefully, and the error comes out as it was raised, out of task groups too."""
    transcript: Transcript = []

    async def fail() -> None:
        async with asyncio.TaskGroup() as group:
            await asyncio.sleep(5)
            group.create_task(_raise(ValueError("broken")))

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Worker(3, transcript))
        lifecycle.add(Function(fail))
        with pytest.raises(ValueError, match="broken"):
            await lifecycle.run(None)

    run(main)
    assert transcript == ["work in flight ended"]


async def _raise(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(("error", "has_stack"), [(ConfigError("port 8080 is taken"), False), (ValueError("x"), True)])
def test_a_wrong_setting_is_logged_without_a_stack(
    error: Exception, has_stack: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Its one sentence names the remedy, and a stack would bury it; of any other error the stack is what helps."""

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Function(lambda: _raise(error)))
        with pytest.raises(type(error)):
            await lifecycle.run(None)

    run(main)
    (line,) = [record for record in caplog.records if record.getMessage() == "a runnable failed; stopping"]
    assert (line.exc_info is not None) is has_stack


def test_a_failure_while_starting_ends_the_start() -> None:
    """What comes later in the order is never started."""
    transcript: Transcript = []

    async def fail() -> None:
        raise ValueError("broken")

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Part("cache", transcript, Group.CACHES, getting_ready=1e9))
        lifecycle.add(Part("controller", transcript))
        broken = Function(fail)
        broken.group = Group.CACHES  # type: ignore[attr-defined]  # any runnable may have one
        lifecycle.add(broken)
        with pytest.raises(ValueError, match="broken"):
            await lifecycle.run(None)

    run(main)
    assert transcript == ["cache starts", "cache is asked to stop", "cache ends"]


def test_a_runnable_that_returns_early_is_fine() -> None:
    """A job that is done does not stop the rest."""

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Function(lambda: asyncio.sleep(1), name="job"))
        running = asyncio.create_task(lifecycle.run(None))
        await asyncio.sleep(100)
        assert not running.done()
        assert lifecycle.running["leader"] == []
        lifecycle.stop()
        await running

    run(main)


def test_a_lost_lease_stops_everything_at_once() -> None:
    """No grace, no release: somebody else may lead."""
    transcript: Transcript = []

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Worker(10, transcript))
        election = Election(lifecycle, transcript)
        running = asyncio.create_task(lifecycle.run(election))
        await asyncio.sleep(1)
        election.win()
        await asyncio.sleep(1)
        lifecycle.lost("the lease default/x is held by b")
        with pytest.raises(LeadershipLost, match="held by b; another replica may lead now"):
            await running
        assert asyncio.get_running_loop().time() == pytest.approx(2)

    run(main)
    assert transcript[2:] == ["work in flight was cut off", "election ends, lease kept"]


def test_a_lease_lost_while_stopping_ends_the_grace() -> None:
    """Work in flight is cut off even in the middle of a graceful stop."""
    transcript: Transcript = []

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Worker(10, transcript))
        election = Election(lifecycle, transcript)
        running = asyncio.create_task(lifecycle.run(election))
        await asyncio.sleep(1)
        election.win()
        await asyncio.sleep(1)
        lifecycle.stop()
        await asyncio.sleep(1)
        lifecycle.lost("gone")
        with pytest.raises(LeadershipLost):
            await running
        assert asyncio.get_running_loop().time() == pytest.approx(3)

    run(main)
    assert transcript[2:] == ["work in flight was cut off", "election ends, lease kept"]


def test_what_is_added_late_starts_at_once_or_is_refused() -> None:
    """While the manager runs, a runnable starts when it is added; once it stops, adding one is an error."""
    transcript: Transcript = []

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Part("slow", transcript, Group.HTTP, ending=5))
        running = asyncio.create_task(lifecycle.run(None))
        await asyncio.sleep(10)
        lifecycle.add(Part("late", transcript))
        await asyncio.sleep(1)
        assert "late starts" in transcript
        lifecycle.stop()
        await asyncio.sleep(1)
        with pytest.raises(RequestError, match="the manager is stopping"):
            lifecycle.add(Part("too late", transcript))
        await running

    run(main)


def test_what_has_no_run_is_refused() -> None:
    """The error says what to write."""
    with pytest.raises(RequestError, match="async def run"):
        Lifecycle(graceful_shutdown=1).add(object())  # type: ignore[arg-type]  # the point


def test_cancelling_stops_gracefully() -> None:
    """A manager that is a task of a larger program ends in order when that task is cancelled."""
    transcript: Transcript = []

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Worker(3, transcript))
        running = asyncio.create_task(lifecycle.run(None))
        await asyncio.sleep(1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    run(main)
    assert transcript == ["work in flight ended"]


def test_a_leaders_part_that_never_gets_ready_ends_the_manager() -> None:
    """What fails after the election is as fatal as before it."""
    transcript: Transcript = []

    class Unready(Part):
        async def ready(self) -> None:
            """Fail."""
            raise ValueError("no way")

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Unready("controller", transcript))
        election = Election(lifecycle, transcript)
        running = asyncio.create_task(lifecycle.run(election))
        await asyncio.sleep(1)
        election.win()
        with pytest.raises(ValueError, match="no way"):
            await running

    run(main)
    assert transcript[-1] == "election ends, lease given back"


def test_a_lost_lease_lets_no_runnable_take_more_work() -> None:
    """All are told to take none before the first one is cancelled, also where one fails at that."""
    transcript: Transcript = []

    class Refusing(Worker):
        def stop(self) -> None:
            transcript.append("refuses")
            raise ValueError("no")

    class Swallowing(Worker):
        async def run(self) -> None:
            while not self._stop.is_set():
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(100)
            transcript.append("took no more")

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Refusing(10, transcript))
        lifecycle.add(Swallowing(10, transcript))
        running = asyncio.create_task(lifecycle.run(None))
        await asyncio.sleep(1)
        lifecycle.lost("gone")
        with pytest.raises(LeadershipLost):
            await running
        assert asyncio.get_running_loop().time() == 1

    run(main)
    assert transcript[:3] == ["refuses", "work in flight was cut off", "took no more"]


def test_only_who_was_asked_is_late() -> None:
    """Caches, which end after the work, are not blamed when the work takes all the time."""
    transcript: Transcript = []

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Worker(31, transcript))
        lifecycle.add(Part("cache", transcript, group=Group.CACHES))
        running = asyncio.create_task(lifecycle.run(None))
        await asyncio.sleep(5)
        lifecycle.stop()
        with pytest.raises(ShutdownTimeout, match=r"^worker did not end"):
            await running
        assert lifecycle.cut_off == ["worker"]

    run(main)
    assert transcript[-1] == "cache ends"


def test_without_grace_who_ends_when_cancelled_is_not_cut_off() -> None:
    """Only what goes on after that counts."""

    class Deaf:
        name = "deaf"
        over = False

        async def run(self) -> None:
            while not self.over:
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(100)

    async def main() -> None:
        lifecycle, deaf = Lifecycle(graceful_shutdown=0), Deaf()
        lifecycle.add(Worker(31, []))
        lifecycle.add(deaf)
        running = asyncio.create_task(lifecycle.run(None))
        await asyncio.sleep(5)
        lifecycle.stop()
        await running
        assert lifecycle.cut_off == ["deaf"]
        deaf.over = True
        await asyncio.sleep(200)

    run(main)


def test_what_does_not_get_warm_keeps_nobody_waiting() -> None:
    """After ten seconds, for all of them together, the election begins; warming goes on, and ends with the rest."""
    transcript: Transcript = []

    class Cold(Part):
        async def warm_up(self) -> None:
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                transcript.append("no longer warming")

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Cold("a", transcript))
        lifecycle.add(Cold("b", transcript))
        running = asyncio.create_task(lifecycle.run(Election(lifecycle, transcript)))
        await asyncio.sleep(9.9)
        assert transcript == []
        await asyncio.sleep(0.2)
        assert transcript == ["election starts"]
        lifecycle.stop()
        await running

    run(main)
    assert transcript[1:] == ["no longer warming", "no longer warming", "election ends, lease given back"]


def test_what_was_warmed_up_and_never_led_is_told_to_stop() -> None:
    """Its sources run since the warm-up, and must not outlive the manager."""
    transcript: Transcript = []

    class Warm(Worker):
        async def warm_up(self) -> None:
            transcript.append("warm")

        def stop(self) -> None:
            transcript.append("told to stop")

    async def main() -> None:
        lifecycle = Lifecycle(graceful_shutdown=30)
        lifecycle.add(Warm(1, transcript))
        running = asyncio.create_task(lifecycle.run(Election(lifecycle, transcript)))
        await asyncio.sleep(1)
        lifecycle.stop()
        await running

    run(main)
    assert transcript == ["warm", "election starts", "told to stop", "election ends, lease given back"]
