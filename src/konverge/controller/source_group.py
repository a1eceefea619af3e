"""SourceGroup: starts a controller's sources, keeps them going, and says what they wait for.

A source that cannot start (its kind is not served yet, the server is away) is tried again; one that does not come in
sync is named in the log with its reason and the remedy, again and again, while everything else runs on.
"""

from __future__ import annotations

import asyncio
import contextvars

from konverge.controller.reconcile import Request
from konverge.controller.source import Source
from konverge.errors import ApiError, CacheSyncTimeout, ConnectionFailed
from konverge.log import Logger
from konverge.queue import Queue

_FIRST_PAUSE, _LONGEST_PAUSE = 0.8, 30.0  # seconds before a source that could not start is tried again
_PATIENCE, _LONGEST_PATIENCE = 10.0, 300.0  # seconds between two log lines about what is waited for


class SourceGroup:
    """The sources of one controller; `run` starts them and returns when it is stopped or cancelled."""

    def __init__(self, queue: Queue[Request], logger: Logger, *, timeout: float | None, controller: str) -> None:
        self._queue = queue
        self._log = logger
        self._timeout = timeout
        self._controller = controller
        self._sources: dict[Source, asyncio.Task[None] | None] = {}
        self._group: asyncio.TaskGroup | None = None
        self._synced = asyncio.Event()
        self._stopping = asyncio.Event()

    def __repr__(self) -> str:
        return f"{len(self._sources)} sources, {'in sync' if self.in_sync else 'not in sync'}"

    @property
    def in_sync(self) -> bool:
        """Whether all that was there at the start is in the queue."""
        return self._synced.is_set()

    def add(self, source: Source) -> None:
        """Take a source in, and start it if the others run."""
        self._sources[source] = None
        if self._group is not None:
            self._begin(source, self._group)

    def remove(self, source: Source) -> None:
        """Stop a source and forget it."""
        task = self._sources.pop(source, None)
        source.stop()
        if task is not None:
            task.cancel()

    def stop(self) -> None:
        """Let `run` end."""
        self._stopping.set()

    async def wait_for_sync(self, running: asyncio.Task[None]) -> None:
        """Return when all sources are in sync, or when they are stopped; raise if they fail."""
        waits = [asyncio.create_task(event.wait()) for event in (self._synced, self._stopping)]
        try:
            await asyncio.wait((running, *waits), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        if running.done():
            running.result()

    async def run(self) -> None:
        """Start the sources and keep them going."""
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                for in_sync in [self._begin(source, group) for source in tuple(self._sources)]:
                    await in_sync.wait()
                self._synced.set()
                await self._stopping.wait()
                raise _Stopped  # noqa: TRY301 - a task group has no other way to end its tasks
        except* _Stopped:
            pass
        finally:
            self._group = None
            for source in self._sources:
                source.stop()

    def _begin(self, source: Source, group: asyncio.TaskGroup) -> asyncio.Event:
        """Start the life of a source; the event is set when it is in sync, or removed."""
        in_sync = asyncio.Event()
        # In a context of its own: a reconcile may be what adds it; it outlives that.
        name, context = f"{self._controller} {source!r}", contextvars.Context()
        self._sources[source] = group.create_task(self._keep(source, in_sync), name=name, context=context)
        return in_sync

    async def _keep(self, source: Source, in_sync: asyncio.Event) -> None:
        """Keep a source going until it is removed or all end; what it does in the background ends with it."""
        try:
            async with asyncio.TaskGroup() as group:
                await self._bring_in(source, group)
                in_sync.set()
                await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            in_sync.set()
            raise

    async def _bring_in(self, source: Source, group: asyncio.TaskGroup) -> None:
        """Start a source and wait until it is in sync."""
        self._log.debug("starting source", source=repr(source))
        limit = asyncio.timeout(self._timeout)
        try:
            async with limit:
                await self._start(source, group)
                await self._sync(source)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise CacheSyncTimeout(
                f'controller "{self._controller}": {source!r} was not in sync after {self._timeout:g} s'
                f"{''.join(f'; {problem}' for problem in _problems(source))}"
            ) from error

    async def _start(self, source: Source, group: asyncio.TaskGroup) -> None:
        pause = _FIRST_PAUSE
        while True:
            try:
                return await source.start(self._queue, group)
            except (ApiError, ConnectionFailed) as error:
                self._log.warning("a source cannot start and is tried again", source=repr(source), cause=str(error))
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    async def _sync(self, source: Source) -> None:
        patience = _PATIENCE
        async with asyncio.TaskGroup() as group:
            syncing = group.create_task(source.wait_for_sync())
            while not (await asyncio.wait((syncing,), timeout=patience))[0]:
                self._log.warning("waiting for a source", source=repr(source), problems=_problems(source))
                patience = min(patience * 2, _LONGEST_PATIENCE)


class _Stopped(Exception):
    """No error: the way out of a task group."""


def _problems(source: Source) -> list[str]:
    return [str(getattr(problem, "message", problem)) for problem in source.problems]
