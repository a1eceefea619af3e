"""Metrics: the names and labels of controller-runtime, so that existing dashboards keep working, and the cache's own.

Each manager has one `Metrics` with a registry of its own; nothing is global. What happens often (an add, a reconcile,
a call) goes to a child whose labels were bound once. Levels (depths, cache sizes) are not kept at all: whoever owns
them is asked when someone scrapes, on the loop that they belong to; while that loop is blocked, their last values are
served. This module knows no other part of konverge but by the shapes below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, repeat
from operator import mul
from typing import Any, Protocol

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample

from konverge import log

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


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheLevels:
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
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        make = _Families(self.registry)
        self._controllers = _ControllerFamilies(make)
        self._queues = _QueueFamilies(make)
        self._levels = _Levels()
        self.registry.register(self._levels)
        self._requests = make.counter("rest_client_requests_total", "Requests by status.", "code", "method", "host")
        self._bound_requests: dict[tuple[str, str, str], Counter] = {}
        self._master = make.gauge("leader_election_master_status", "1 on the replica that leads, else 0.", "name")
        self._slow = make.counter("leader_election_slowpath_total", "Renewals that needed a read first.", "name")
        self._webhooks = _WebhookFamilies(make)
        self.loop_blocked = make.counter("konverge_loop_blocked_total", "Times a call blocked the event loop.")
        self.loop_blocked_seconds = make.counter(
            "konverge_loop_blocked_seconds_total", "Seconds the event loop was blocked, in sum."
        )

    def scrape(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(_AsGo(self.registry))

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
        labels = (code, method, host)
        child = self._bound_requests.get(labels)
        if child is None:
            child = self._bound_requests[labels] = self._requests.labels(*labels)
        child.inc()

    def election(self, name: str) -> ElectionCounters:
        """Return what an elector reports to."""
        return ElectionCounters(self._master.labels(name), self._slow.labels(name))

    def webhook(self, path: str) -> WebhookMetrics:
        """Return what a webhook reports to."""
        return WebhookMetrics(self._webhooks, path)


class _Families:
    """Makes the families of one registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, registry=self._registry)

    def gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(name, text, labels, registry=self._registry)

    def histogram(self, name: str, text: str, *labels: str, buckets: Sequence[float] = _QUEUE_BUCKETS) -> Histogram:
        return Histogram(name, text, labels, buckets=buckets, registry=self._registry)


class _AsGo(CollectorRegistry):
    """A registry shown as Go's programs show theirs: no series of creation times, and bounds as Go spells them."""

    def __init__(self, registry: CollectorRegistry) -> None:
        super().__init__()
        self._shown = registry

    def collect(self) -> Iterator[Metric]:
        """Yield the families."""
        for family in self._shown.collect():
            family.samples = [_as_go(sample) for sample in family.samples if not sample.name.endswith("_created")]
            yield family


def _as_go(sample: Sample) -> Sample:
    bound = sample.labels.get("le")
    if bound is None or not bound.endswith(".0"):
        return sample
    return sample._replace(labels={**sample.labels, "le": bound.removesuffix(".0")})


class _ControllerFamilies:
    def __init__(self, make: _Families) -> None:
        def counter(name: str, text: str, *more: str) -> Counter:
            return make.counter(name, text, "controller", *more)

        self.total = counter("controller_runtime_reconcile_total", "Reconciles by result.", "result")
        self.errors = counter("controller_runtime_reconcile_errors_total", "Reconciles that failed.")
        self.terminal = counter("controller_runtime_terminal_reconcile_errors_total", "Failures that are not retried.")
        self.panics = counter("controller_runtime_reconcile_panics_total", "Failures that are bugs in the reconciler.")
        self.timeouts = counter("controller_runtime_reconcile_timeouts_total", "Reconciles that took too long.")
        self.hot_loops = counter("konverge_hot_loops_total", "Objects reconciled again because of their own writes.")
        self.workers = make.gauge("controller_runtime_max_concurrent_reconciles", "Workers there are.", "controller")
        self.busy = make.gauge("controller_runtime_active_workers", "Workers that are busy.", "controller")
        name = "controller_runtime_reconcile_time_seconds"
        self.seconds = make.histogram(name, "How long reconciles took.", "controller", buckets=_RECONCILE_BUCKETS)


class ControllerCounters:
    """One controller's counters, its labels bound; the methods are those of `konverge.controller.metrics`."""

    def __init__(self, families: _ControllerFamilies, name: str, workers: int) -> None:
        families.workers.labels(name).set(workers)
        self._busy = families.busy.labels(name)
        self._results = {result: families.total.labels(name, result) for result in _RESULTS}
        self._seconds = families.seconds.labels(name)
        # Counting is all that these do, so the child's own method is the hook.
        self.error = families.errors.labels(name).inc
        self.terminal_error = families.terminal.labels(name).inc
        self.panic = families.panics.labels(name).inc
        self.timeout = families.timeouts.labels(name).inc
        self.hot_loop = families.hot_loops.labels(name).inc

    def started(self) -> None:
        """Count a worker as busy."""
        self._busy.inc()

    def finished(self, result: str, seconds: float) -> None:
        """Count a run by its result (success, error, requeue, requeue_after), and its worker as free."""
        self._busy.dec()
        self._results[result].inc()
        self._seconds.observe(seconds)


class _QueueFamilies:
    def __init__(self, make: _Families) -> None:
        self.adds = make.counter("workqueue_adds_total", "Keys that became ready.", *_QUEUE)
        self.retries = make.counter("workqueue_retries_total", "Keys added with a delay.", *_QUEUE)
        self.waited = make.histogram("workqueue_queue_duration_seconds", "How long keys were ready.", *_QUEUE)
        self.worked = make.histogram("workqueue_work_duration_seconds", "How long workers had keys.", *_QUEUE)


