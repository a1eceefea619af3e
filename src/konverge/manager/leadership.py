"""Where the elector runs, and how the manager hears of it.

On HTTP it has a thread, a loop and connections of its own, so that a reconcile that blocks the manager's loop does not
cost the lease. In process (a given transport, virtual time) it is a task on the manager's own loop. Either way the two
callbacks are called on the manager's loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import msgspec

from konverge import log
from konverge.client.client import Client
from konverge.client.transport import Transport
from konverge.manager.leader_election import Elector

_LOG = log.get("leader_election")

MakeElector = Callable[[Client], Elector]
"""Makes the elector for a client, on the loop that the client belongs to."""


class Callbacks(msgspec.Struct, frozen=True, kw_only=True):
    """What the manager does about it."""

    elected: Callable[[], None]
    lost: Callable[[str], None]  # with the reason
    failed: Callable[[BaseException], None]  # the election itself ended by a bug
    stuck: Callable[[str], None]  # lost, and the manager's loop has not even heard of it: called in the thread


class Leadership(Protocol):
    """An election that runs."""

    def start(self) -> None:
        """Begin, on the running loop."""
        ...

    async def stop(self, *, release: bool) -> None:
        """End, and give the lease back if `release` and if it is ours."""
        ...


class _Campaign:
    """One run: wait to be elected, renew, and be told to stop."""

    def __init__(self, client: AbstractAsyncContextManager[Client], make: MakeElector, callbacks: Callbacks) -> None:
        self._client = client
        self._make = make
        self._callbacks = callbacks
        self._stop = asyncio.Event()
        self._release = False

    def stop(self, *, release: bool) -> None:
        """Ask for the end; called on the loop that it runs on."""
        self._release = release
        self._stop.set()

    async def run(self) -> None:
        """Run to the end: lost, or stopped."""
        async with self._client as client:
            elector = self._make(client)
            work = asyncio.create_task(self._lead(elector), name="leader election")
            stop = asyncio.create_task(self._stop.wait(), name="end of leader election")
            try:
                await asyncio.wait((work, stop), return_when=asyncio.FIRST_COMPLETED)
            finally:
                lost = work.done()
                work.cancel()
                stop.cancel()
                await asyncio.wait((work, stop))
            if not lost and self._release:
                await elector.release()
            if not work.cancelled() and (error := work.exception()):
                self._callbacks.failed(error)

    async def _lead(self, elector: Elector) -> None:
        await elector.acquire()
        self._callbacks.elected()
        self._callbacks.lost(await elector.keep())


class TaskLeadership:
    """An election on the manager's own loop."""

    def __init__(self, client: Client, make: MakeElector, callbacks: Callbacks) -> None:
        self._campaign = _Campaign(_borrowed(client), make, callbacks)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin."""
        self._task = asyncio.create_task(self._campaign.run(), name="leader election")

    async def stop(self, *, release: bool) -> None:
        """End."""
        if self._task is not None:
            self._campaign.stop(release=release)
            await asyncio.wait([self._task])


@asynccontextmanager
async def _borrowed(client: Client) -> AsyncIterator[Client]:
    yield client


class ThreadLeadership:
    """An election on a thread of its own, with connections of its own."""

    def __init__(
        self, connect: Callable[[], Transport], make: MakeElector, callbacks: Callbacks, *, patience: float
    ) -> None:
        self._connect = connect  # called on the thread's loop
        self._make = make
        self._callbacks = callbacks
        self._patience = patience  # seconds the manager's loop has to hear of a lost lease
        self._heard = threading.Event()
        self._ended = asyncio.Event()
        # Both set before the thread starts or by it, and read by the other side after `_ready`.
        self._manager_loop: asyncio.AbstractEventLoop
        self._loop: asyncio.AbstractEventLoop
        self._campaign: _Campaign
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="konverge-leader-election", daemon=True)

    def start(self) -> None:
        """Begin; the thread is up when this returns, which takes a millisecond."""
        self._manager_loop = asyncio.get_running_loop()
        self._thread.start()
        self._ready.wait()

    async def stop(self, *, release: bool) -> None:
        """End, without blocking the loop while the thread does."""
        if self._thread.ident is None:
            return
        self._in_thread(lambda: self._campaign.stop(release=release))
        await self._ended.wait()
        self._thread.join()

    def _in_thread(self, call: Callable[[], None]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call)

    def _on_manager_loop(self, call: Callable[[], object]) -> None:
        if not self._manager_loop.is_closed():
            self._manager_loop.call_soon_threadsafe(call)

    def _serve(self) -> None:
        try:
            asyncio.run(self._main())
        except Exception as error:  # noqa: BLE001 - the manager must hear of it, whatever it is
            failure = error
            self._on_manager_loop(lambda: self._callbacks.failed(failure))
        finally:
            self._ready.set()
            self._on_manager_loop(self._ended.set)

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        told = Callbacks(
            elected=lambda: self._on_manager_loop(self._callbacks.elected),
            lost=self._lost,
            failed=lambda error: self._on_manager_loop(lambda: self._callbacks.failed(error)),
            stuck=self._callbacks.stuck,
        )
        self._campaign = _Campaign(self._client(), self._make, told)
        self._ready.set()
        await self._campaign.run()

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Client]:
        # No retries: the elector has its own, and knows better how long they may take.
        async with Client(self._connect()) as client:
            yield client

    def _lost(self, reason: str) -> None:
        """Tell the manager; if its loop is blocked and does not hear, it cannot stop by itself."""
        self._on_manager_loop(lambda: self._hear(reason))
        if not self._heard.wait(self._patience):
            self._callbacks.stuck(reason)

    def _hear(self, reason: str) -> None:
        self._heard.set()
        self._callbacks.lost(reason)
