"""Manager: everything a controller needs, and its life.

It has one client that reads from a shared cache and one that reads live, runs what is added to it (controllers,
webhooks, anything with `async def run`), elects a leader where asked to, answers probes and scrapes, and stops in
order.
"""

from __future__ import annotations

import asyncio
import copy
import os
import socket
import sys
from random import Random
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import UUID

from konverge import log
from konverge.cache.cache import Cache
from konverge.cache.cached_client import CachedClient
from konverge.client.client import Client
from konverge.client.config import Config
from konverge.client.http import HttpTransport
from konverge.client.retry import RetryingTransport, RetryPolicy
from konverge.client.transport import Transport
from konverge.clock import WallClock
from konverge.controller.controller import Controller
from konverge.controller.reconcile import ReconcilerLike
from konverge.controller.recorder import Broadcaster, Recorder
from konverge.controller.writes import NotingTransport
from konverge.errors import RequestError
from konverge.manager import dump
from konverge.manager.activity import Activity
from konverge.manager.cache_levels import cache_levels
from konverge.manager.cache_options import CacheOptions
from konverge.manager.call_log import CallLog, LoggedTransport
from konverge.manager.fence import Fence, FencedTransport
from konverge.manager.health import Check, Checks
from konverge.manager.leader_election import Elector, LeaderElection
from konverge.manager.leadership import Callbacks, Leadership, TaskLeadership, ThreadLeadership
from konverge.manager.lease import LeaseLock
from konverge.manager.lifecycle import LeadershipLost, Lifecycle, ShutdownTimeout
from konverge.manager.loop_reader import LoopReader
from konverge.manager.metered import MeteredTransport
from konverge.manager.observed import observed
from konverge.manager.process import exit_now, signals
from konverge.manager.runnable import Group, Runnable, name_of
from konverge.manager.sync_watch import SyncWatch
from konverge.manager.tracing import Tracing, tracer
from konverge.manager.watchdog import Watchdog
from konverge.metrics import Levels, Metrics

if TYPE_CHECKING:
    from konverge.manager.endpoint import Endpoint
    from konverge.manager.webhooks import Webhooks
    from konverge.webhook.serving import WebhookServing

_LOG = log.get("manager")


