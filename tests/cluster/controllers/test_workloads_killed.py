"""Controllers that are killed between any two writes: whoever takes over ends where the first one would have."""

from __future__ import annotations

import asyncio
import json
from random import Random
from typing import Any

import pytest
from making.dying import Dying

from konverge import Client, ObjectMeta
from konverge.api.meta import LabelSelector
from konverge.cluster import controllers
from konverge.cluster.control_plane import add_node
from konverge.manager import Manager
from konverge.models import apps_v1, batch_v1, core_v1
from konverge.testing import VirtualCluster, running

pytestmark = pytest.mark.virtual_time
LABELS = {"app": "work"}
BYSTANDERS = ("garbage-collector-controller",)


async def play(name: str, first: Any, *, change: Any = None, killed_after: int) -> Client:
    """Create an object, and change it; its controller dies after so many writes, and another one takes over."""

    def add(manager: Manager) -> None:
        add_node(manager)
        controllers.add_to(manager, BYSTANDERS)

    cluster = VirtualCluster(controllers=add)
    client = cluster.client(namespace=cluster.create_namespace())
    obj = await client.create(first)
    for transport in (Dying(cluster.transport(), after=killed_after), cluster.transport()):
        manager = Manager(transport=transport, metrics_address=None, random=Random(0))
        controllers.add_to(manager, [name])
        async with running(manager):
            await asyncio.sleep(20)
            if change is not None:
                obj = await client.get(type(obj), obj.metadata)
                change(obj)
                await client.patch(obj)
                change = None
            await asyncio.sleep(40)
    return client


def template(restart: str = "Always", **behaviour: Any) -> core_v1.PodTemplateSpec:
    """A pod of one container that behaves in this way."""
    annotations = {"konverge.dev/simulate": json.dumps(behaviour)}
    container = core_v1.Container(name="main", image="example.com/work:1")
    return core_v1.PodTemplateSpec(
        metadata=ObjectMeta(labels=LABELS, annotations=annotations),
        spec=core_v1.PodSpec(containers=[container], restart_policy=restart, termination_grace_period_seconds=1),
    )


@pytest.mark.parametrize("killed_after", [0, 1, 3, 5, 8, 11])
async def test_a_job_counts_each_pod_once(killed_after: int) -> None:
    """Indexes included; no pod is made twice, and none keeps its finalizer."""
    spec = batch_v1.JobSpec(
        template=template("Never", exitAfter=1), completions=3, parallelism=2, completion_mode="Indexed"
    )
    job = batch_v1.Job(metadata=ObjectMeta(name="work"), spec=spec)
    client = await play("job-controller", job, killed_after=killed_after)
    status = (await client.get(batch_v1.Job, "work")).status
    assert (status.succeeded, status.failed, status.completed_indexes) == (3, None, "0-2")
    assert [each.type for each in status.conditions or ()] == ["SuccessCriteriaMet", "Complete"]
    pods = await client.list(core_v1.Pod)
    assert (len(pods), [pod for pod in pods if pod.metadata.finalizers]) == (3, [])


@pytest.mark.parametrize("killed_after", [0, 1, 2, 4, 7, 10, 13])
async def test_a_stateful_set_has_each_number_once(killed_after: int) -> None:
    """In the middle of its making, or of a rollout."""
    stateful_set = apps_v1.StatefulSet(
        metadata=ObjectMeta(name="db"),
        spec=apps_v1.StatefulSetSpec(
            replicas=3, selector=LabelSelector(match_labels=LABELS), service_name="db", template=template()
        ),
    )

    def change(obj: apps_v1.StatefulSet) -> None:
        assert obj.spec.template.spec
        obj.spec.template.spec.containers[0].image = "example.com/work:2"

    client = await play("statefulset-controller", stateful_set, change=change, killed_after=killed_after)
    status = (await client.get(apps_v1.StatefulSet, "db")).status
    assert (status.ready_replicas, status.updated_replicas) == (3, 3)
    assert status.current_revision == status.update_revision
    pods = await client.list(core_v1.Pod)
    assert [pod.spec.containers[0].image for pod in pods] == ["example.com/work:2"] * 3
    revisions = [each.revision for each in await client.list(apps_v1.ControllerRevision)]
    assert sorted(revisions) in ([1, 2], [1])  # one, where the first template was never seen


@pytest.mark.parametrize("killed_after", [0, 1, 2, 4])
async def test_a_daemon_set_has_one_pod(killed_after: int) -> None:
    """In the middle of its making, or of a rollout."""
    spec = apps_v1.DaemonSetSpec(selector=LabelSelector(match_labels=LABELS), template=template())
    daemon_set = apps_v1.DaemonSet(metadata=ObjectMeta(name="agent"), spec=spec)

    def change(obj: apps_v1.DaemonSet) -> None:
        assert obj.spec.template.spec
        obj.spec.template.spec.containers[0].image = "example.com/work:2"

    client = await play("daemonset-controller", daemon_set, change=change, killed_after=killed_after)
    status = (await client.get(apps_v1.DaemonSet, "agent")).status
    assert (status.number_available, status.updated_number_scheduled) == (1, 1)
    assert [pod.spec.containers[0].image for pod in await client.list(core_v1.Pod)] == ["example.com/work:2"]
