"""Controller: takes keys from its queue and has them reconciled, until it is stopped.

Its life: the sources start and fill the queue; when all of them are in sync, the workers start; `stop` ends it in
order: no new work, what is under way may finish, then `run` returns. Cancelling `run` ends it at once.

One object is never with two workers. Whatever a reconcile raises is an outcome like any other (`outcome`): nothing an
author's code does ends a worker.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable
from random import Random
from typing import TYPE_CHECKING, Final

import msgspec

from konverge import log
from konverge.api.access import Access
from konverge.api.kind import GroupKind
from konverge.client.client import Client
from konverge.controller.attempt import Worker, attempt, attempt_in_thread
from konverge.controller.guarded_limiter import GuardedLimiter
from konverge.controller.hot_loop import HotLoop, HotLoops
from konverge.controller.metrics import ControllerMetrics, NoMetrics
from konverge.controller.options import ControllerOptions, seconds_of
from konverge.controller.outcome import Decision, Next, decide, is_panic
from konverge.controller.reconcile import (
    AsyncForm,
    BlockingContext,
    Context,
    ReconcilerLike,
    ReconcileTimeout,
    Request,
    Result,
    form_of_reconciler,
)
from konverge.controller.recorder import Recorder
from konverge.controller.run import Run
from konverge.controller.source import Source
from konverge.controller.source_group import SourceGroup
from konverge.controller.worker_threads import WorkerThreads
from konverge.controller.writes import Writes, noting
from konverge.errors import KonvergeError, RequestError, only_error
from konverge.log import Logger
from konverge.queue import Cause, Item, Queue, QueueMetrics

if TYPE_CHECKING:
    from konverge.client.blocking import BlockingClient
    from konverge.controller.host_loop import HostLoop

_LOG_NAME: Final = "controller"
# One worker's runs between two chances for everything else, should none of them ever wait: at least so many, so that
# chances do not cost more than runs; then as many as fit into a few milliseconds; and never more than that.
_FEWEST_RUNS: Final = 8
_TURN_SECONDS: Final = 0.005
_MOST_RUNS: Final = 128


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What a controller is given to work with, by a manager or by hand."""

    client: Client  # what reconcilers read and write with
    live: Client  # reads from the server
    recorder: Recorder = msgspec.field(default_factory=lambda: Recorder(None, ""))
    metrics: ControllerMetrics = msgspec.field(default_factory=NoMetrics)
    queue_metrics: QueueMetrics | None = None
    random: Random = msgspec.field(default_factory=lambda: Random(0))  # noqa: S311 - names runs in logs, keeps no secret


class WorkerEnded(KonvergeError):
    """A worker of a controller ended although nobody had stopped the controller."""