class Manager:
    """Runs controllers against one API server; made once, started once.

    Without a `config` the one that kubectl would use here is loaded, in a pod its own; a `transport` takes its place
    (an embedded server). Addresses are `host:port`; None binds nothing. On a loop of virtual time no address is bound
    and no watchdog runs: both belong to real time.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        transport: Transport | None = None,
        metrics_address: str | None = ":8080",
        health_address: str | None = None,
        leader_election: LeaderElection | None = None,
        graceful_shutdown: float = 30.0,  # seconds for work in flight to end; 0: none, negative: as long as it takes
        cache: CacheOptions | None = None,
        retry: RetryPolicy | None = None,
        blocked_after: float = 1.0,  # seconds without a turn of the loop after which the watchdog speaks
        unhealthy_after: float = 30.0,  # and after which the liveness probe fails
        tracing: bool = True,  # spans, where OpenTelemetry is installed
        webhooks: WebhookServing | None = None,  # how webhooks are served, where there are any
        random: Random | None = None,
    ) -> None:
        if config is not None and transport is not None:
            raise RequestError("give a config or a transport, not both: the transport knows its server already")
        self.config = (config or Config.load()) if transport is None else None
        self.metrics = Metrics()
        self.activity = Activity()
        self.tracing: Tracing | None = tracer() if tracing else None
        self._election = leader_election
        self.random = random or Random()  # noqa: S311 - jitter and a name; neither is a secret
        self._fence = Fence(leader_election.id if leader_election else "")
        self.controllers: dict[str, Controller] = {}  # by name; the builder adds to it
        self._calls = CallLog.of_environment(os.environ, controllers=lambda: self.controllers)
        self._raw = transport if transport is not None else self._http()
        # Writes are noted above the retries: what a reconcile wrote, it wrote once.
        self._transport = NotingTransport(RetryingTransport(self._wrapped(self._raw), retry or RetryPolicy()))
        self._lifecycle = Lifecycle(graceful_shutdown=graceful_shutdown)
        self.cache_options = cache or CacheOptions()
        self.cache = self.add_cache(self.cache_options)
        self.client = CachedClient(self.cache)
        self.live: Client = self.client.live
        self._names: dict[str, None] = {}
        self._identity = (leader_election and leader_election.identity) or _identity(self.random)
        self._events = Broadcaster(self.live, instance=self._identity, random=self.random)
        self._lifecycle.add(_LastToStop(self._events))
        self._healthz, self._readyz = Checks("healthz"), Checks("readyz")
        self._endpoints: dict[str, Endpoint] = {}
        self._plan_endpoints(metrics_address, health_address)
        self._watchdog = self._make_watchdog(blocked_after, unhealthy_after)
        self._serving = webhooks
        self._webhooks: Webhooks | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._owns_process = False
        self.metrics.watch_caches(lambda: cache_levels(self.cache))

    def _http(self) -> HttpTransport:
        if self.config is None:
            raise RequestError("a manager without a transport needs a config")
        return HttpTransport(self.config)

    def _wrapped(self, transport: Transport) -> Transport:
        """Count, trace and fence each single try: below the retries."""
        transport = self._metered(transport)
        if self.tracing is not None:
            transport = self.tracing.transport(transport)
        return FencedTransport(transport, self._fence) if self._election else transport

    def _metered(self, transport: Transport) -> Transport:
        host = urlsplit(self.config.server).netloc if self.config else "in-process"
        if self._calls is not None:
            transport = LoggedTransport(transport, self._calls)
        return MeteredTransport(transport, self.metrics, host=host)

    def _plan_endpoints(self, metrics_address: str | None, health_address: str | None) -> None:
        if metrics_address is None and health_address is None:
            return
        from konverge.manager.endpoint import Endpoint, checks_page, metrics_page  # noqa: PLC0415 - an HTTP server

        if metrics_address is not None:
            self._endpoints["metrics"] = Endpoint("metrics", metrics_address, {"metrics": metrics_page(self.metrics)})
        if health_address is not None:
            pages = {"healthz": checks_page(self._healthz), "readyz": checks_page(self._readyz)}
            self._endpoints["health"] = Endpoint("health", health_address, pages)

    def _make_watchdog(self, blocked_after: float, unhealthy_after: float) -> Watchdog:
        watchdog = Watchdog(
            self.activity,
            threshold=blocked_after,
            limit=unhealthy_after,
            blocked=self.metrics.loop_blocked.inc,
            turned_again=self.metrics.loop_blocked_seconds.inc,
        )
        self._healthz.add("event-loop", watchdog.check)
        return watchdog

    # --- what it runs ---

    def add(self, runnable: Runnable) -> None:
        """Run something as long as the manager runs; see `Runnable` for what it may have beside `run`."""
        self._lifecycle.add(runnable)
        self._names[name_of(runnable)] = None

    def add_cache(self, options: CacheOptions) -> Cache:
        """Return one more cache, which runs with the manager: for what must be held apart, or in another shape.

        Begin with `manager.cache_options`. `CachedClient(cache)` reads from it; sources take it as `manager.cache`.
        """
        made = Cache(
            self._transport,
            selections=options.selections,
            namespaces=options.namespaces,
            transform=options.transform,
            resync=options.resync,
            limits=options.limits,
            random=self.random,
        )
        self._lifecycle.add(SyncWatch(made, timeout=options.sync_timeout))
        return made

    @property
    def authority(self) -> bytes:
        """The CA that the server's certificate is checked against, in PEM; empty where there is none of its own."""
        return self.config.tls.authority if self.config else getattr(self._raw, "authority", b"")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what was added."""
        return tuple(self._names)

    @property
    def webhooks(self) -> Webhooks:
        """Its webhooks; `new_webhook` and the builder add to them before the manager starts."""
        if self._webhooks is None:
            if self._loop is not None:
                raise RequestError("this manager runs already: add webhooks before it starts")
            self._webhooks = self._make_webhooks()
            self._readyz.add("webhook", self._webhooks.server.check)
        return self._webhooks

    def _make_webhooks(self) -> Webhooks:
        from konverge.manager.webhooks import Webhooks  # noqa: PLC0415 - an HTTP server, certificates
        from konverge.webhook.serving import WebhookServing  # noqa: PLC0415 - as above

        # Not fenced: every replica serves, and all of them tell the API server the same.
        client = Client(RetryingTransport(self._metered(self._raw), RetryPolicy()))
        return Webhooks(self._serving or WebhookServing(), client, metrics=self.metrics.webhook)

    def add_healthz_check(self, name: str, check: Check) -> None:
        """Let /healthz fail while a check raises; a plain function, called in a thread."""
        self._healthz.add(name, check)

    def add_readyz_check(self, name: str, check: Check) -> None:
        """Let /readyz fail while a check raises; a plain function, called in a thread."""
        self._readyz.add(name, check)

    def observed(self, controller: str, reconciler: ReconcilerLike) -> ReconcilerLike:
        """Return a reconciler whose runs the watchdog, dumps and traces can name; the builder does this."""
        return observed(controller, reconciler, activity=self.activity, tracing=self.tracing)

    def recorder(self, name: str) -> Recorder:
        """Return what records events in the name of a controller."""
        return self._events.recorder(name)

    # --- its life ---

    @property
    def elected(self) -> asyncio.Event:
        """Set when this replica leads, or at once where there is no election."""
        return self._lifecycle.elected

    @property
    def leader_election(self) -> LeaderElection | None:
        """How it elects a leader; None if it does not."""
        return self._election

    @property
    def ports(self) -> dict[str, int]:
        """The ports of the endpoints ("metrics", "health", "webhook"), once they are bound."""
        ports = {name: endpoint.port for name, endpoint in self._endpoints.items()}
        return ports if self._webhooks is None else {**ports, "webhook": self._webhooks.server.port}

    def stop(self) -> None:
        """Ask the manager to stop gracefully; on its loop."""
        self._lifecycle.stop()

    def run(self) -> None:
        """Run as the process: until SIGTERM or SIGINT, then return. Other ends are errors and exit with 1.

        A lost lease, and work that does not end within the grace period, end the process on the spot, whatever else
        failed: threads cannot be stopped, must not go on, and would keep the process from ever ending.
        """
        self._owns_process = True
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            with signals(loop, stop=self.stop, dump=self.write_dump):
                try:
                    runner.run(self.start())
                except (LeadershipLost, ShutdownTimeout) as error:
                    exit_now(str(error))
                except BaseException as error:
                    self._exit_if_anything_runs(error)
                    raise
                self._exit_if_anything_runs(None)

    def _exit_if_anything_runs(self, error: BaseException | None) -> None:
        """End the process if something was cut off, or a thread still works: it would not end by itself."""
        busy = [name for name, controller in self.controllers.items() if controller.busy_threads]
        if self._webhooks is not None and self._webhooks.server.busy_threads:
            busy.append(self._webhooks.name)
        left = list(dict.fromkeys((*self._lifecycle.cut_off, *busy)))
        if left:
            if error is not None:
                _LOG.error("the manager failed", error)
            exit_now(f"{', '.join(left)} did not end when asked to")

    async def start(self) -> None:
        """Run until stopped; raise what ended it otherwise. Cancelling it stops gracefully, too."""
        if self._loop is not None:
            raise RequestError("this manager was started before: make a new one")
        self._loop = asyncio.get_running_loop()
        real = not isinstance(self._loop, WallClock)
        if real:
            self._begin_in_real_time(self._loop)
        try:
            await self._lifecycle.run(self._leadership(real=real))
        finally:
            if real:
                self._watchdog.stop()
            await self._transport.close()

    def _begin_in_real_time(self, loop: asyncio.AbstractEventLoop) -> None:
        self.metrics.read_levels_by(LoopReader[Levels](loop))
        for endpoint in self._endpoints.values():
            self._lifecycle.add(endpoint)
        if self._webhooks is not None:
            self._lifecycle.add(self._webhooks)
        self._watchdog.start()

    # --- leader election ---

    def _leadership(self, *, real: bool) -> Leadership | None:
        options = self._election
        if options is None:
            return None
        callbacks = Callbacks(
            elected=self._lifecycle.became_leader,
            lost=self._lifecycle.lost,
            failed=self._election_failed,
            stuck=self._stuck,
        )
        config = self.config
        if config is None or not real:
            return TaskLeadership(Client(self._metered(self._raw)), self._elector, callbacks)
        # Credentials that renew themselves keep state that belongs to one loop.
        own = config.with_(credentials=copy.copy(config.credentials))
        return ThreadLeadership(
            lambda: self._metered(HttpTransport(own, timeout=options.request_timeout)),
            self._elector,
            callbacks,
            patience=options.lease_duration - options.renew_deadline,
        )

    def _elector(self, client: Client) -> Elector:
        options = self._election
        if options is None:
            raise RequestError("this manager has no leader election")
        namespace = options.namespace or (self.config.namespace if self.config else "default")
        return Elector(
            LeaseLock(client, namespace, options.id, options.labels),
            options,
            identity=self._identity,
            fence=self._fence,
            metrics=self.metrics.election(options.id),
            random=self.random,
        )

    def _election_failed(self, error: BaseException) -> None:
        self._lifecycle.lost(f"the leader election failed: {error!r}")

    def _stuck(self, reason: str) -> None:
        """End a process that lost its lease and whose loop is blocked; called in the election's thread."""
        if self._owns_process:
            exit_now(f"{reason}, and the event loop is blocked, so nothing can be stopped in order")

    # --- diagnosis ---

    def dump(self) -> str:
        """Return what every task, thread, queue and cache is doing; from any thread."""
        loop = self._loop
        lines = [f"konverge manager, process {os.getpid()}", *dump.threads()]
        if loop is not None:
            lines += LoopReader[list[str]](loop)(lambda: self._dump_of_loop(loop))
        return "\n".join(lines)

    def _dump_of_loop(self, loop: asyncio.AbstractEventLoop) -> list[str]:
        lines = [*dump.tasks(loop, self.activity), *dump.caches(self.cache)]
        try:
            levels = {name: ask() for name, ask in self.metrics.queues.items()}
        except RuntimeError:  # asked from a thread while the loop is blocked
            return lines
        return [*lines, *dump.queues(levels)]

    def write_dump(self) -> None:
        """Write the dump to standard error."""
        sys.stderr.write(self.dump() + "\n")
        sys.stderr.flush()


def _identity(random: Random) -> str:
    """Return a name that no other replica has."""
    return f"{socket.gethostname()}_{UUID(int=random.getrandbits(128), version=4)}"


class _LastToStop:
    """The sender of events, which goes on while controllers end: what they record then is worth reading, too."""

    group = Group.CACHES

    def __init__(self, events: Broadcaster) -> None:
        self._events = events
        self.name = events.name

    async def run(self) -> None:
        await self._events.run()

    def stop(self) -> None:
        self._events.stop()
