from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from prometheus_client import Counter
from prometheus_client.parser import text_string_to_metric_families

from konverge.metrics import CacheLevels, Metrics
from konverge.queue import QueueState

CONTROLLER = ("controller",)
QUEUE = ("name", "controller")
CACHE = ("group", "version", "resource", "form")

# Name, type and labels of every series: a change here breaks somebody's dashboard.
EXPECTED = {
    "controller_runtime_reconcile_total": ("counter", ("controller", "result")),
    "controller_runtime_reconcile_errors_total": ("counter", CONTROLLER),
    "controller_runtime_terminal_reconcile_errors_total": ("counter", CONTROLLER),
    "controller_runtime_reconcile_panics_total": ("counter", CONTROLLER),
    "controller_runtime_reconcile_timeouts_total": ("counter", CONTROLLER),
    "controller_runtime_reconcile_time_seconds": ("histogram", CONTROLLER),
    "controller_runtime_max_concurrent_reconciles": ("gauge", CONTROLLER),
    "controller_runtime_active_workers": ("gauge", CONTROLLER),
    "controller_runtime_webhook_latency_seconds": ("histogram", ("webhook",)),
    "controller_runtime_webhook_requests_total": ("counter", ("webhook", "code")),
    "controller_runtime_webhook_requests_in_flight": ("gauge", ("webhook",)),
    "controller_runtime_webhook_panics_total": ("counter", ()),
    "controller_runtime_conversion_webhook_panics_total": ("counter", ()),
    "workqueue_depth": ("gauge", (*QUEUE, "priority")),
    "workqueue_adds_total": ("counter", QUEUE),
    "workqueue_queue_duration_seconds": ("histogram", QUEUE),
    "workqueue_work_duration_seconds": ("histogram", QUEUE),
    "workqueue_unfinished_work_seconds": ("gauge", QUEUE),
    "workqueue_longest_running_processor_seconds": ("gauge", QUEUE),
    "workqueue_retries_total": ("counter", QUEUE),
    "leader_election_master_status": ("gauge", ("name",)),
    "leader_election_slowpath_total": ("counter", ("name",)),
    "rest_client_requests_total": ("counter", ("code", "method", "host")),
    "konverge_cache_objects": ("gauge", CACHE),
    "konverge_cache_bytes": ("gauge", CACHE),
    "konverge_cache_synced": ("gauge", CACHE),
    "konverge_cache_last_event_age_seconds": ("gauge", CACHE),
    "konverge_cache_relists_total": ("counter", CACHE),
    "konverge_cache_stalls_total": ("counter", CACHE),
    "konverge_hot_loops_total": ("counter", CONTROLLER),
    "konverge_loop_blocked_total": ("counter", ()),
    "konverge_loop_blocked_seconds_total": ("counter", ()),
}
OTHERS = ("process_", "python_")
_ORDER = [
    *("name", "controller", "result", "priority", "webhook", "code", "method", "host", *CACHE, "le"),
    *("implementation", "major", "minor", "patchlevel"),
]


