"""The controllers of a few lines: accounts, the root CA, aggregated roles, quotas, Jobs' time to live, volumes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from konverge import Client, ObjectMeta, clock
from konverge.api import meta
from konverge.client.ignore import ignore_not_found
from konverge.cluster import controllers
from konverge.cluster.controllers.root_ca import CONFIG_MAP
from konverge.models import batch_v1, core_v1, rbac_v1, storage_v1
from konverge.testing import VirtualCluster, running

pytestmark = pytest.mark.virtual_time
NS = "shop"


@asynccontextmanager
async def cluster_with(*names: str) -> AsyncIterator[Client]:
    """A cluster with some of the controllers, and a namespace."""
    cluster = VirtualCluster()
    manager = cluster.manager()
    controllers.add_to(manager, names)
    async with running(manager):
        client = cluster.client()
        await client.create(core_v1.Namespace(metadata=ObjectMeta(name=NS)))
        if "serviceaccount-controller" not in names:
            await client.create(core_v1.ServiceAccount(metadata=named("default")))  # pods need one
        yield client


def named(name: str, **more: Any) -> ObjectMeta:
    """Metadata in the test's namespace."""
    return ObjectMeta(name=name, namespace=NS, **more)


async def test_a_namespace_has_its_account() -> None:
    """It is made with the namespace, and again when someone deletes it."""
    async with cluster_with("serviceaccount-controller") as client:
        await asyncio.sleep(1)
        first = await client.get(core_v1.ServiceAccount, "default", namespace=NS)
        await client.delete(first)
        await asyncio.sleep(1)
        assert (await client.get(core_v1.ServiceAccount, "default", namespace=NS)).metadata.uid != first.metadata.uid


async def test_a_namespace_that_ends_gets_no_account() -> None:
    """It would be refused."""
    async with cluster_with("serviceaccount-controller") as client:
        await asyncio.sleep(1)
        await client.delete(core_v1.Namespace, NS)
        await client.delete(core_v1.ServiceAccount, "default", namespace=NS)
        await asyncio.sleep(60)
        assert await ignore_not_found(client.get(core_v1.ServiceAccount, "default", namespace=NS)) is None


async def test_a_namespace_has_the_root_ca() -> None:
    """What is changed in it is mended, what others add to it is not touched."""
    async with cluster_with("root-ca-certificate-publisher-controller") as client:
        await asyncio.sleep(1)
        made = await client.get(core_v1.ConfigMap, CONFIG_MAP, namespace=NS)
        assert made.data == {"ca.crt": ""}  # in process there is no TLS
        made.data = {"ca.crt": "mine"}
        made.metadata.labels = {"mine": "yes"}
        await client.update(made)
        await asyncio.sleep(1)
        mended = await client.get(core_v1.ConfigMap, CONFIG_MAP, namespace=NS)
        assert (mended.data, mended.metadata.labels) == ({"ca.crt": ""}, {"mine": "yes"})
        await client.delete(mended)
        await asyncio.sleep(1)
        assert (await client.get(core_v1.ConfigMap, CONFIG_MAP, namespace=NS)).data == {"ca.crt": ""}


def role(name: str, *resources: str, **labels: str) -> rbac_v1.ClusterRole:
    """A role with one rule."""
    rules = [rbac_v1.PolicyRule(api_groups=[""], resources=list(resources), verbs=["get"])]
    return rbac_v1.ClusterRole(metadata=ObjectMeta(name=name, labels=labels), rules=rules)


async def test_roles_are_aggregated() -> None:
    """A role takes on the rules of those it selects, each once, and loses them with those."""
    selectors = [meta.LabelSelector(match_labels={"part": "a"}), meta.LabelSelector(match_labels={"part": "b"})]
    whole = rbac_v1.ClusterRole(
        metadata=ObjectMeta(name="whole"), aggregation_rule=rbac_v1.AggregationRule(cluster_role_selectors=selectors)
    )
    async with cluster_with("clusterrole-aggregation-controller") as client:
        for each in (whole, role("z", "pods", part="a"), role("y", "nodes", part="b"), role("x", "pods", part="b")):
            await client.create(each)
        await asyncio.sleep(1)
        assert await aggregated(client) == [["pods"], ["nodes"]]
        await client.delete(rbac_v1.ClusterRole, "y")
        await asyncio.sleep(1)
        assert await aggregated(client) == [["pods"]]


async def aggregated(client: Client) -> list[list[str] | None]:
    """The resources of the whole role."""
    return [rule.resources for rule in (await client.get(rbac_v1.ClusterRole, "whole")).rules or ()]


