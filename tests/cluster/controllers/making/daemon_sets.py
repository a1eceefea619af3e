"""Daemon sets, nodes, and pods on them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from konverge import IntOrString, ObjectMeta
from konverge.api.meta import LabelSelector
from konverge.cluster.controllers.daemon_set.daemon_pod import pod_for
from konverge.cluster.controllers.daemon_set.placement import Landscape
from konverge.models import apps_v1, core_v1

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def daemon_set(*, surge: IntOrString = 0, unavailable: IntOrString = 1, **spec: Any) -> apps_v1.DaemonSet:
    """A daemon set; `spec` is of its pods."""
    rolling = apps_v1.RollingUpdateDaemonSet(max_surge=surge, max_unavailable=unavailable)
    container = core_v1.Container(name="main", image="example.com/agent:1")
    template = core_v1.PodTemplateSpec(
        metadata=ObjectMeta(labels={"app": "agent"}), spec=core_v1.PodSpec(containers=[container], **spec)
    )
    return apps_v1.DaemonSet(
        metadata=ObjectMeta(name="agent", namespace="shop", uid="set", generation=1),
        spec=apps_v1.DaemonSetSpec(
            selector=LabelSelector(match_labels={"app": "agent"}),
            template=template,
            update_strategy=apps_v1.DaemonSetUpdateStrategy(type="RollingUpdate", rolling_update=rolling),
        ),
    )


def node(name: str, *taints: str, **labels: str) -> core_v1.Node:
    """A node with taints ("key:Effect") and labels."""
    made = core_v1.Node(metadata=ObjectMeta(name=name, labels=labels))
    pairs = [taint.partition(":") for taint in taints]
    made.spec.taints = [core_v1.Taint(key=key, effect=effect) for key, _, effect in pairs] or None
    return made


def pod(of: apps_v1.DaemonSet, on: str, state: str = "ready", *, hash_: str = "new", age: int = 60) -> core_v1.Pod:
    """A pod on a node: ready, running (and not ready), failed, succeeded, unbound or leaving."""
    made = pod_for(of, on, hash_)
    made.metadata.name = made.metadata.uid = f"{on}-{hash_}-{age}"
    made.metadata.creation_timestamp = NOW - timedelta(seconds=age)
    made.spec.node_name = None if state == "unbound" else on
    made.status.phase = {"failed": "Failed", "succeeded": "Succeeded", "unbound": "Pending"}.get(state, "Running")
    made.metadata.deletion_timestamp = NOW if state == "leaving" else None
    if state in {"ready", "leaving"}:
        since = NOW - timedelta(seconds=30)
        made.status.conditions = [core_v1.PodCondition(type="Ready", status="True", last_transition_time=since)]
    return made


def landscape(of: apps_v1.DaemonSet, nodes: list[core_v1.Node], *pods: core_v1.Pod) -> Landscape:
    """A daemon set among nodes."""
    return Landscape.of(of, "new", pods=pods, nodes=nodes, now=NOW)
