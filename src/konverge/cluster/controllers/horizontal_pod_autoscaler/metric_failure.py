"""What an autoscaler says of each metric that nobody serves, in the words of the real one; pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from konverge.cluster.controllers.selector_text import selector_text
from konverge.models import autoscaling_v2

_ABSENT: Final = "the server could not find the requested resource (get {})"
_RESOURCES: Final = f"unable to fetch metrics from resource metrics API: {_ABSENT.format('pods.metrics.k8s.io')}"
_CUSTOM: Final = (
    "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered"
)
_EXTERNAL: Final = "unable to fetch metrics from external metrics API: "


@dataclass(frozen=True, slots=True)
class MetricFailure:
    """Why one metric could not be had."""

    reason: str
    cause: str  # for the condition and the event of this metric
    outcome: str  # the same, as it counts among all metrics


def failures(spec: autoscaling_v2.HorizontalPodAutoscalerSpec, namespace: str) -> list[MetricFailure]:
    """Return why each metric of an autoscaler cannot be had."""
    return [_WORDS[metric.type](metric, namespace) for metric in spec.metrics or ()]


def summary(found: Sequence[MetricFailure]) -> str:
    """Return what is wrong with all of them: how many, and the first."""
    first = found[0].outcome if found else "%!v(<nil>)"
    return f"invalid metrics ({len(found)} invalid out of {len(found)}), first error is: {first}"


def _of_resource(metric: autoscaling_v2.MetricSpec, _namespace: str) -> MetricFailure:
    source = metric.resource or autoscaling_v2.ResourceMetricSource()
    cause = _usage(source.name, source.target)
    return MetricFailure(
        "FailedGetResourceMetric", cause, f"failed to get {source.name} resource metric value: {cause}"
    )


def _of_container(metric: autoscaling_v2.MetricSpec, _namespace: str) -> MetricFailure:
    source = metric.container_resource or autoscaling_v2.ContainerResourceMetricSource()
    cause = _usage(source.name, source.target)
    outcome = f"failed to get {source.container} container metric value: {cause}"
    return MetricFailure("FailedGetContainerResourceMetric", cause, outcome)


def _usage(resource: str, target: autoscaling_v2.MetricTarget) -> str:
    what = "utilization" if target.average_value is None else "usage"
    return f"failed to get {resource} {what}: unable to get metrics for resource {resource}: {_RESOURCES}"


def _of_pods(metric: autoscaling_v2.MetricSpec, _namespace: str) -> MetricFailure:
    source = metric.pods or autoscaling_v2.PodsMetricSource()
    cause = f"unable to get metric {source.metric.name}: {_CUSTOM}"
    return MetricFailure("FailedGetPodsMetric", cause, f"failed to get pods metric value: {cause}")


def _of_object(metric: autoscaling_v2.MetricSpec, namespace: str) -> MetricFailure:
    source = metric.object or autoscaling_v2.ObjectMetricSource()
    name, about = source.metric.name, source.described_object
    # The order of the words is the real one's.
    cause = f"unable to get metric {name}: {about.kind} on {namespace} {about.name}/{_CUSTOM}"
    seen = cause if source.target.type == "Value" else f"failed to get {name} object metric: {cause}"
    return MetricFailure("FailedGetObjectMetric", cause, f"failed to get object metric value: {seen}")


def _of_external(metric: autoscaling_v2.MetricSpec, namespace: str) -> MetricFailure:
    source = metric.external or autoscaling_v2.ExternalMetricSource()
    name = source.metric.name
    absent = _EXTERNAL + _ABSENT.format(f"{name}.external.metrics.k8s.io")
    cause = f"unable to get external metric {namespace}/{name}/{selector_text(source.metric.selector)}: {absent}"
    what = f"external metric {name}" if source.target.average_value is None else f"{name} external metric"
    outcome = f"failed to get {name} external metric value: failed to get {what}: {cause}"
    return MetricFailure("FailedGetExternalMetric", cause, outcome)


_WORDS: Final[Mapping[str, Callable[[autoscaling_v2.MetricSpec, str], MetricFailure]]] = {
    "Resource": _of_resource,
    "ContainerResource": _of_container,
    "Pods": _of_pods,
    "Object": _of_object,
    "External": _of_external,
}
