"""The manager as the process: signals, and an end that is one.

The first SIGTERM or SIGINT stops gracefully, a second one exits with 1 on the spot; SIGUSR1 writes a dump. The
handlers are Python's own and not the loop's, so that they are heard while the loop is blocked.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

from konverge import log

_LOG = log.get("manager")
_STOPPING = tuple(number for number in ("SIGTERM", "SIGINT") if hasattr(signal, number))

Handler = Callable[[int, FrameType | None], None]


def exit_now(reason: str) -> NoReturn:
    """End the process with 1, whatever its threads are doing."""
    _LOG.error("exiting at once", cause=reason)
    logging.shutdown()
    os._exit(1)


@contextmanager
def signals(loop: asyncio.AbstractEventLoop, *, stop: Callable[[], None], dump: Callable[[], None]) -> Iterator[None]:
    """Handle the process's signals; only its main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers: dict[str, Handler] = dict.fromkeys(_STOPPING, _Stopper(loop, stop))
    if hasattr(signal, "SIGUSR1"):
        handlers["SIGUSR1"] = _dumper(dump)
    before: dict[str, Any] = {name: signal.signal(getattr(signal, name), handler) for name, handler in handlers.items()}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


class _Stopper:
    """Stops at the first signal, exits at the second."""

    def __init__(self, loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
        self._loop = loop
        self._stop = stop
        self._count = 0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        del frame
        self._count += 1
        if self._count > 1:
            os._exit(1)  # no log: the first one may be writing a line right now
        self._loop.call_soon_threadsafe(self._tell, signal.Signals(number).name)

    def _tell(self, name: str) -> None:
        _LOG.info("asked to stop; once more exits at once", signal=name)
        self._stop()


def _dumper(dump: Callable[[], None]) -> Handler:
    def handle(number: int, frame: FrameType | None) -> None:
        del number, frame
        # In a thread: what is interrupted here may hold a lock that the dump needs.
        threading.Thread(target=dump, name="konverge-dump", daemon=True).start()

    return handle
