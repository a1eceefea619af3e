"""Stateful sets and what belongs to them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from konverge import ObjectMeta
from konverge.api.meta import LabelSelector
from konverge.cluster.controllers.stateful_set.decision import Situation, Verb, decide
from konverge.cluster.controllers.stateful_set.identity import pod_of
from konverge.models import apps_v1, core_v1

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
TEMPLATE = core_v1.PodTemplateSpec(
    metadata=ObjectMeta(labels={"app": "db"}),
    spec=core_v1.PodSpec(containers=[core_v1.Container(name="main", image="example.com/db:1")]),
)


def stateful_set(replicas: int = 3, *, partition: int = 0, claims: tuple[str, ...] = (), **spec: Any) -> Any:
    """A stateful set with volume claims of these names."""
    rolling = apps_v1.RollingUpdateStatefulSetStrategy(partition=partition)
    given = {
        "update_strategy": apps_v1.StatefulSetUpdateStrategy(type="RollingUpdate", rolling_update=rolling),
        "pod_management_policy": "OrderedReady",
        "volume_claim_templates": [core_v1.PersistentVolumeClaim(metadata=ObjectMeta(name=name)) for name in claims],
        **spec,
    }
    selector = LabelSelector(match_labels={"app": "db"})
    metadata = ObjectMeta(name="db", namespace="shop", uid="set", generation=1)
    made = apps_v1.StatefulSetSpec(replicas=replicas, selector=selector, service_name="db", template=TEMPLATE, **given)
    return apps_v1.StatefulSet(metadata=metadata, spec=made)


def revision(name: str) -> apps_v1.ControllerRevision:
    """A revision of the one template there is."""
    data = {"spec": {"template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": []}}}}
    return apps_v1.ControllerRevision(metadata=ObjectMeta(name=name), data=data, revision=1)


def pod(of: apps_v1.StatefulSet, number: int, state: str = "ready", *, revision: str = "new") -> core_v1.Pod:
    """The pod of a number: ready, running (and not ready), pending, failed or leaving."""
    made = pod_of(of, TEMPLATE, revision=revision, ordinal=number)
    made.metadata.uid = f"uid-{number}"
    made.status.phase = {"pending": "Pending", "failed": "Failed"}.get(state, "Running")
    if state == "leaving":
        made.metadata.deletion_timestamp = NOW
    if state in {"ready", "leaving"}:
        since = NOW - timedelta(seconds=30)
        made.status.conditions = [core_v1.PodCondition(type="Ready", status="True", last_transition_time=since)]
    return made


def situation(of: apps_v1.StatefulSet, *pods: core_v1.Pod, claims: Any = None, current: str = "old") -> Situation:
    """Everything that is known of a set."""
    return Situation(
        stateful_set=of,
        pods=pods,
        claims=claims or {},
        current=revision(current),
        update=revision("new"),
        now=NOW,
    )


def steps(of: apps_v1.StatefulSet, *pods: core_v1.Pod, **known: Any) -> list[str]:
    """What is decided, in words."""
    words = {Verb.CREATE: "+", Verb.DELETE: "-", Verb.CREATE_CLAIMS: "claims ", Verb.CORRECT: "correct "}
    found = decide(situation(of, *pods, **known)).steps
    return [f"{words.get(step.verb, 'owners ')}{(step.pod.metadata.name or '').removeprefix('db-')}" for step in found]
