"""Whoever starts a controller on a cluster that has come to rest sees it write nothing."""

from __future__ import annotations

import asyncio
from random import Random

import pytest
from making.counting import Counting

from konverge import Client, ObjectMeta
from konverge.api.object import Object
from konverge.api.owner import owner_reference
from konverge.cluster import controllers
from konverge.manager import Manager
from konverge.models import batch_v1, core_v1, rbac_v1
from konverge.testing import VirtualCluster, running

pytestmark = pytest.mark.virtual_time
NS = "test-1"
HELD = ["test.konverge.dev/held"]


def named(name: str, *owners: Object, **more: object) -> ObjectMeta:
    """Metadata in the test's namespace."""
    references = [owner_reference(owner) for owner in owners]
    return ObjectMeta(name=name, namespace=NS, owner_references=references or None, **more)  # type: ignore[arg-type]  # a test's shorthand


async def furnish(client: Client) -> None:
    """Fill a cluster with something for each of the controllers, in the middle of things where that lasts."""
    owner = await client.create(core_v1.ConfigMap(metadata=named("owner")))
    await client.create(core_v1.Secret(metadata=named("dependent", owner)))
    await client.create(core_v1.Secret(metadata=named("stuck", owner, finalizers=HELD)))
    going = await client.create(core_v1.ConfigMap(metadata=named("going")))
    await client.create(core_v1.Secret(metadata=named("blocks", going, finalizers=HELD)))
    await client.delete(going, propagation="Foreground")
    await client.create(core_v1.Namespace(metadata=ObjectMeta(name="ending")))
    await client.create(core_v1.ConfigMap(metadata=ObjectMeta(name="held", namespace="ending", finalizers=HELD)))
    await client.delete(core_v1.Namespace, "ending")
    hard = {"secrets": "9", "count/deployments.apps": "9", "pods": "9"}
    await client.create(core_v1.ResourceQuota(metadata=named("quota"), spec=core_v1.ResourceQuotaSpec(hard=hard)))
    rule = rbac_v1.PolicyRule(api_groups=[""], resources=["pods"], verbs=["get"])
    part = ObjectMeta(name="part", labels={"rbac.authorization.k8s.io/aggregate-to-view": "true"})
    await client.create(rbac_v1.ClusterRole(metadata=part, rules=[rule]))
    container = core_v1.Container(name="main", image="example.com/web:1")
    template = core_v1.PodTemplateSpec(spec=core_v1.PodSpec(containers=[container], restart_policy="Never"))
    job = batch_v1.JobSpec(template=template, ttl_seconds_after_finished=100)
    await client.create(batch_v1.Job(metadata=named("job"), spec=job))
    resources = core_v1.VolumeResourceRequirements(requests={"storage": "1Gi"})
    claim = core_v1.PersistentVolumeClaimSpec(access_modes=["ReadWriteOnce"], resources=resources)
    await client.create(core_v1.PersistentVolumeClaim(metadata=named("claim"), spec=claim))
    volume = core_v1.PersistentVolumeSpec(
        capacity={"storage": "1Gi"},
        access_modes=["ReadWriteOnce"],
        host_path=core_v1.HostPathVolumeSource(path="/nowhere"),
    )
    await client.create(core_v1.PersistentVolume(metadata=ObjectMeta(name="volume"), spec=volume))


MINE = (
    "garbage-collector-controller",
    "namespace-controller",
    "serviceaccount-controller",
    "root-ca-certificate-publisher-controller",
    "clusterrole-aggregation-controller",
    "resourcequota-controller",
    "ttl-after-finished-controller",
    "persistentvolume-protection-controller",
    "persistentvolumeclaim-protection-controller",
)


async def test_the_second_time_nothing_is_written() -> None:
    """What the first run brought about is what the second finds, for each controller."""
    cluster = VirtualCluster()
    cluster.create_namespace()
    client = cluster.client()
    await furnish(client)
    first = cluster.manager()
    controllers.add_to(first, MINE)
    async with running(first):
        await asyncio.sleep(60)
    assert (await client.get(core_v1.Namespace, "ending")).status.conditions  # the first one has worked
    for name in MINE:
        transport = Counting(cluster.transport())
        second = Manager(transport=transport, metrics_address=None, random=Random(0))
        controllers.add_to(second, [name])
        async with running(second):
            await asyncio.sleep(60)
        assert (name, transport.writes) == (name, [])