@dataclass
class Scrape:
    """A scrape, by series."""

    text: str
    kinds: dict[str, str] = field(default_factory=dict)
    labels: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    values: dict[tuple[str, tuple[str, ...]], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for family in text_string_to_metric_families(self.text):
            name = f"{family.name}_total" if family.type == "counter" else family.name
            self.kinds[name] = family.type
            for sample in family.samples:
                labels = tuple(label for label in sample.labels if label != "le")
                self.labels.setdefault(name, set()).add(labels)
                # The text has labels in their alphabet's order; here they are in that of the tables above.
                named = sorted(sample.labels, key=_ORDER.index)
                self.values[sample.name, tuple(sample.labels[label] for label in named)] = sample.value


@pytest.fixture
def metrics() -> Metrics:
    """Metrics of which each family has a series."""
    made = Metrics()
    controller = made.controller("widget", max_concurrent_reconciles=4)
    controller.started()
    controller.started()
    controller.finished("requeue_after", 0.02)
    controller.error()
    queue = made.queue("widget")
    queue.added(0)
    queue.taken(0, 0.001)
    queue.finished(0.01)
    queue.retried()
    made.watch_queue("widget", lambda: state({0: 3, -100: 7}))
    made.watch_caches(lambda: [CACHED])
    made.election("operator").leading(leads=True)
    made.requested(code="200", method="GET", host="127.0.0.1:6443")
    made.webhook("/mutate").finished(404, 0.1)
    return made


CACHED = CacheLevels(
    group="apps", version="v1", resource="deployments", form="object",
    objects=5, bytes=8000, relists=2, stalls=1, synced=True, last_event_age=1.5,
)  # fmt: skip


def state(depth: Mapping[int, int]) -> QueueState:
    """The levels of a queue."""
    return QueueState(depth=depth, delayed=0, in_flight=1, unfinished_work=2.5, longest_running=2.0)


def test_names_types_and_labels_are_exactly_these(metrics: Metrics) -> None:
    """Those of controller-runtime, and konverge's own; nothing else but the process itself."""
    scrape = Scrape(metrics.scrape().decode())
    shown = {
        name: (kind, next(iter(scrape.labels[name])))
        for name, kind in scrape.kinds.items()
        if not name.startswith(OTHERS)
    }
    assert {name: (kind, set(labels)) for name, (kind, labels) in shown.items()} == {
        name: (kind, set(labels)) for name, (kind, labels) in EXPECTED.items()
    }


def test_values_are_what_was_reported(metrics: Metrics) -> None:
    """Counts, levels and buckets come out as they went in."""
    values = Scrape(metrics.scrape().decode()).values
    assert values["controller_runtime_reconcile_total", ("widget", "requeue_after")] == 1
    assert values["controller_runtime_reconcile_total", ("widget", "success")] == 0
    assert values["controller_runtime_active_workers", ("widget",)] == 1
    assert values["controller_runtime_max_concurrent_reconciles", ("widget",)] == 4
    assert values["controller_runtime_reconcile_time_seconds_bucket", ("widget", "0.025")] == 1
    assert values["controller_runtime_reconcile_time_seconds_bucket", ("widget", "0.01")] == 0
    assert values["workqueue_depth", ("widget", "widget", "-100")] == 7
    assert values["workqueue_unfinished_work_seconds", ("widget", "widget")] == 2.5
    assert values["workqueue_queue_duration_seconds_bucket", ("widget", "widget", "0.001")] == 1
    assert values["leader_election_master_status", ("operator",)] == 1
    assert values["rest_client_requests_total", ("200", "GET", "127.0.0.1:6443")] == 1
    assert values["controller_runtime_webhook_requests_total", ("/mutate", "404")] == 1
    cache = ("apps", "v1", "deployments", "object")
    assert [values[f"konverge_cache_{name}", cache] for name in ("objects", "bytes", "synced")] == [5, 8000, 1]
    assert values["konverge_cache_relists_total", cache] == 2
    assert values["konverge_cache_last_event_age_seconds", cache] == 1.5


def test_buckets_are_spelled_as_go_spells_them(metrics: Metrics) -> None:
    """The label `le` is part of a series' identity, rounding errors included."""
    values = Scrape(metrics.scrape().decode()).values
    bounds = [labels[2] for name, labels in values if name == "workqueue_queue_duration_seconds_bucket"]
    assert " ".join(bounds) == (
        "1e-08 1e-07 1e-06 9.999999999999999e-06 9.999999999999999e-05 0.001 0.01 0.1 1 10 100 1000 +Inf"
    )


def test_a_new_controller_is_shown_at_zero() -> None:
    """A rate of a counter needs its zero."""
    metrics = Metrics()
    metrics.controller("widget")
    values = Scrape(metrics.scrape().decode()).values
    for result in ("success", "error", "requeue", "requeue_after"):
        assert values["controller_runtime_reconcile_total", ("widget", result)] == 0
    assert values["controller_runtime_reconcile_panics_total", ("widget",)] == 0


def test_too_many_priorities_become_one() -> None:
    """A label with many values would cost more than it tells."""
    metrics = Metrics()
    metrics.watch_queue("widget", lambda: state(dict.fromkeys(range(26), 2)))
    values = Scrape(metrics.scrape().decode()).values
    depths = {labels[2]: value for (name, labels), value in values.items() if name == "workqueue_depth"}
    assert depths == {"exceeded_cardinality_limit": 52}


def test_levels_that_cannot_be_read_leave_the_rest() -> None:
    """One broken owner does not cost the scrape."""

    def broken() -> QueueState:
        raise RuntimeError("gone")

    metrics = Metrics()
    metrics.watch_queue("broken", broken)
    metrics.watch_queue("widget", lambda: state({0: 1}))
    values = Scrape(metrics.scrape().decode()).values
    assert values["workqueue_depth", ("widget", "widget", "0")] == 1
    assert ("workqueue_unfinished_work_seconds", ("broken", "broken")) not in values


def test_two_managers_share_nothing() -> None:
    """Each has a registry of its own."""
    one, other = Metrics(), Metrics()
    one.requested(code="200", method="GET", host="a")
    assert b'host="a"' in one.scrape()
    assert b'host="a"' not in other.scrape()


def test_the_first_scrape_asks_for_levels_on_their_loop_alone() -> None:
    """The names of the families are told without asking anybody: the scrape comes from another thread."""
    asked: list[str] = []

    def levels() -> QueueState:
        asked.append("in the reader")
        return state({0: 1})

    metrics = Metrics()
    metrics.watch_queue("widget", levels)
    metrics.read_levels_by(lambda _gather: [])
    assert b"workqueue_depth" not in metrics.scrape()
    assert asked == []


def test_an_applications_own_metrics_are_served_beside_ours() -> None:
    """They go into the same registry, before or after the first scrape."""
    metrics = Metrics()
    Counter("shop_orders_total", "Orders.", registry=metrics.registry).inc(3)
    assert b"shop_orders_total 3.0" in metrics.scrape()
    with pytest.raises(ValueError, match="Duplicated"):
        Counter("workqueue_adds_total", "Taken.", registry=metrics.registry)
