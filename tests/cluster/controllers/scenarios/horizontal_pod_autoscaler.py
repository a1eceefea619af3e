"""HorizontalPodAutoscalers in a cluster without metrics."""

from __future__ import annotations

from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

from scenarios.replica_set import available, replica_set

HPA, RS = "autoscaling/v2 HorizontalPodAutoscaler", "apps/v1 ReplicaSet"
SHOWN = (HPA, "v1 Event")
CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}


def autoscaler(*metrics: dict[str, Any], target: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """Return an autoscaler of the ReplicaSet `web`."""
    chosen = target or {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}
    wanted = {"scaleTargetRef": chosen, "maxReplicas": 5, "metrics": list(metrics or [CPU]), **spec}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": wanted,
    }


async def scaled(stage: Stage, hpa: dict[str, Any], *, replicas: int = 2) -> None:
    """Make a ReplicaSet of some size, and then an autoscaler of it."""
    await stage.create(replica_set(replicas=replicas))
    if replicas:
        await available(stage, replicas)
    await stage.create(hpa)


async def told(stage: Stage, type_: str, reason: str) -> None:
    """Wait until a condition has a reason."""
    await stage.until(
        HPA,
        "web",
        lambda found: {each["type"]: each["reason"] for each in found["status"]["conditions"]}[type_] == reason,
    )


@scenario(shows=SHOWN)
async def no_metrics(stage: Stage) -> None:
    """The size stays, and it is said why."""
    await scaled(stage, autoscaler())
    await told(stage, "ScalingActive", "FailedGetResourceMetric")


@scenario(shows=SHOWN)
async def a_usage(stage: Stage) -> None:
    """In other words than a utilization."""
    target = {"type": "AverageValue", "averageValue": "100Mi"}
    await scaled(stage, autoscaler({"type": "Resource", "resource": {"name": "memory", "target": target}}))
    await told(stage, "ScalingActive", "FailedGetResourceMetric")


@scenario(shows=SHOWN)
async def of_a_container(stage: Stage) -> None:
    """The usage of one container."""
    target = {"type": "Utilization", "averageUtilization": 50}
    metric = {"name": "cpu", "container": "main", "target": target}
    await scaled(stage, autoscaler({"type": "ContainerResource", "containerResource": metric}))
    await told(stage, "ScalingActive", "FailedGetContainerResourceMetric")


@scenario(shows=SHOWN)
async def several_metrics(stage: Stage) -> None:
    """Each is told by an event, the first by the condition."""
    labels = {"matchLabels": {"queue": "a"}, "matchExpressions": [{"key": "x", "operator": "Exists"}]}
    pods = {"metric": {"name": "hits"}, "target": {"type": "AverageValue", "averageValue": "10"}}
    about = {"apiVersion": "v1", "kind": "Service", "name": "front"}
    some = {"describedObject": about, "metric": {"name": "load"}, "target": {"type": "Value", "value": "10"}}
    mean = {**some, "target": {"type": "AverageValue", "averageValue": "10"}}
    waiting = {"metric": {"name": "waiting", "selector": labels}, "target": {"type": "Value", "value": "3"}}
    shared = {"metric": {"name": "shared"}, "target": {"type": "AverageValue", "averageValue": "3"}}
    metrics = [
        {"type": "Pods", "pods": pods},
        {"type": "Object", "object": some},
        {"type": "Object", "object": mean},
        {"type": "External", "external": waiting},
        {"type": "External", "external": shared},
        CPU,
    ]
    await scaled(stage, autoscaler(*metrics))
    await stage.until(HPA, "web", lambda found: len(found["status"]["currentMetrics"]) == len(metrics))


@scenario(shows=SHOWN)
async def an_external_metric_alone(stage: Stage) -> None:
    """Its share of each pod."""
    waiting = {"metric": {"name": "waiting"}, "target": {"type": "AverageValue", "averageValue": "3"}}
    await scaled(stage, autoscaler({"type": "External", "external": waiting}))
    await told(stage, "ScalingActive", "FailedGetExternalMetric")


@scenario(shows=SHOWN)
async def an_object_metric_alone(stage: Stage) -> None:
    """Of a service."""
    about = {"apiVersion": "v1", "kind": "Service", "name": "front"}
    some = {
        "describedObject": about,
        "metric": {"name": "load"},
        "target": {"type": "AverageValue", "averageValue": "10"},
    }
    await scaled(stage, autoscaler({"type": "Object", "object": some}))
    await told(stage, "ScalingActive", "FailedGetObjectMetric")


@scenario(shows=(*SHOWN, RS))
async def above_the_most(stage: Stage) -> None:
    """It is scaled down, metrics or not."""
    await scaled(stage, autoscaler(maxReplicas=2), replicas=4)
    await available(stage, 2)
    await told(stage, "ScalingActive", "FailedGetResourceMetric")


@scenario(shows=(*SHOWN, RS))
async def below_the_least(stage: Stage) -> None:
    """It is scaled up."""
    await scaled(stage, autoscaler(minReplicas=3), replicas=1)
    await available(stage, 3)
    await told(stage, "ScalingActive", "FailedGetResourceMetric")


@scenario(shows=(*SHOWN, RS))
async def switched_off(stage: Stage) -> None:
    """What has no replicas is left alone."""
    await scaled(stage, autoscaler(minReplicas=3), replicas=0)
    await told(stage, "ScalingActive", "ScalingDisabled")


@scenario(shows=SHOWN)
async def no_target(stage: Stage) -> None:
    """A target that is not there."""
    await stage.create(autoscaler())
    await told(stage, "AbleToScale", "FailedGetScale")


@scenario(shows=SHOWN)
async def an_unknown_kind(stage: Stage) -> None:
    """A target of a kind that nobody serves."""
    await stage.create(autoscaler(target={"apiVersion": "example.com/v1", "kind": "Robot", "name": "web"}))
    await told(stage, "AbleToScale", "FailedGetScale")


@scenario(shows=SHOWN)
async def a_kind_without_a_scale(stage: Stage) -> None:
    """A target that nobody can scale."""
    daemon = replica_set()
    del daemon["spec"]["replicas"]
    await stage.create({**daemon, "kind": "DaemonSet"})
    await stage.create(autoscaler(target={"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "web"}))
    await told(stage, "AbleToScale", "FailedGetScale")


@scenario(shows=SHOWN)
async def a_target_that_comes(stage: Stage) -> None:
    """It is found at the next look."""
    await stage.create(autoscaler())
    await told(stage, "AbleToScale", "FailedGetScale")
    await stage.create(replica_set(replicas=2))
    await told(stage, "AbleToScale", "SucceededGetScale")
    await told(stage, "ScalingActive", "FailedGetResourceMetric")
