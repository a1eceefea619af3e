"""The life of a manager: its groups start in order, run until something ends them, and stop in order.

What ends it: `stop()`, a runnable that fails, or the loss of the leadership. The first two are graceful: each group
is asked to end and may finish what is in flight, within the grace period all together. The last one is not: somebody
else may lead by now.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from konverge import log
from konverge.errors import ConfigError, KonvergeError, RequestError
from konverge.manager.leadership import Leadership
from konverge.manager.runnable import STOP_ORDER, Group, Runnable, check, group_of, name_of
from konverge.manager.runnable_group import RunnableGroup

_LOG = log.get("manager")
_WARM_UP = 10.0  # seconds that the election, and without one everything else, waits for what warms up
_LAST_WORDS = 1.0  # seconds that cancelled runnables have for their cleaning up


class LeadershipLost(KonvergeError):
    """The lease was lost, so everything was stopped at once. End the process, and let it be restarted."""


class ShutdownTimeout(KonvergeError):
    """Some runnables did not end within the grace period and were cut off."""


class Lifecycle:
    """Starts, watches over and stops what a manager runs; used once."""

    def __init__(self, *, graceful_shutdown: float) -> None:
        self._grace = graceful_shutdown
        self._groups = {group: RunnableGroup(group, self.failed) for group in Group}
        self._stop = asyncio.Event()
        self._failure: Exception | None = None
        self._lost = False
        self._stopping = False
        self._leadership: Leadership | None = None
        self._leading: asyncio.Task[None] | None = None
        self.elected = asyncio.Event()
        self.cut_off: list[str] = []  # who did not end when asked to, once it has ended

    # --- before and while it runs ---

    def add(self, runnable: Runnable) -> None:
        """Take a runnable in; while its group runs, it starts at once."""
        check(runnable)
        if self._stopping:
            raise RequestError(f"{name_of(runnable)} cannot be added: the manager is stopping")
        if hasattr(runnable, "warm_up"):
            self._groups[Group.WARM_UP].add(_WarmUp(runnable))
        self._groups[group_of(runnable)].add(runnable)

    @property
    def running(self) -> dict[str, list[str]]:
        """What has not ended, by group."""
        return {group.name.lower(): runnables.running for group, runnables in self._groups.items()}

    def stop(self) -> None:
        """Ask for a graceful end."""
        self._stop.set()

    def failed(self, name: str, error: Exception) -> None:
        """Stop because of an error; the first one is the one that counts."""
        if self._failure is None and not self._stopping:
            if isinstance(error, ConfigError):  # the author's matter, and said in full: a stack would bury it
                _LOG.error("a runnable failed; stopping", runnable=name, cause=str(error))
            else:
                _LOG.error("a runnable failed; stopping", error, runnable=name)
            self._failure = error
        else:
            _LOG.error("a runnable failed while stopping", error, runnable=name)
        self._stop.set()

    def lost(self, reason: str) -> None:
        """Stop at once, without grace, since another replica may lead."""
        _LOG.error("the leadership is lost; stopping at once", cause=reason)
        self._lost = True
        self._failure = LeadershipLost(f"{reason}; another replica may lead now, so this one has stopped")
        self._cancel_all()
        self._stop.set()

    # --- its one run ---

    async def run(self, leadership: Leadership | None) -> None:
        """Run until ended; raise what ended it, unless that was `stop`."""
        self._leadership = leadership
        try:
            await self._start_unless_stopped()
            await self._stop.wait()
        finally:
            await self._shut_down()
        if self._failure is not None:
            raise self._failure

    async def _start_unless_stopped(self) -> None:
        start = asyncio.create_task(self._start(), name="start of the manager")
        stop = asyncio.create_task(self._stop.wait(), name="wait for the end")
        try:
            await asyncio.wait((start, stop), return_when=asyncio.FIRST_COMPLETED)
        finally:
            start.cancel()
            stop.cancel()
            await asyncio.wait((start, stop))
        if not start.cancelled() and (error := start.exception()) is not None:
            raise error

    async def _start(self) -> None:
        for group in (Group.HTTP, Group.WEBHOOKS, Group.CACHES, Group.OTHERS, Group.WARM_UP):
            await self._groups[group].start()
        if self._leadership is None:
            await self._lead()
        else:
            self._leadership.start()

    def became_leader(self) -> None:
        """Start what only a leader runs; called when the election is won."""
        if not self._stopping:
            self._leading = asyncio.create_task(self._lead_or_fail(), name="start of the leader's runnables")

    async def _lead_or_fail(self) -> None:
        try:
            await self._lead()
        except Exception as error:  # noqa: BLE001 - the author's `ready`; whatever it is, the manager stops with it
            self.failed("the leader's runnables", error)

    async def _lead(self) -> None:
        self.elected.set()
        await self._groups[Group.LEADER].start()

    # --- the end ---

    async def _shut_down(self) -> None:
        self._stopping = True
        _LOG.info("stopping", running=self.running)
        if self._leading is not None:
            self._leading.cancel()
        late = await self._stop_groups(0.0 if self._lost else self._grace)
        left = await self._end_all()
        # Without grace nobody had the time to be late: what counts is who does not end when cancelled.
        self.cut_off = late if self._grace else left
        if self._leadership is not None:
            # With work still running somewhere (a thread cannot be ended) the lease must run out by itself.
            await self._leadership.stop(release=not late and not self._lost)
        if late and self._failure is None and self._grace > 0:
            self._failure = ShutdownTimeout(f"{', '.join(late)} did not end within {self._grace:g} s and was cut off")
        _LOG.info("stopped")

    async def _stop_groups(self, grace: float) -> list[str]:
        """Stop the groups in order; return who was asked to end and did not."""
        asked: list[Group] = []
        try:
            async with asyncio.timeout(None if grace < 0 else grace):
                for group in STOP_ORDER:
                    asked.append(group)
                    await self._groups[group].stop()
        except TimeoutError:
            pass
        return self._running_in(asked)

    async def _end_all(self) -> list[str]:
        """Cancel what still runs; return who does not end even then."""
        if self._running_in(STOP_ORDER):
            self._cancel_all()
            await self._last_words()
        return self._running_in(STOP_ORDER)

    def _running_in(self, groups: Iterable[Group]) -> list[str]:
        return [name for group in groups for name in self._groups[group].running]

    def _cancel_all(self) -> None:
        for group in STOP_ORDER:
            self._groups[group].cancel()

    async def _last_words(self) -> None:
        try:
            async with asyncio.timeout(_LAST_WORDS):
                for group in STOP_ORDER:
                    await self._groups[group].ended()
        except TimeoutError:
            late = self._running_in(STOP_ORDER)
            _LOG.warning("runnables do not even end when cancelled; leaving them", runnables=late)


class _WarmUp:
    """The warm-up of a runnable, as one of its own; after some seconds it goes on while the others no longer wait."""

    group = Group.WARM_UP

    def __init__(self, runnable: Runnable) -> None:
        self._warm_up = runnable.warm_up  # type: ignore[attr-defined]  # looked for by the caller
        self._done = asyncio.Event()
        self.name = f"warm-up of {name_of(runnable)}"

    async def run(self) -> None:
        patience = asyncio.get_running_loop().call_later(_WARM_UP, self._go_on)
        try:
            await self._warm_up()
            self._done.set()
        finally:
            patience.cancel()

    def _go_on(self) -> None:
        """Let the start go on: nobody else may have to wait for a kind that is not served."""
        _LOG.warning("not warm yet; the start goes on without it", runnable=self.name, waited=_WARM_UP)
        self._done.set()

    async def ready(self) -> None:
        await self._done.wait()