async def test_a_quota_says_what_is_used() -> None:
    """Objects of any kind that is limited are counted; what goes leaves room."""
    hard = {
        "configmaps": "5",
        "count/deployments.apps": "2",
        "pods": "3",
        "requests.cpu": "2",
        "count/nothing.here": "1",
    }
    async with cluster_with("resourcequota-controller") as client:
        for name in ("a", "b"):
            await client.create(core_v1.ConfigMap(metadata=named(name)))
            await client.create(pod(name, cpu="300m"))
        quota = core_v1.ResourceQuota(metadata=named("q"), spec=core_v1.ResourceQuotaSpec(hard=hard))
        await client.create(quota)
        await asyncio.sleep(1)
        found = await client.get(core_v1.ResourceQuota, "q", namespace=NS)
        assert found.status.hard == hard
        assert found.status.used == {
            "configmaps": "2",
            "count/deployments.apps": "0",
            "pods": "2",
            "requests.cpu": "600m",
        }
        await client.delete(core_v1.ConfigMap, "a", namespace=NS)
        await client.delete(core_v1.Pod, "a", namespace=NS, grace_seconds=0)
        await asyncio.sleep(1)
        assert (await client.get(core_v1.ResourceQuota, "q", namespace=NS)).status.used == {
            "configmaps": "1",
            "count/deployments.apps": "0",
            "pods": "1",
            "requests.cpu": "300m",
        }


def pod(name: str, *, cpu: str = "", claim: str = "", node: str | None = None) -> core_v1.Pod:
    """A pod of one container."""
    resources = core_v1.ResourceRequirements(requests={"cpu": cpu}) if cpu else None
    source = core_v1.PersistentVolumeClaimVolumeSource(claim_name=claim)
    volumes = [core_v1.Volume(name="data", persistent_volume_claim=source)] if claim else None
    container = core_v1.Container(name="main", image="example.com/web:1", resources=resources)
    spec = core_v1.PodSpec(containers=[container], volumes=volumes, node_name=node)
    return core_v1.Pod(metadata=named(name), spec=spec)


async def test_a_pod_that_has_ended_leaves_room() -> None:
    """Its object is still there; it uses nothing."""
    async with cluster_with("resourcequota-controller") as client:
        quota = core_v1.ResourceQuota(metadata=named("q"), spec=core_v1.ResourceQuotaSpec(hard={"pods": "3"}))
        await client.create(quota)
        ended = await client.create(pod("a"))
        await asyncio.sleep(400)
        assert (await client.get(core_v1.ResourceQuota, "q", namespace=NS)).status.used == {"pods": "1"}
        ended.status = core_v1.PodStatus(phase="Succeeded")
        await client.status.update(ended)
        await asyncio.sleep(1)
        assert (await client.get(core_v1.ResourceQuota, "q", namespace=NS)).status.used == {"pods": "0"}


async def test_a_pod_that_will_end_leaves_the_scope_of_those_that_will_not() -> None:
    """What a scope is about may change while an object is there."""
    async with cluster_with("resourcequota-controller") as client:
        spec = core_v1.ResourceQuotaSpec(hard={"pods": "3"}, scopes=["NotTerminating"])
        await client.create(core_v1.ResourceQuota(metadata=named("q"), spec=spec))
        running = await client.create(pod("a"))
        await asyncio.sleep(400)
        assert (await client.get(core_v1.ResourceQuota, "q", namespace=NS)).status.used == {"pods": "1"}
        running.spec.active_deadline_seconds = 60
        await client.update(running)
        await asyncio.sleep(1)
        assert (await client.get(core_v1.ResourceQuota, "q", namespace=NS)).status.used == {"pods": "0"}


async def test_a_job_goes_when_its_time_is_over() -> None:
    """Not before it has ended, and not if its time is prolonged."""
    async with cluster_with("ttl-after-finished-controller") as client:
        job = await client.create(finite_job(ttl=100))
        await asyncio.sleep(1000)
        await end(client, job)
        await asyncio.sleep(90)
        job = await client.get(batch_v1.Job, "job", namespace=NS)
        job.spec.ttl_seconds_after_finished = 200
        await client.update(job)
        await asyncio.sleep(90)
        assert (await client.get(batch_v1.Job, "job", namespace=NS)).metadata.deletion_timestamp is None
        await asyncio.sleep(30)
        gone = await client.get(batch_v1.Job, "job", namespace=NS)  # it waits for its pods, as Foreground says
        assert gone.metadata.deletion_timestamp
        assert "foregroundDeletion" in (gone.metadata.finalizers or ())


