"""Metrics: everything one manager counts.

Each manager has one `Metrics` with a registry of its own; nothing is global. What happens often (an add, a reconcile,
a call) goes to a series whose labels were bound once. Levels (depths, cache sizes) are not kept at all: whoever owns
them is asked when someone scrapes, on the loop that they belong to; while that loop is blocked, their last values are
served.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate, repeat
from operator import mul
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from konverge import log
from konverge.metrics.series import Family, Histogram, Number, counter, gauge, histogram

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_LOG = log.get("metrics")
_MOST_PRIORITIES = 25  # more values of a label than this help nobody; controller-runtime's figure
_OTHER_PRIORITIES = "exceeded_cardinality_limit"
# 10 ns to 1,000 s, multiplied up as Go does: its rounding errors are in the labels of everybody's dashboards.
_QUEUE_BUCKETS = tuple(accumulate(repeat(10.0, 11), mul, initial=10e-9))
# fmt: off
_RECONCILE_BUCKETS = (
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5, 1.75,
    2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0,
)
# fmt: on
_RESULTS = ("success", "error", "requeue", "requeue_after")
_QUEUE = ("name", "controller")


class QueueLevels(Protocol):
    """The levels of a queue at one moment, as `konverge.queue.QueueState` has them."""

    @property
    def depth(self) -> Mapping[int, int]:
        """Ready keys by priority."""
        ...

    @property
    def unfinished_work(self) -> float:
        """Seconds that the keys in flight have taken so far, in sum."""
        ...

    @property
    def longest_running(self) -> float:
        """Seconds that the longest of them has taken so far."""
        ...


class CacheLevels(msgspec.Struct, frozen=True, kw_only=True):
    """The levels of one informer at one moment."""

    group: str
    version: str
    resource: str
    form: str  # "object" or "metadata"
    objects: int
    bytes: int
    relists: int
    stalls: int
    synced: bool
    last_event_age: float | None  # seconds; None before the first


class Metrics:
    """Everything one manager counts; `scrape()` is what its endpoint serves."""

    def __init__(self) -> None:
        self._controllers = _ControllerFamilies()
        self._queues = _QueueFamilies()
        self._webhooks = _WebhookFamilies()
        self._levels = _Levels()
        self._requests = counter("rest_client_requests_total", "Requests by status.", "code", "method", "host")
        self._master = gauge("leader_election_master_status", "1 on the replica that leads, else 0.", "name")
        self._slow = counter("leader_election_slowpath_total", "Renewals that needed a read first.", "name")
        self._blocked = counter("konverge_loop_blocked_total", "Times a call blocked the event loop.")
        text = "Seconds the event loop was blocked, in sum."
        self._blocked_seconds = counter("konverge_loop_blocked_seconds_total", text)
        self.loop_blocked = self._blocked.of()
        self.loop_blocked_seconds = self._blocked_seconds.of()
        self._registry: CollectorRegistry | None = None
        self._making = threading.Lock()

    @property
    def registry(self) -> CollectorRegistry:
        """All of it as Prometheus' client for Python has it, and the place for an application's own metrics."""
        # Made when it is first asked for, at the first scrape as a rule: to import that client takes as long as some
        # thousand reconciles, and a manager whose metrics nobody reads needs none.
        with self._making:
            if self._registry is None:
                from konverge.metrics.exposition import registry_of  # noqa: PLC0415 - see above

                self._registry = registry_of(self._families, self._described)
            return self._registry

    def scrape(self) -> bytes:
        """Return everything in Prometheus' text format."""
        from konverge.metrics.exposition import text_of  # noqa: PLC0415 - as above

        return text_of(self.registry)

    def _families(self) -> Iterator[Family[Any]]:
        yield from self._counted()
        yield from self._levels.collect()

    def _described(self) -> Iterator[Family[Any]]:
        yield from self._counted()
        yield from _Levels().gather()  # the names alone: nobody is asked

    def _counted(self) -> Iterator[Family[Any]]:
        for group in (self._controllers, self._queues, self._webhooks):
            yield from vars(group).values()
        yield from (self._requests, self._master, self._slow, self._blocked, self._blocked_seconds)

    def controller(self, name: str, *, max_concurrent_reconciles: int = 1) -> ControllerCounters:
        """Return what a controller reports to; every counter of it is shown from now on, at zero."""
        return ControllerCounters(self._controllers, name, max_concurrent_reconciles)

    def queue(self, name: str) -> QueueCounters:
        """Return what a queue reports its events to; see `watch_queue` for its levels."""
        return QueueCounters(self._queues, name)

    def watch_queue(self, name: str, levels: Callable[[], QueueLevels]) -> None:
        """Ask for a queue's levels at each scrape."""
        self._levels.queues[name] = levels

    @property
    def queues(self) -> Mapping[str, Callable[[], QueueLevels]]:
        """What tells the levels of each queue."""
        return self._levels.queues

    def watch_caches(self, levels: Callable[[], Iterable[CacheLevels]]) -> None:
        """Ask for the caches' levels at each scrape."""
        self._levels.caches.append(levels)

    def read_levels_by(self, reader: LevelReader) -> None:
        """Let levels be read by somebody who knows their loop; by default they are read in place."""
        self._levels.read = reader

    def requested(self, *, code: str, method: str, host: str) -> None:
        """Count a request to the API server."""
        self._requests.of(code, method, host).inc()

    def election(self, name: str) -> ElectionCounters:
        """Return what an elector reports to."""
        return ElectionCounters(self._master.of(name), self._slow.of(name))

    def webhook(self, path: str) -> WebhookMetrics:
        """Return what a webhook reports to."""
        return WebhookMetrics(self._webhooks, path)


