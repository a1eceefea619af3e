"""Jobs, CronJobs, StatefulSets and DaemonSets at rest: nothing is written, and long times take little."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from making.counting import Counting

from konverge import Client, ObjectMeta
from konverge.api.meta import LabelSelector
from konverge.cluster import controllers
from konverge.cluster.control_plane import add_control_plane
from konverge.manager import Manager
from konverge.models import apps_v1, batch_v1, core_v1
from konverge.testing import VirtualCluster, running

pytestmark = pytest.mark.virtual_time
MINE = ("job-controller", "cronjob-controller", "statefulset-controller", "daemonset-controller")
DAY = 24 * 3600


@asynccontextmanager
async def control_plane() -> AsyncIterator[tuple[VirtualCluster, Client]]:
    """A cluster with all controllers, and a client of its only namespace."""
    cluster = VirtualCluster(controllers=add_control_plane)
    async with cluster.client(namespace=cluster.create_namespace()) as client:
        yield cluster, client


def template(restart: str = "Always", **behaviour: Any) -> core_v1.PodTemplateSpec:
    """A pod of one container that behaves in this way."""
    metadata = ObjectMeta(labels={"app": "work"}, annotations={"konverge.dev/simulate": json.dumps(behaviour)})
    container = core_v1.Container(name="main", image="example.com/work:1")
    return core_v1.PodTemplateSpec(
        metadata=metadata, spec=core_v1.PodSpec(containers=[container], restart_policy=restart)
    )


def job_spec(**spec: Any) -> batch_v1.JobSpec:
    """A job whose pods end after a second."""
    return batch_v1.JobSpec(template=template("Never", exitAfter=1), **spec)


def hourly(name: str, **spec: Any) -> batch_v1.CronJob:
    """A cron job that is due every hour."""
    return batch_v1.CronJob(
        metadata=ObjectMeta(name=name),
        spec=batch_v1.CronJobSpec(schedule="0 * * * *", job_template=batch_v1.JobTemplateSpec(spec=job_spec()), **spec),
    )


async def furnish(client: Client) -> None:
    """Something for each controller, at work and done."""
    selector = LabelSelector(match_labels={"app": "work"})
    await client.create(batch_v1.Job(metadata=ObjectMeta(name="done"), spec=job_spec(completions=3)))
    runs = batch_v1.JobSpec(template=template("Never"), parallelism=2, completion_mode="Indexed", completions=2)
    await client.create(batch_v1.Job(metadata=ObjectMeta(name="runs"), spec=runs))
    await client.create(hourly("tick"))
    requests = core_v1.VolumeResourceRequirements(requests={"storage": "1Gi"})
    claim = core_v1.PersistentVolumeClaim(
        metadata=ObjectMeta(name="data"),
        spec=core_v1.PersistentVolumeClaimSpec(access_modes=["ReadWriteOnce"], resources=requests),
    )
    stateful = apps_v1.StatefulSetSpec(
        replicas=3,
        selector=selector,
        service_name="db",
        template=template(),
        volume_claim_templates=[claim],
        persistent_volume_claim_retention_policy=apps_v1.StatefulSetPersistentVolumeClaimRetentionPolicy(
            when_deleted="Delete", when_scaled="Retain"
        ),
    )
    await client.create(apps_v1.StatefulSet(metadata=ObjectMeta(name="db"), spec=stateful))
    daemon = apps_v1.DaemonSetSpec(selector=selector, template=template())
    await client.create(apps_v1.DaemonSet(metadata=ObjectMeta(name="agent"), spec=daemon))


async def test_the_second_time_nothing_is_written() -> None:
    """A controller that is started beside the one that did the work finds nothing to do."""
    async with control_plane() as (cluster, client):
        await furnish(client)
        await asyncio.sleep(120)
        assert (await client.get(apps_v1.StatefulSet, "db")).status.ready_replicas == 3
        assert (await client.get(batch_v1.Job, "done")).status.succeeded == 3
        for name in MINE:
            transport = Counting(cluster.transport())
            second = Manager(transport=transport, metrics_address=None, random=Random(0))
            controllers.add_to(second, [name])
            async with running(second):
                await asyncio.sleep(60)
            assert (name, transport.writes) == (name, [])


async def test_a_day_of_a_cron_job() -> None:
    """Every hour one job, in the place of the one before it; without a node none of them ends."""
    cluster = VirtualCluster(controllers=lambda manager: controllers.add_to(manager, MINE[:2]))
    async with cluster.client(namespace=cluster.create_namespace()) as client:
        await client.create(hourly("tick", concurrency_policy="Replace"))
        start = (await client.get(batch_v1.CronJob, "tick")).metadata.creation_timestamp
        await asyncio.sleep(DAY + 60)
        status = (await client.get(batch_v1.CronJob, "tick")).status
        assert start is not None
        assert status.last_schedule_time == start + timedelta(days=1)
        assert [each.name for each in status.active or ()] == [f"tick-{int(start.timestamp() + DAY) // 60}"]


async def test_a_job_of_a_hundred_pods() -> None:
    """Fifty at a time, each counted once."""
    async with control_plane() as (_, client):
        await client.create(
            batch_v1.Job(metadata=ObjectMeta(name="many"), spec=job_spec(completions=100, parallelism=50))
        )
        await asyncio.sleep(60)
        status = (await client.get(batch_v1.Job, "many")).status
        assert (status.succeeded, status.failed, status.active) == (100, None, None)
        pods = await client.list(core_v1.Pod)
        assert (len(pods), [pod for pod in pods if pod.metadata.finalizers]) == (100, [])