class QueueCounters:
    """One queue's counters, its labels bound; the methods are those of `konverge.queue.QueueMetrics`."""

    def __init__(self, families: _QueueFamilies, name: str) -> None:
        self._adds = families.adds.labels(name, name)
        self._retries = families.retries.labels(name, name)
        self._waited = families.waited.labels(name, name)
        self._worked = families.worked.labels(name, name)

    def added(self, priority: int) -> None:  # noqa: ARG002 - a level, asked for at the scrape
        """Count a key that became ready."""
        self._adds.inc()

    def taken(self, priority: int, waited: float) -> None:  # noqa: ARG002 - as above
        """Note how long a key was ready."""
        self._waited.observe(waited)

    def finished(self, worked: float) -> None:
        """Note how long a worker had a key."""
        self._worked.observe(worked)

    def retried(self) -> None:
        """Count a key that was added with a delay."""
        self._retries.inc()


class ElectionCounters:
    """One lease's gauge and counter."""

    def __init__(self, master: Gauge, slow: Counter) -> None:
        self._master = master
        self._slow = slow

    def leading(self, *, leads: bool) -> None:
        """Note whether we lead."""
        self._master.set(leads)

    def slow_path(self) -> None:
        """Count a renewal that needed a read first."""
        self._slow.inc()


class _WebhookFamilies:
    def __init__(self, make: _Families) -> None:
        name = "controller_runtime_webhook"
        self.latency = make.histogram(f"{name}_latency_seconds", "How long admission requests took.", "webhook")
        self.total = make.counter(f"{name}_requests_total", "Admission requests by status.", "webhook", "code")
        self.in_flight = make.gauge(f"{name}_requests_in_flight", "Admission requests under way.", "webhook")
        self.panics = make.counter(f"{name}_panics_total", "Admission handlers that raised.")
        self.conversion_panics = make.counter(
            "controller_runtime_conversion_webhook_panics_total", "Conversions that raised."
        )


class WebhookMetrics:
    """One webhook's counters, its labels bound."""

    def __init__(self, families: _WebhookFamilies, path: str) -> None:
        self._latency = families.latency.labels(path)
        self._in_flight = families.in_flight.labels(path)
        self._codes = {code: families.total.labels(path, str(code)) for code in (200, 500)}
        self._families = families
        self._path = path

    def started(self) -> None:
        """Count a request as under way."""
        self._in_flight.inc()

    def finished(self, code: int, seconds: float) -> None:
        """Count a request by its answer."""
        self._in_flight.dec()
        self._latency.observe(seconds)
        (self._codes.get(code) or self._families.total.labels(self._path, str(code))).inc()

    def panic(self) -> None:
        """Count a handler that raised."""
        self._families.panics.inc()


Levels = list[Metric]
LevelReader = Callable[[Callable[[], Levels]], Levels]
"""Calls a function where levels may be read, and returns its answer, or an earlier one."""


class _Levels(Collector):
    """Asks the owners of levels at each scrape; one that fails is left out and logged, and the rest is served."""

    def __init__(self) -> None:
        self.queues: dict[str, Callable[[], QueueLevels]] = {}
        self.caches: list[Callable[[], Iterable[CacheLevels]]] = []
        self.read: LevelReader = lambda gather: gather()

    def describe(self) -> Levels:
        """Name the families, for the registry."""
        return self._gather()

    def collect(self) -> Levels:
        """Return the families with the values of this moment."""
        return self.read(self._gather)

    def _gather(self) -> Levels:
        return [*self._collect_queues(), *self._collect_caches()]

    def _collect_queues(self) -> Iterator[Metric]:
        depth = GaugeMetricFamily("workqueue_depth", "Keys that are ready.", labels=(*_QUEUE, "priority"))
        unfinished = GaugeMetricFamily(
            "workqueue_unfinished_work_seconds", "Seconds that keys in flight have taken, in sum.", labels=_QUEUE
        )
        longest = GaugeMetricFamily(
            "workqueue_longest_running_processor_seconds", "Seconds the longest of them has taken.", labels=_QUEUE
        )
        for name, ask in list(self.queues.items()):
            levels = _asked(ask)
            if levels is None:
                continue
            for priority, count in _bounded(levels.depth).items():
                depth.add_metric((name, name, priority), count)
            unfinished.add_metric((name, name), levels.unfinished_work)
            longest.add_metric((name, name), levels.longest_running)
        yield from (depth, unfinished, longest)

    def _collect_caches(self) -> Iterator[Metric]:
        labels = ("group", "version", "resource", "form")

        def gauge(name: str, text: str) -> GaugeMetricFamily:
            return GaugeMetricFamily(f"konverge_cache_{name}", text, labels=labels)

        objects = gauge("objects", "Objects held.")
        size = gauge("bytes", "Bytes of their JSON.")
        synced = gauge("synced", "1 once everything that was there at the start has been read.")
        age = gauge("last_event_age_seconds", "Seconds since the watch brought anything, bookmarks included.")
        relists = CounterMetricFamily("konverge_cache_relists", "Lists after the first.", labels=labels)
        stalls = CounterMetricFamily("konverge_cache_stalls", "Watches that went silent.", labels=labels)
        for levels in (levels for ask in self.caches for levels in _asked(ask) or ()):
            key = (levels.group, levels.version, levels.resource, levels.form)
            objects.add_metric(key, levels.objects)
            size.add_metric(key, levels.bytes)
            synced.add_metric(key, levels.synced)
            relists.add_metric(key, levels.relists)
            stalls.add_metric(key, levels.stalls)
            if levels.last_event_age is not None:
                age.add_metric(key, levels.last_event_age)
        yield from (objects, size, synced, age, relists, stalls)


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