class Controller:
    """Made by `konverge.new_controller(manager)…complete(reconciler)`, or by hand where there is no manager."""

    def __init__(
        self,
        name: str,
        reconciler: ReconcilerLike,
        surroundings: Surroundings,
        *,
        options: ControllerOptions | None = None,
        kind: GroupKind | None = None,
        access: Access | None = None,
    ) -> None:
        self.name = name
        self.access = access or Access()  # for manifests; nothing here asks for it
        self.options = options or ControllerOptions()
        self.kind = kind
        own = self.options.rate_limiter
        self.queue: Queue[Request] = Queue(
            name, rate_limiter=None if own is None else GuardedLimiter(own), metrics=surroundings.queue_metrics
        )
        self._form = form_of_reconciler(reconciler)
        self._with = surroundings
        self._metrics = surroundings.metrics
        self._timeout = seconds_of(self.options.reconcile_timeout)
        self._log = _logger(name, kind)
        self._sources = SourceGroup(
            self.queue, self._log, timeout=seconds_of(self.options.cache_sync_timeout), controller=name
        )
        self._loops = HotLoops(surroundings.live, runs=self.options.hot_loop_runs)
        self._warming: asyncio.Task[None] | None = None
        self._threads: WorkerThreads | None = None
        self._started = False
        self._run_watchers: list[Callable[[Run], None]] = []

    def __repr__(self) -> str:
        return f"<Controller {self.name!r}: {self._sources}, {self.queue}>"

    @property
    def needs_leader_election(self) -> bool:
        """Whether only the leader may run it."""
        return self.options.needs_leader_election

    @property
    def in_sync(self) -> bool:
        """Whether its sources have brought all that was there at the start; it works from then on."""
        return self._sources.in_sync

    @property
    def busy_threads(self) -> int:
        """How many plain `def` reconciles have not returned; after its end too, since threads cannot be ended."""
        return self._threads.busy if self._threads is not None else 0

    # --- sources ---

    def watch(self, source: Source) -> None:
        """Add a source; one that is added while the controller runs starts at once."""
        self._sources.add(source)

    def unwatch(self, source: Source) -> None:
        """Remove a source; what it has put into the queue stays."""
        self._sources.remove(source)

    def watch_runs(self, watcher: Callable[[Run], None]) -> None:
        """Have each run told of when it has ended, on the controller's loop: for tests and tools that look on."""
        self._run_watchers.append(watcher)

    # --- its life ---

    async def warm_up(self) -> None:
        """Start the sources and wait for their sync before this replica leads, if `enable_warmup` is set."""
        if self.options.enable_warmup and self._warming is None:
            self._warming = asyncio.create_task(self._sources.run(), name=f"{self.name} sources")
            await self._sources.wait_for_sync(self._warming)

    async def run(self) -> None:
        """Work until stopped."""
        if self._started:
            raise RequestError(f'controller "{self.name}" runs already, or has run: make a new one to run again')
        self._started = True
        feeding = self._warming or asyncio.create_task(self._sources.run(), name=f"{self.name} sources")
        try:
            await self._sources.wait_for_sync(feeding)
            await self._work_until_stopped(feeding)
        except BaseExceptionGroup as group:
            raise only_error(group) from None
        finally:
            await _ended(feeding)
            if self._threads is not None:
                self._threads.shutdown(wait=False, cancel_futures=True)

    def stop(self) -> None:
        """Take no more work; what is under way may end, then `run` returns."""
        if not self.queue.shutting_down:
            self._log.info("stopping: what is under way may end", in_flight=len(self.queue.in_flight))
        self.queue.shut_down()
        self._sources.stop()
        if self._warming is not None and not self._started:
            self._warming.cancel()

    async def _work_until_stopped(self, feeding: asyncio.Task[None]) -> None:
        count = self.options.max_concurrent_reconciles
        self._log.info("starting workers", workers=count)
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(self._failing_with(feeding))
            workers = [group.create_task(self._work(), name=f"{self.name} worker {n}") for n in range(count)]
            try:
                await asyncio.wait(workers, return_when=asyncio.FIRST_COMPLETED)
                self._check_stopping()
                await asyncio.wait(workers)
            except BaseException:
                self.queue.shut_down()  # first of all: no worker takes one more key while it ends
                raise
            watching.cancel()
        self._log.info("all workers have ended")

    async def _failing_with(self, task: asyncio.Task[None]) -> None:
        """Raise what a task raises; its end alone, or its being cancelled, is no failure."""
        await asyncio.wait((task,))
        if not task.cancelled() and (error := task.exception()) is not None:
            self.queue.shut_down()  # the workers are cancelled next, and must see that it is meant
            raise error

    def _check_stopping(self) -> None:
        """Refuse to go on with fewer workers than asked for, or silently with none."""
        if not self.queue.shutting_down:
            raise WorkerEnded(
                f'controller "{self.name}": a worker was ended from outside while there was work for it; find what '
                "cancels tasks that are not its own (asyncio.all_tasks)"
            )

    async def _work(self) -> None:
        clock, me = asyncio.get_running_loop().time, Worker(lambda: self.queue.shutting_down)
        runs, began = 0, 0.0
        async for item in self.queue:
            if not runs:
                began = item.started
            try:
                await self._reconcile(item, me, clock)
            finally:
                self.queue.done(item)
            if me.must_end:
                raise asyncio.CancelledError  # which the reconcile under way has swallowed
            runs += 1
            if runs >= _FEWEST_RUNS and (runs >= _MOST_RUNS or item.started - began >= _TURN_SECONDS):
                runs = 0
                await asyncio.sleep(0)

    # --- one run ---

    async def _reconcile(self, item: Item[Request], worker: Worker, clock: Callable[[], float]) -> None:
        request, started, seen = item.key, item.started, None
        if self._loops.suspects(request):
            seen, started = await self._loops.look(request), clock()
        writes, logger = Writes(), _Lazy(self, request)
        self._metrics.started()
        outcome: Result | BaseException | None = None
        try:
            with noting(writes):
                outcome = await self._attempt(item, worker, logger)
        finally:
            # Without an outcome it is being cancelled, which goes on from here.
            decision, took = decide(asyncio.CancelledError() if outcome is None else outcome), clock() - started
            self._metrics.finished(decision.label, took)
        self._settle(item, outcome, decision)
        self._tell(item, outcome, logger, writes=writes, took=took)
        if self._run_watchers:
            self._show(Run(request, outcome, took=took, writes=tuple(writes.made), causes=item.causes))
        found = self._loops.ran(request, item.causes, writes.made, now=started + took, seen=seen)
        if found is not None:
            self._tell_loop(found, logger)

    def _attempt(self, item: Item[Request], worker: Worker, logger: _Lazy) -> Awaitable[Result | BaseException]:
        request, given = item.key, self._with
        if isinstance(self._form, AsyncForm):
            context = Context(given.client, given.live, given.recorder, request, item.causes, logger)
            return attempt(self._form.call, context, request, worker=worker, timeout=self._timeout)
        host, client, live = _hosted(given.client, given.live)
        blocking = BlockingContext(client, live, given.recorder, request, item.causes, logger)
        return attempt_in_thread(
            self._form.call, blocking, request, host=host, threads=self._pool(), timeout=self._timeout
        )

    def _pool(self) -> WorkerThreads:
        if self._threads is None:
            self._threads = WorkerThreads(self.options.max_concurrent_reconciles, self.name)
        return self._threads

    def _settle(self, item: Item[Request], outcome: Result | BaseException, decision: Decision) -> None:
        """Do to the request what the decision says."""
        request = item.key
        if decision.forget:
            self.queue.forget(request)
        if decision.next is Next.NEVER:
            return
        own = outcome.priority if isinstance(outcome, Result) else None
        priority = item.priority if own is None else own
        if decision.next is Next.AFTER:
            cause = Cause(f"requeue after {decision.after:g} s")
            self.queue.add(request, after=decision.after, priority=priority, cause=cause)
        else:
            cause = Cause("retry" if isinstance(outcome, BaseException) else "requeue")
            self.queue.add_rate_limited(request, priority=priority, cause=cause)

    # --- what is told about it ---

    def _tell(
        self, item: Item[Request], outcome: Result | BaseException, logger: _Lazy, *, writes: Writes, took: float
    ) -> None:
        if isinstance(outcome, BaseException):
            self._count(outcome)
            logger().error("Reconciler error", outcome, **_facts(item, writes, took))
        elif writes.made:
            if _STANDARD.isEnabledFor(logging.INFO):  # asked first: most of the cost is in saying what was done
                logger().info("reconciled", **_facts(item, writes, took))
        elif _STANDARD.isEnabledFor(logging.DEBUG):
            logger().debug("reconciled", **_facts(item, writes, took))

    def _show(self, run: Run) -> None:
        for watcher in self._run_watchers:
            watcher(run)

    def _count(self, error: BaseException) -> None:
        self._metrics.error()
        if decide(error).terminal:
            self._metrics.terminal_error()
        if isinstance(error, ReconcileTimeout):
            self._metrics.timeout()
        if is_panic(error):
            self._metrics.panic()

    def _tell_loop(self, found: HotLoop, logger: _Lazy) -> None:
        self._metrics.hot_loop()
        logger().warning(
            "this object is reconciled again and again because of its own writes: write only what differs from what is "
            "there, and leave each field to one manager",
            runs=found.runs,
            fields=[str(flip) for flip in found.flips],
        )

    def _logger_of(self, request: Request) -> Logger:
        reconcile_id = str(uuid.UUID(int=self._with.random.getrandbits(128), version=4))
        return self._log.bind(namespace=request.namespace, name=request.name, reconcileID=reconcile_id)


