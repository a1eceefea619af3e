"""A group of runnables that start and stop together."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable

from konverge import log
from konverge.errors import only_error
from konverge.manager.runnable import Group, Runnable, name_of

_LOG = log.get("manager")

Failed = Callable[[str, Exception], None]
"""Told the name of a runnable that failed, and its error."""


class RunnableGroup:
    """Runs its runnables as tasks; one that is added while the group runs starts at once."""

    def __init__(self, group: Group, failed: Failed) -> None:
        self.group = group
        self._failed = failed
        self._waiting: list[Runnable] = []
        self._tasks: dict[asyncio.Task[None], Runnable] = {}
        self.started = False

    def add(self, runnable: Runnable) -> None:
        """Take a runnable in."""
        if self.started:
            self._begin(runnable)
        else:
            self._waiting.append(runnable)

    async def start(self) -> None:
        """Start all, and wait until those that say so are ready."""
        self.started = True
        begun, self._waiting = self._waiting, []
        for runnable in begun:
            self._begin(runnable)
        for runnable in begun:
            ready = getattr(runnable, "ready", None)
            if ready is not None:
                await ready()

    def _begin(self, runnable: Runnable) -> None:
        _LOG.debug("starting", runnable=name_of(runnable), group=self.group.name.lower())
        task = asyncio.get_running_loop().create_task(self._run(runnable), name=name_of(runnable))
        self._tasks[task] = runnable
        task.add_done_callback(lambda done: self._tasks.pop(done, None))

    async def _run(self, runnable: Runnable) -> None:
        try:
            await runnable.run()
        except Exception as error:  # noqa: BLE001 - whatever it is, the manager decides
            self._failed(name_of(runnable), only_error(error))

    @property
    def running(self) -> list[str]:
        """The names of those that have not ended."""
        return [name_of(runnable) for runnable in self._tasks.values()]

    async def stop(self) -> None:
        """Ask all to end, and wait for it, however long that takes."""
        self.started = False
        for runnable in self._waiting:
            if hasattr(runnable, "warm_up"):  # it never ran, but what has warmed it up may
                self._close(runnable)
        self._waiting.clear()
        tasks = dict(self._tasks)
        ending = []
        for task, runnable in tasks.items():
            stop = getattr(runnable, "stop", None)
            if stop is None:
                task.cancel()
            else:
                ending.append(asyncio.create_task(self._ask(stop, runnable), name=f"stop {name_of(runnable)}"))
        try:
            if tasks:
                await asyncio.wait((*tasks, *ending))
        finally:
            for task in ending:
                task.cancel()

    async def _ask(self, stop: Callable[[], object], runnable: Runnable) -> None:
        try:
            answer = stop()
            if asyncio.iscoroutine(answer):
                await answer
        except Exception as error:  # noqa: BLE001 - the author's code; the others must be stopped all the same
            _LOG.error("a runnable failed while it was asked to stop", error, runnable=name_of(runnable))
            self._cancel_tasks()

    def cancel(self) -> None:
        """End all at once; first of all, none of them takes more work."""
        for runnable in list(self._tasks.values()):
            self._close(runnable)
        self._cancel_tasks()

    def _cancel_tasks(self) -> None:
        for task in list(self._tasks):
            task.cancel()

    def _close(self, runnable: Runnable) -> None:
        stop = getattr(runnable, "stop", None)
        if stop is None or inspect.iscoroutinefunction(stop):  # which there is no time to wait for
            return
        try:
            stop()
        except Exception as error:  # noqa: BLE001 - the author's code; the others must be stopped all the same
            _LOG.error("a runnable failed while it was asked to stop", error, runnable=name_of(runnable))

    async def ended(self) -> None:
        """Wait until none is left; for after `cancel`."""
        if self._tasks:
            await asyncio.wait(list(self._tasks))
