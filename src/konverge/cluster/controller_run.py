"""ControllerRun: a manager with the built-in controllers, beside the server that it works on and on the same loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random
from typing import Final

from konverge import log
from konverge.cache.watcher import Limits
from konverge.client.transport import Transport
from konverge.manager import CacheOptions, Manager

_LOG = log.get("cluster.controllers")

# No network is between: watches need not end, and silence means nothing. It saves a day of virtual time thousands of
# watches that would be opened again, and a hundred thousand bookmarks.
_LIMITS: Final = Limits(watch_seconds=(36_000, 43_200), watch_idle=86_400.0, bookmarks=False)


class ControllerRun:
    """Runs what `add` registers, from `start` to `stop`."""

    def __init__(self, transport: Transport, add: Callable[[Manager], None], *, random: Random | None = None) -> None:
        self.manager = Manager(
            transport=transport,
            metrics_address=None,
            cache=CacheOptions(limits=_LIMITS),
            tracing=False,
            random=random,
        )
        self._add = add
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin; return when the controllers work, or raise what keeps them from it."""
        self._add(self.manager)
        self._task = asyncio.create_task(self.manager.start(), name="built-in controllers")
        elected = asyncio.create_task(self.manager.elected.wait())
        await asyncio.wait((self._task, elected), return_when=asyncio.FIRST_COMPLETED)
        elected.cancel()
        if self._task.done():
            await self._task

    async def ended(self) -> None:
        """Wait for the end of the manager, and raise what ended it."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def stop(self) -> None:
        """Let the work under way end; what ended the manager before is logged, since the server goes on without it."""
        if self._task is None:
            return
        self.manager.stop()
        try:
            await self._task
        except Exception as error:  # noqa: BLE001 - the cluster must be closed all the same
            _LOG.error("the built-in controllers have ended", error)
