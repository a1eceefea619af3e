"""The order of start and stop, as transcripts, under virtual time."""

from __future__ import annotations

import asyncio

import pytest
from lifecycle_parts import Election, Part, Transcript, WithWarmUp, Worker, run

from konverge.errors import RequestError
from konverge.manager import Function, Group
from konverge.manager.lifecycle import Lifecycle


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
