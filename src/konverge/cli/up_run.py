"""What `konverge up` does: puts API server, controllers and a node together, and keeps them until told to stop."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import msgspec

from konverge import log
from konverge.cli.run_state import Run, RunState
from konverge.cli.up_status import Facts, Place, View, log_warnings, stamped, view_of
from konverge.errors import ConfigError

if TYPE_CHECKING:
    from konverge.cli.local_plane import LocalPlane
    from konverge.cluster.embedded import EmbeddedCluster

_LOOPBACK: Final = "127.0.0.1"
_ASKED: Final = (signal.SIGTERM, signal.SIGINT)
_STOPPING: Final = (*_ASKED, signal.SIGHUP)  # its terminal was closed, of which both kernel and shell may tell
_SHOW_EVERY: Final = 1.0  # seconds
_LOG = log.get("up")


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How one run is made; paths are absolute."""

    folder: Path  # of the state, and of the data unless `memory`
    memory: bool = False
    simulate: bool = False  # pods are simulated, not run
    images: Path | None = None
    kubeconfig: Path | None = None  # None: in the folder
    context: bool = False  # of the user's own kubeconfig
    port: int = 0  # 0: the one of the last run if it is free, else any
    ready: int = -1  # a descriptor to write to when it is ready; -1: none

    def arguments(self) -> list[str]:
        """Return the same as words of a command line, but for `ready`."""
        found = ["--data", str(self.folder), "--port", str(self.port)]
        found += ["--node", "simulate" if self.simulate else "process"]
        found += [f"--{name}" for name in ("memory", "context") if getattr(self, name)]
        for name, path in (("images", self.images), ("kubeconfig", self.kubeconfig)):
            found += [f"--{name}", str(path)] if path is not None else []
        return found

    @property
    def home(self) -> Path:
        """Where this run may put files; what is kept in memory leaves none behind."""
        return self.folder / "memory" if self.memory else self.folder


def bring_up(options: Options, *, detach: bool) -> None:
    """Run a cluster until it is told to stop, or leave it running in the background. Raises `ConfigError`."""
    if detach:
        from konverge.cli.detaching import run_detached  # noqa: PLC0415 - only where it is wanted

        run_detached(options)
    else:
        log_warnings()
        with _state(options) as (state, before):
            asyncio.run(_run(options, state, before))


@contextmanager
def _state(options: Options) -> Iterator[tuple[RunState, Run | None]]:
    state = RunState(options.folder)
    before = state.take()
    try:
        yield state, before
    finally:
        if options.memory:
            shutil.rmtree(options.home, ignore_errors=True)
        state.release(forget=options.memory)


async def _run(options: Options, state: RunState, before: Run | None) -> None:
    from konverge.cli.local_plane import LocalPlane  # noqa: PLC0415 - a mistake in the options is told without it

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in _STOPPING:
        loop.add_signal_handler(number, stop.set)
    kubeconfig = options.kubeconfig or options.home / "kubeconfig"
    _require_context(options, kubeconfig)
    plane = LocalPlane(options.home / "node", simulate=options.simulate, images=options.images)
    cluster = plane.cluster(
        data=None if options.memory else options.folder,
        kubeconfig=kubeconfig,
        port=options.port or _last_port(before),
    )
    async with cluster:
        run = Run.of_this_process(url=cluster.url, kubeconfig=str(cluster.kubeconfig))
        state.write(run)
        with _context(options, cluster), view_of(_place(options, cluster, plane)) as view:
            _tell_ready(options.ready, run)
            await _Watch(view, plane).until(stop)
            for number in _ASKED:
                loop.remove_signal_handler(number)  # whoever asks again does not want to wait
    # Only now is nothing left: the pods ended with the controllers.


def _last_port(before: Run | None) -> int:
    """Return the port of the last run if it is free, so that what knows the address finds it there again."""
    port = urlsplit(before.url).port if before is not None else None
    if port is None:
        return 0
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_LOOPBACK, port))
        except OSError:
            return 0
    return port


def _place(options: Options, cluster: EmbeddedCluster, plane: LocalPlane) -> Place:
    from konverge.cluster.identity import NAME  # noqa: PLC0415 - as above

    return Place(
        url=cluster.url,
        kubeconfig=cluster.kubeconfig,
        data="in memory, gone when it stops" if options.memory else str(options.folder),
        node=plane.description,
        context=NAME if options.context else "",
    )


def _tell_ready(descriptor: int, run: Run) -> None:
    if descriptor >= 0:
        with suppress(OSError):  # nobody waits any more
            os.write(descriptor, msgspec.json.encode(run))
            os.close(descriptor)


def _require_context(options: Options, own: Path) -> None:
    if options.context:
        from konverge.cli.user_kubeconfig import require_free_name, user_kubeconfig  # noqa: PLC0415 - as above

        require_free_name(user_kubeconfig(), own)


@contextmanager
def _context(options: Options, cluster: EmbeddedCluster) -> Iterator[None]:
    """Have the context in the user's kubeconfig as long as the block, if that is wanted."""
    if not options.context:
        yield
        return
    from konverge.cli.user_kubeconfig import add_context, remove_context, user_kubeconfig  # noqa: PLC0415 - as above

    path = user_kubeconfig()
    add_context(path, cluster.kubeconfig)
    try:
        yield
    finally:
        try:
            remove_context(path, cluster.url)
        except ConfigError as error:
            _LOG.warning("the context could not be taken away", cause=str(error))


class _Watch:
    """Shows what is the case, from the moment that all is ready until it is to stop."""

    def __init__(self, view: View, plane: LocalPlane) -> None:
        self._view, self._plane = view, plane
        self._began = asyncio.get_running_loop().time()
        self._latest = ""
        plane.watch_problems(self._problem)

    def _problem(self, sentence: str) -> None:
        self._latest = stamped(sentence)
        self._view.problem(sentence)

    async def until(self, stop: asyncio.Event) -> None:
        """Go on until it is to stop; controllers that end by themselves are an error, and raised."""
        ends = [asyncio.ensure_future(self._plane.ended()), asyncio.ensure_future(stop.wait())]
        try:
            while not any(end.done() for end in ends):
                await self._show()
                # Who shows nothing need not wake up.
                pause = _SHOW_EVERY if self._view.is_live else None
                await asyncio.wait(ends, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
            if ends[0].done():
                await ends[0]
            await self._show(is_stopping=True)
        finally:
            for end in ends:
                end.cancel()

    async def _show(self, *, is_stopping: bool = False) -> None:
        if self._view.is_live:
            up_for = asyncio.get_running_loop().time() - self._began
            pods, objects = await self._plane.pods(), self._plane.objects()
            self._view.show(
                Facts(up_for=up_for, objects=objects, pods=pods, problem=self._latest, is_stopping=is_stopping)
            )
