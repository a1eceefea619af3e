"""The simulated storage."""

from __future__ import annotations

import asyncio
import json

import pytest

from konverge import ObjectMeta
from konverge.api.meta import LabelSelector
from konverge.cluster.node.simulated_storage import PROVISIONER
from konverge.models import apps_v1, core_v1, storage_v1
from konverge.testing import VirtualCluster

DEFAULT = {"storageclass.kubernetes.io/is-default-class": "true"}


@pytest.mark.virtual_time
@pytest.mark.cluster(controllers=True)
async def test_a_stateful_set_has_its_volumes(cluster: VirtualCluster) -> None:
    """With a default class that is simulated each claim is bound; what is released goes."""
    async with cluster.client(namespace=cluster.create_namespace()) as client:
        metadata = ObjectMeta(name="standard", annotations=DEFAULT)
        await client.create(storage_v1.StorageClass(metadata=metadata, provisioner=PROVISIONER))
        await client.create(stateful_set())
        await asyncio.sleep(30)
        claims = await client.list(core_v1.PersistentVolumeClaim)
        assert [claim.status.phase for claim in claims] == ["Bound", "Bound"]
        volumes = await client.list(core_v1.PersistentVolume)
        assert {json.dumps(each.spec.capacity) for each in volumes} == {'{"storage": "1Gi"}'}
        await client.delete(apps_v1.StatefulSet, "db")
        await asyncio.sleep(60)
        for claim in claims:
            await client.delete(claim)
        await asyncio.sleep(30)
        assert list(await client.list(core_v1.PersistentVolume)) == []


def stateful_set() -> apps_v1.StatefulSet:
    """Return two replicas with a claim each."""
    labels = {"app": "db"}
    spec = core_v1.PodSpec(containers=[core_v1.Container(name="main", image="example.com/db:1")])
    resources = core_v1.VolumeResourceRequirements(requests={"storage": "1Gi"})
    asked = core_v1.PersistentVolumeClaimSpec(access_modes=["ReadWriteOnce"], resources=resources)
    claim = core_v1.PersistentVolumeClaim(metadata=ObjectMeta(name="data"), spec=asked)
    wanted = apps_v1.StatefulSetSpec(
        replicas=2,
        service_name="db",
        selector=LabelSelector(match_labels=labels),
        template=core_v1.PodTemplateSpec(metadata=ObjectMeta(labels=labels), spec=spec),
        volume_claim_templates=[claim],
    )
    return apps_v1.StatefulSet(metadata=ObjectMeta(name="db"), spec=wanted)
