"""ManagerThread: a manager on a loop in a thread of its own, for what a test's cluster needs beside the test."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Self

from konverge.manager import Manager
from konverge.testing.manager_run import running


class ManagerThread:
    """Runs what `add` registers with the manager that `make` gives, as long as the block is entered."""

    def __init__(self, make: Callable[[], Manager], add: Callable[[Manager], None]) -> None:
        self._make = make
        self._add = add
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), name="konverge-manager", daemon=True)
        self._is_ready: Future[asyncio.AbstractEventLoop] = Future()
        self._stop = asyncio.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        self._is_ready.result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_ready.result().call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _main(self) -> None:
        try:
            manager = self._make()
            self._add(manager)
            async with running(manager):
                self._is_ready.set_result(asyncio.get_running_loop())
                await self._stop.wait()
        except BaseException as error:
            if self._is_ready.done():
                raise
            self._is_ready.set_exception(error)