class _Lazy:
    """A run's logger, made when the first line is written: most runs write none."""

    __slots__ = ("_controller", "_made", "_request")

    def __init__(self, controller: Controller, request: Request) -> None:
        self._controller = controller
        self._request = request
        self._made: Logger | None = None

    def __call__(self) -> Logger:
        if self._made is None:
            self._made = self._controller._logger_of(self._request)  # noqa: SLF001 - the run is a part of it
        return self._made


def _hosted(client: Client, live: Client) -> tuple[HostLoop, BlockingClient, BlockingClient]:
    """Return the clients of a plain `def`, and the way by which they come to this loop."""
    from konverge.client.blocking import BlockingClient  # noqa: PLC0415 - `async def` is the rule, and needs none
    from konverge.client.waiter import Waiter  # noqa: PLC0415 - as above
    from konverge.controller.host_loop import HostLoop  # noqa: PLC0415 - as above

    host = HostLoop(asyncio.get_running_loop())
    return host, BlockingClient(client, Waiter(host)), BlockingClient(live, Waiter(host))


_STANDARD: Final = logging.getLogger(log.get(_LOG_NAME).name)


def _logger(name: str, kind: GroupKind | None) -> Logger:
    logger = log.get(_LOG_NAME).bind(controller=name)
    return logger if kind is None else logger.bind(controllerGroup=kind.group, controllerKind=kind.kind)


def _facts(item: Item[Request], writes: Writes, took: float) -> dict[str, object]:
    """Why it ran, how long it took and what it wrote."""
    return {"took": round(took, 6), "written": [str(write) for write in writes.made], "causes": str(item.causes)}


async def _ended(task: asyncio.Task[None]) -> None:
    """Cancel a task and wait for it; what it raised has been told by then."""
    task.cancel()
    await asyncio.wait((task,))
