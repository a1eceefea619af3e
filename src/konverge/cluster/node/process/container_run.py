"""ContainerRun: one run of a container, from its start to its end: hooks, probes, a graceful stop, how it ended."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Protocol

from konverge import clock
from konverge.cluster.node.process.container_log import ContainerLog
from konverge.cluster.node.process.container_view import Ended
from konverge.cluster.node.process.http_get import http_get
from konverge.cluster.node.process.probe_count import ProbeCount
from konverge.cluster.node.process.prober import Target, ask, http_request
from konverge.cluster.node.process.process import Process
from konverge.models import core_v1

_LEAST_GRACE: Final = 2.0  # seconds to end in, however long the preStop hook took
_BAD_STATUS: Final = 400
_AT_FIRST: Final = 1.0  # seconds between two questions to a container that is not ready


class Watcher(Protocol):
    """Who is told of what happens to a run."""

    def changed(self) -> None:
        """Something that the pod's status shows is different now."""
        ...

    def warn(self, reason: str, note: str) -> None:
        """Something happened that is worth an event."""
        ...

    def inform(self, reason: str, note: str) -> None:
        """Something happened as it should."""
        ...

    def stop_soon(self, run: ContainerRun, grace: float | None) -> None:
        """End a run that cannot go on; None: with the pod's own grace period."""
        ...


