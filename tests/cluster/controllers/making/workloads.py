"""Deployments, ReplicaSets and pods for the tests of the pure parts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from konverge import ObjectMeta
from konverge.api.meta import LabelSelector
from konverge.models import apps_v1, core_v1

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def template(image: str = "example.com/web:1") -> core_v1.PodTemplateSpec:
    """Return a template of one container."""
    spec = core_v1.PodSpec(containers=[core_v1.Container(name="main", image=image)])
    return core_v1.PodTemplateSpec(metadata=ObjectMeta(labels={"app": "web"}), spec=spec)


def deployment(
    replicas: int = 3,
    *,
    surge: int | str = 1,
    unavailable: int | str = 0,
    image: str = "example.com/web:1",
    **spec: Any,
) -> apps_v1.Deployment:
    """Return a Deployment that rolls."""
    rolling = apps_v1.RollingUpdateDeployment(max_surge=surge, max_unavailable=unavailable)
    return apps_v1.Deployment(
        metadata=ObjectMeta(name="web", namespace="shop", uid="deployment", generation=1),
        spec=apps_v1.DeploymentSpec(
            replicas=replicas,
            selector=LabelSelector(match_labels={"app": "web"}),
            strategy=apps_v1.DeploymentStrategy(type="RollingUpdate", rolling_update=rolling),
            template=template(image),
            **spec,
        ),
    )


def replica_set(
    name: str,
    replicas: int,
    *,
    available: int | None = None,
    age: int = 0,
    image: str = "example.com/web:1",
    annotations: dict[str, str] | None = None,
) -> apps_v1.ReplicaSet:
    """Return a ReplicaSet; all of its pods are available unless said otherwise."""
    there = replicas if available is None else available
    return apps_v1.ReplicaSet(
        metadata=ObjectMeta(
            name=name,
            namespace="shop",
            uid=name,
            generation=1,
            annotations=annotations,
            creation_timestamp=NOW - timedelta(seconds=age),
        ),
        spec=apps_v1.ReplicaSetSpec(replicas=replicas, template=template(image)),
        status=apps_v1.ReplicaSetStatus(
            replicas=replicas,
            ready_replicas=there,
            available_replicas=there,
            observed_generation=1,
            terminating_replicas=0,
        ),
    )


def pod(
    name: str,
    *,
    phase: str = "Running",
    node: str | None = "node",
    ready_for: float | None = 60.0,
    cost: str | None = None,
    restarts: int = 0,
) -> core_v1.Pod:
    """Return a pod, ready for some seconds; None: not ready."""
    since = NOW - timedelta(seconds=ready_for or 0)
    status = "False" if ready_for is None else "True"
    costs = None if cost is None else {"controller.kubernetes.io/pod-deletion-cost": cost}
    return core_v1.Pod(
        metadata=ObjectMeta(name=name, uid=name, creation_timestamp=NOW - timedelta(seconds=90), annotations=costs),
        spec=core_v1.PodSpec(node_name=node, containers=[core_v1.Container(name="main", image="web")]),
        status=core_v1.PodStatus(
            phase=phase,
            conditions=[core_v1.PodCondition(type="Ready", status=status, last_transition_time=since)],
            container_statuses=[
                core_v1.ContainerStatus(name="main", image="web", image_id="", ready=True, restart_count=restarts)
            ],
        ),
    )