def finite_job(ttl: int) -> batch_v1.Job:
    """A Job that is to be kept for a while."""
    container = core_v1.Container(name="main", image="example.com/web:1")
    template = core_v1.PodTemplateSpec(spec=core_v1.PodSpec(containers=[container], restart_policy="Never"))
    return batch_v1.Job(metadata=named("job"), spec=batch_v1.JobSpec(template=template, ttl_seconds_after_finished=ttl))


async def end(client: Client, job: batch_v1.Job) -> None:
    """Let a Job have ended, as its controller would say."""
    now = clock.now().replace(microsecond=0)
    job.status = batch_v1.JobStatus(
        start_time=now - timedelta(seconds=5),
        completion_time=now,
        succeeded=1,
        conditions=[
            batch_v1.JobCondition(type=each, status="True", last_transition_time=now, last_probe_time=now)
            for each in ("SuccessCriteriaMet", "Complete")
        ],
    )
    await client.status.update(job)


def claim(name: str) -> core_v1.PersistentVolumeClaim:
    """A claim of some storage."""
    resources = core_v1.VolumeResourceRequirements(requests={"storage": "1Gi"})
    spec = core_v1.PersistentVolumeClaimSpec(access_modes=["ReadWriteOnce"], resources=resources)
    return core_v1.PersistentVolumeClaim(metadata=named(name), spec=spec)


async def test_a_claim_stays_as_long_as_a_pod_uses_it() -> None:
    """One that no pod uses goes at once; a pod without a node uses nothing."""
    async with cluster_with("persistentvolumeclaim-protection-controller") as client:
        for name in ("used", "free", "wanted"):
            await client.create(claim(name))
        await client.create(pod("a", claim="used", node="somewhere"))
        await client.create(pod("b", claim="wanted"))
        await asyncio.sleep(1)
        for name in ("used", "free", "wanted"):
            await client.delete(core_v1.PersistentVolumeClaim, name, namespace=NS)
        await asyncio.sleep(1)
        claims = await client.list(core_v1.PersistentVolumeClaim, namespace=NS)
        assert [each.metadata.name for each in claims] == ["used"]
        await client.delete(core_v1.Pod, "a", namespace=NS, grace_seconds=0)
        await asyncio.sleep(1)
        assert len(await client.list(core_v1.PersistentVolumeClaim, namespace=NS)) == 0


async def test_a_volume_stays_as_long_as_it_is_bound() -> None:
    """It goes when it is released."""
    source = core_v1.HostPathVolumeSource(path="/nowhere")
    spec = core_v1.PersistentVolumeSpec(capacity={"storage": "1Gi"}, access_modes=["ReadWriteOnce"], host_path=source)
    async with cluster_with("persistentvolume-protection-controller") as client:
        volume = await client.create(core_v1.PersistentVolume(metadata=ObjectMeta(name="v"), spec=spec))
        await asyncio.sleep(1)
        volume = await client.get(core_v1.PersistentVolume, "v")
        assert volume.metadata.finalizers == ["kubernetes.io/pv-protection"]
        volume.status.phase = "Bound"
        await client.status.update(volume)
        await client.delete(core_v1.PersistentVolume, "v")
        await asyncio.sleep(1)
        volume = await client.get(core_v1.PersistentVolume, "v")
        volume.status.phase = "Released"
        await client.status.update(volume)
        await asyncio.sleep(1)
        assert await ignore_not_found(client.get(core_v1.PersistentVolume, "v")) is None


async def test_a_class_of_volume_attributes_stays_as_long_as_a_claim_names_it() -> None:
    """It goes when the last claim that named it is gone."""
    async with cluster_with("volumeattributesclass-protection-controller") as client:
        wanted = storage_v1.VolumeAttributesClass(
            metadata=ObjectMeta(name="gold"), driver_name="example.com", parameters={"a": "b"}
        )
        await client.create(wanted)
        asking = claim("asking")
        asking.spec.volume_attributes_class_name = "gold"
        asking = await client.create(asking)
        await asyncio.sleep(1)
        await client.delete(storage_v1.VolumeAttributesClass, "gold")
        await asyncio.sleep(1)
        kept = await client.get(storage_v1.VolumeAttributesClass, "gold")
        assert kept.metadata.finalizers == ["kubernetes.io/vac-protection"]
        asking.metadata.finalizers = []
        await client.update(asking)
        await client.delete(asking)
        await asyncio.sleep(1)
        assert await ignore_not_found(client.get(storage_v1.VolumeAttributesClass, "gold")) is None