class ContainerRun:
    """A run under way, or over; `live` is its task."""

    def __init__(
        self,
        container: core_v1.Container,
        *,
        number: int,
        process: Process,
        log: ContainerLog,
        target: Target,
        watcher: Watcher,
        last_words: Callable[[int], Awaitable[str]],
    ) -> None:
        self.container = container
        self.number = number
        self.process = process
        self.log = log
        self.started_at = clock.now()
        self.is_started = not (container.startup_probe or _post_start(container))
        self.is_ready = self.is_started and container.readiness_probe is None
        self.is_stopping = False
        self.ended: Ended | None = None
        self._target = target
        self._watcher = watcher
        self._last_words = last_words
        self._over = asyncio.Event()
        self._timeout: asyncio.Timeout | None = None  # of its stop
        self._deadline = 0.0

    # --- its life ---

    async def live(self) -> None:
        """Look after the process until it has ended."""
        care = asyncio.create_task(self._care(), name=f"container {self.container.name}")
        try:
            code = await self.process.wait()
        finally:
            care.cancel()
            await asyncio.gather(care, return_exceptions=True)
        self.log.close()
        message = await self._last_words(code)
        self.ended = Ended(
            number=self.number,
            code=code,
            reason="Error" if code else "Completed",
            message=message,
            started_at=self.started_at,
            finished_at=clock.now(),
        )
        self.is_ready = self.is_started = False
        self._over.set()
        self._watcher.changed()

    async def wait(self) -> None:
        """Return when it is over."""
        await self._over.wait()

    async def _care(self) -> None:
        """Run the hook, then the probes; what they find out may end the process."""
        if not await self._started():
            return
        container = self.container
        if not self.is_started:
            self.is_started = True
            self.is_ready = container.readiness_probe is None
            self._watcher.changed()
        async with asyncio.TaskGroup() as group:
            if container.readiness_probe is not None:
                group.create_task(self._watch_readiness(container.readiness_probe))
            if container.liveness_probe is not None:
                group.create_task(self._watch_life(container.liveness_probe, "Liveness"))

    async def _started(self) -> bool:
        hook = _post_start(self.container)
        if hook is not None and (wrong := await self._hook(hook)):
            self._watcher.warn("FailedPostStartHook", f"PostStartHook failed: {wrong}")
            self._watcher.inform("Killing", "FailedPostStartHook")
            self._watcher.stop_soon(self, None)
            return False
        if (probe := self.container.startup_probe) is not None:
            return await self._watch_life(probe, "Startup")
        return True

    # --- probes ---

    async def _watch_readiness(self, probe: core_v1.Probe) -> None:
        count = ProbeCount(probe, initial=False)
        while True:
            await self._ask(probe, count, "Readiness")
            if bool(count.result) is not self.is_ready:
                self.is_ready = bool(count.result)
                self._watcher.changed()

    async def _watch_life(self, probe: core_v1.Probe, kind: str) -> bool:
        """Ask until a startup probe has succeeded (True), or the container is to be ended (False)."""
        count = ProbeCount(probe, initial=None)
        while True:
            await self._ask(probe, count, kind)
            if count.result is False:
                note = f"Container {self.container.name} failed {kind.lower()} probe, will be restarted"
                self._watcher.inform("Killing", note)
                self._watcher.stop_soon(self, probe.termination_grace_period_seconds)
                return False
            if count.result and kind == "Startup":
                return True

    async def _ask(self, probe: core_v1.Probe, count: ProbeCount, kind: str) -> None:
        """Ask once, when it is time to."""
        await asyncio.sleep(self._pause(probe, count))
        verdict = await ask(probe, self._target)
        count.note(ok=verdict.ok)
        if not verdict.ok and not self.is_stopping:
            self._watcher.warn("Unhealthy", f"{kind} probe failed: {verdict.output}")

    def _pause(self, probe: core_v1.Probe, count: ProbeCount) -> float:
        """Return the seconds until the next question."""
        if not count.asked:
            passed = (clock.now() - self.started_at).total_seconds()
            return max(float(probe.initial_delay_seconds or 0) - passed, 0.0)
        period = float(probe.period_seconds or 10)
        # A kubelet would wait for a whole period until it sees a server that took half a second to start; someone who
        # waits at a terminal should not.
        return min(period, _AT_FIRST) if probe is self.container.readiness_probe and not count.result else period

    # --- its end ---

    async def stop(self, grace: float) -> None:
        """End it: the preStop hook, SIGTERM, and SIGKILL when the grace period is over. May be asked for twice."""
        deadline = asyncio.get_running_loop().time() + grace
        if self.is_stopping:
            self._shorten(deadline)
            await self.wait()
            return
        self.is_stopping = True
        self._deadline = deadline
        await self._pre_stop()
        self.process.send(_stop_signal(self.container) if grace > 0 else signal.SIGKILL)
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._deadline) as self._timeout:
                await self.wait()
        self.process.kill()
        await self.wait()

    def _shorten(self, deadline: float) -> None:
        if deadline < self._deadline:
            self._deadline = deadline
            if self._timeout is not None and not self._timeout.expired():
                self._timeout.reschedule(deadline)

    async def _pre_stop(self) -> None:
        lifecycle = self.container.lifecycle
        hook = lifecycle.pre_stop if lifecycle else None
        loop = asyncio.get_running_loop()
        if hook is None or self.ended is not None or self._deadline <= loop.time():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._deadline) as self._timeout:
                if wrong := await self._hook(hook):
                    self._watcher.warn("FailedPreStopHook", f"PreStopHook failed: {wrong}")
        if self._deadline - loop.time() < _LEAST_GRACE:
            self._deadline = loop.time() + _LEAST_GRACE

    async def _hook(self, hook: core_v1.LifecycleHandler) -> str:
        """Run a hook; return what went wrong."""
        try:
            if hook.exec is not None:
                code, _ = await self._target.execute(hook.exec.command or (), _FOREVER)
                return f"its command ended with exit code {code}" if code else ""  # what it said may be a secret
            if hook.http_get is not None:
                status = await http_get(http_request(hook.http_get, self._target))
                return f"HTTP status {status}" if status >= _BAD_STATUS else ""
            if hook.sleep is not None:
                await asyncio.sleep(float(hook.sleep.seconds or 0))
        except (OSError, ValueError) as error:
            return str(error)
        return ""


_FOREVER: Final = 86_400.0


def _post_start(container: core_v1.Container) -> core_v1.LifecycleHandler | None:
    return container.lifecycle.post_start if container.lifecycle else None


def _stop_signal(container: core_v1.Container) -> signal.Signals:
    name = (container.lifecycle.stop_signal if container.lifecycle else None) or "SIGTERM"
    return signal.Signals.__members__.get(name, signal.SIGTERM)
