"""Exposition: the families in Prometheus' form. Imported at the first scrape, since its client is slow to import.

It is shown as Go's programs show theirs: no series of creation times, and bounds as Go spells them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Any

from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample
from prometheus_client.utils import floatToGoString

from konverge.metrics.series import Family, Histogram, Sort

Families = Iterable[Family[Any]]


def registry_of(families: Callable[[], Families], shown: Callable[[], Families]) -> CollectorRegistry:
    """Return a registry of the process and of what `families` returns; `shown` names the families, with any values."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    registry.register(_Families(families, shown))
    return registry


def text_of(registry: CollectorRegistry) -> bytes:
    """Return all of a registry in Prometheus' text format."""
    return generate_latest(_AsGo(registry))


class _Families(Collector):
    def __init__(self, families: Callable[[], Families], shown: Callable[[], Families]) -> None:
        self._families = families
        self._shown = shown

    def describe(self) -> Iterator[Metric]:
        """Name the families, for the registry."""
        return map(_as_metric, self._shown())

    def collect(self) -> Iterator[Metric]:
        """Yield the families with the values of this moment."""
        return map(_as_metric, self._families())


def _as_metric(family: Family[Any]) -> Metric:
    series = list(family.series.items())  # one step: another thread may add to it
    if family.sort is Sort.HISTOGRAM:
        return _histograms(family, series)
    make = CounterMetricFamily if family.sort is Sort.COUNTER else GaugeMetricFamily
    metric = make(family.name, family.text, labels=family.labels)
    for labels, number in series:
        metric.add_metric(labels, number.value)
    return metric


def _histograms(family: Family[Histogram], series: Iterable[tuple[tuple[str, ...], Histogram]]) -> Metric:
    metric = HistogramMetricFamily(family.name, family.text, labels=family.labels)
    for labels, each in series:
        total = each.sum
        bounds = [*map(floatToGoString, each.bounds), "+Inf"]
        metric.add_metric(labels, list(zip(bounds, accumulate(each.counts), strict=True)), total)
    return metric


class _AsGo(CollectorRegistry):
    """A registry shown as Go's programs show theirs; what the application registered itself included."""

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
