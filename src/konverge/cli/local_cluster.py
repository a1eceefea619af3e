"""Local cluster: the embedded API server for `konverge run --local`, in this process and in a thread of its own.

Whatever an operator does to its loop, kubectl is still answered. What is stored survives the operator and, unless it is
kept in memory, this process.
"""

from __future__ import annotations

import asyncio
import logging
import shlex
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from konverge.cli.serving import prepared_folder
from konverge.cluster.embedded import EmbeddedCluster

_THREAD: Final = "konverge-local-cluster"


def is_worth_telling(record: logging.LogRecord) -> bool:
    """Whether a line is the operator's own, or a warning: what the server's controllers do all day is not."""
    return record.threadName != _THREAD or record.levelno >= logging.WARNING


@contextmanager
def local_cluster(*, memory: bool, controllers: bool) -> Iterator[Path]:
    """Serve as long as the block, and say how to use it; the kubeconfig is what the block gets."""
    started = _Started(None if memory else prepared_folder(None), _control_plane() if controllers else None)
    kubeconfig = started.start()
    try:
        print(  # noqa: T201 - a program's words to its user
            "An API server is ready, for this terminal's operator and for kubectl in another one:\n\n"
            f"  export KUBECONFIG={shlex.quote(str(kubeconfig))}\n"
            "  kubectl get crds\n",
            flush=True,
        )
        yield kubeconfig
    finally:
        started.stop()


def _control_plane() -> Callable[[Any], None]:
    from konverge.cluster.control_plane import add_control_plane  # noqa: PLC0415 - models of many kinds

    return add_control_plane


class _Started:
    """An embedded cluster and the thread of its loop."""

    def __init__(self, folder: Path | None, controllers: Callable[[Any], None] | None) -> None:
        self._folder, self._controllers = folder, controllers
        self._thread = threading.Thread(target=self._run, name=_THREAD, daemon=True)
        self._ready: Future[Path] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()

    def start(self) -> Path:
        self._thread.start()
        return self._ready.result()

    def stop(self) -> None:
        if self._loop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            async with EmbeddedCluster(folder=self._folder, listen=True, controllers=self._controllers) as cluster:
                self._ready.set_result(cluster.kubeconfig)
                await self._stop.wait()
        except BaseException as error:
            if self._ready.done():
                raise
            self._ready.set_exception(error)
