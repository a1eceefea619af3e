"""How a manager ends: in order, in time, by an error, without its lease; as transcripts, under virtual time."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from lifecycle_parts import Election, Part, Transcript, Worker, run

from konverge.errors import ConfigError
from konverge.manager import Function, Group, LeadershipLost, ShutdownTimeout
from konverge.manager.lifecycle import Lifecycle


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