class _ControllerFamilies:
    def __init__(self) -> None:
        def count(name: str, text: str, *more: str) -> Family[Number]:
            return counter(name, text, "controller", *more)

        self.total = count("controller_runtime_reconcile_total", "Reconciles by result.", "result")
        self.errors = count("controller_runtime_reconcile_errors_total", "Reconciles that failed.")
        self.terminal = count("controller_runtime_terminal_reconcile_errors_total", "Failures that are not retried.")
        self.panics = count("controller_runtime_reconcile_panics_total", "Failures that are bugs in the reconciler.")
        self.timeouts = count("controller_runtime_reconcile_timeouts_total", "Reconciles that took too long.")
        self.hot_loops = count("konverge_hot_loops_total", "Objects reconciled again because of their own writes.")
        self.workers = gauge("controller_runtime_max_concurrent_reconciles", "Workers there are.", "controller")
        self.busy = gauge("controller_runtime_active_workers", "Workers that are busy.", "controller")
        name = "controller_runtime_reconcile_time_seconds"
        self.seconds = histogram(name, "How long reconciles took.", "controller", bounds=_RECONCILE_BUCKETS)


class ControllerCounters:
    """One controller's counters, its labels bound; the methods are those of `konverge.controller.metrics`."""

    def __init__(self, families: _ControllerFamilies, name: str, workers: int) -> None:
        families.workers.of(name).value = workers
        self._busy = families.busy.of(name)
        self._results = {result: families.total.of(name, result) for result in _RESULTS}
        self._seconds = families.seconds.of(name)
        # Counting is all that these do, so the series' own method is the hook.
        self.error = families.errors.of(name).inc
        self.terminal_error = families.terminal.of(name).inc
        self.panic = families.panics.of(name).inc
        self.timeout = families.timeouts.of(name).inc
        self.hot_loop = families.hot_loops.of(name).inc

    def started(self) -> None:
        """Count a worker as busy."""
        self._busy.value += 1

    def finished(self, result: str, seconds: float) -> None:
        """Count a run by its result (success, error, requeue, requeue_after), and its worker as free."""
        self._busy.value -= 1
        self._results[result].value += 1
        self._seconds.observe(seconds)


class _QueueFamilies:
    def __init__(self) -> None:
        def durations(name: str, text: str) -> Family[Histogram]:
            return histogram(name, text, *_QUEUE, bounds=_QUEUE_BUCKETS)

        self.adds = counter("workqueue_adds_total", "Keys that became ready.", *_QUEUE)
        self.retries = counter("workqueue_retries_total", "Keys added with a delay.", *_QUEUE)
        self.waited = durations("workqueue_queue_duration_seconds", "How long keys were ready.")
        self.worked = durations("workqueue_work_duration_seconds", "How long workers had keys.")


class QueueCounters:
    """One queue's counters, its labels bound; the methods are those of `konverge.queue.QueueMetrics`."""

    def __init__(self, families: _QueueFamilies, name: str) -> None:
        self._adds = families.adds.of(name, name)
        self._retries = families.retries.of(name, name)
        self._waited = families.waited.of(name, name)
        # Observing is all that this does, so the series' own method is the hook.
        self.finished = families.worked.of(name, name).observe

    def added(self, priority: int) -> None:  # noqa: ARG002 - a level, asked for at the scrape
        """Count a key that became ready."""
        self._adds.value += 1

    def taken(self, priority: int, waited: float) -> None:  # noqa: ARG002 - as above
        """Note how long a key was ready."""
        self._waited.observe(waited)

    def retried(self) -> None:
        """Count a key that was added with a delay."""
        self._retries.value += 1


class ElectionCounters:
    """One lease's gauge and counter."""

    def __init__(self, master: Number, slow: Number) -> None:
        self._master = master
        self._slow = slow

    def leading(self, *, leads: bool) -> None:
        """Note whether we lead."""
        self._master.value = leads

    def slow_path(self) -> None:
        """Count a renewal that needed a read first."""
        self._slow.inc()


class _WebhookFamilies:
    def __init__(self) -> None:
        name = "controller_runtime_webhook"
        text = "How long admission requests took."
        self.latency = histogram(f"{name}_latency_seconds", text, "webhook", bounds=_QUEUE_BUCKETS)
        self.total = counter(f"{name}_requests_total", "Admission requests by status.", "webhook", "code")
        self.in_flight = gauge(f"{name}_requests_in_flight", "Admission requests under way.", "webhook")
        self.panics = counter(f"{name}_panics_total", "Admission handlers that raised.")
        self.conversion_panics = counter(
            "controller_runtime_conversion_webhook_panics_total", "Conversions that raised."
        )


class WebhookMetrics:
    """One webhook's counters, its labels bound; counted on the loop that serves it."""

    def __init__(self, families: _WebhookFamilies, path: str) -> None:
        self._latency = families.latency.of(path)
        self._in_flight = families.in_flight.of(path)
        self._families = families
        self._path = path
        for code in (200, 500):
            families.total.of(path, str(code))

    def started(self) -> None:
        """Count a request as under way."""
        self._in_flight.inc()

    def finished(self, code: int, seconds: float) -> None:
        """Count a request by its answer."""
        self._in_flight.inc(-1)
        self._latency.observe(seconds)
        self._families.total.of(self._path, str(code)).inc()

    def panic(self) -> None:
        """Count a handler that raised."""
        self._families.panics.of().inc()

    def conversion_panic(self) -> None:
        """Count a conversion that raised."""
        self._families.conversion_panics.of().inc()


Levels = list[Family[Number]]
LevelReader = Callable[[Callable[[], Levels]], Levels]
"""Calls a function where levels may be read, and returns its answer, or an earlier one."""


class _Levels:
    """Asks the owners of levels at each scrape; one that fails is left out and logged, and the rest is served."""

    def __init__(self) -> None:
        self.queues: dict[str, Callable[[], QueueLevels]] = {}
        self.caches: list[Callable[[], Iterable[CacheLevels]]] = []
        self.read: LevelReader = lambda gather: gather()

    def collect(self) -> Levels:
        """Return the families with the values of this moment, read where they may be."""
        return self.read(self.gather)

    def gather(self) -> Levels:
        """Return the families, read in place."""
        return [*self._collect_queues(), *self._collect_caches()]

    def _collect_queues(self) -> Levels:
        depth = gauge("workqueue_depth", "Keys that are ready.", *_QUEUE, "priority")
        text = "Seconds that keys in flight have taken, in sum."
        unfinished = gauge("workqueue_unfinished_work_seconds", text, *_QUEUE)
        text = "Seconds the longest of them has taken."
        longest = gauge("workqueue_longest_running_processor_seconds", text, *_QUEUE)
        for name, ask in list(self.queues.items()):
            levels = _asked(ask)
            if levels is None:
                continue
            for priority, count in _bounded(levels.depth).items():
                depth.of(name, name, priority).value = count
            unfinished.of(name, name).value = levels.unfinished_work
            longest.of(name, name).value = levels.longest_running
        return [depth, unfinished, longest]

    def _collect_caches(self) -> Levels:
        labels = ("group", "version", "resource", "form")
        objects = gauge("konverge_cache_objects", "Objects held.", *labels)
        size = gauge("konverge_cache_bytes", "Bytes of their JSON.", *labels)
        text = "1 once everything that was there at the start has been read."
        synced = gauge("konverge_cache_synced", text, *labels)
        text = "Seconds since the watch brought anything, bookmarks included."
        age = gauge("konverge_cache_last_event_age_seconds", text, *labels)
        relists = counter("konverge_cache_relists_total", "Lists after the first.", *labels)
        stalls = counter("konverge_cache_stalls_total", "Watches that went silent.", *labels)
        for levels in (levels for ask in self.caches for levels in _asked(ask) or ()):
            key = (levels.group, levels.version, levels.resource, levels.form)
            objects.of(*key).value = levels.objects
            size.of(*key).value = levels.bytes
            synced.of(*key).value = levels.synced
            relists.of(*key).value = levels.relists
            stalls.of(*key).value = levels.stalls
            if levels.last_event_age is not None:
                age.of(*key).value = levels.last_event_age
        return [objects, size, synced, age, relists, stalls]


def _asked(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except Exception as error:  # noqa: BLE001 - the rest must be served all the same
        _LOG.warning("a level could not be read", cause=str(error))
        return None


def _bounded(depth: Mapping[int, int]) -> dict[str, int]:
    """Return the depths by label; too many different priorities become one."""
    if len(depth) <= _MOST_PRIORITIES:
        return {str(priority): count for priority, count in depth.items()}
    return {_OTHER_PRIORITIES: sum(depth.values())}
