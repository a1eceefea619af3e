"""Simulated storage: a provisioner for classes that name it, as a CSI driver would be in a cluster.

    apiVersion: storage.k8s.io/v1
    kind: StorageClass
    metadata: {name: standard, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
    provisioner: simulated.konverge.dev

A claim of such a class gets a volume of just its size, which goes when it is released, or stays, as the class says.
There is nothing behind it.
"""

from __future__ import annotations

from typing import Final

import konverge as kv
from konverge.client.ignore import ignore_not_found
from konverge.manager import Manager
from konverge.models import core_v1, storage_v1

PROVISIONER: Final = "simulated.konverge.dev"
_ASKED: Final = "volume.kubernetes.io/storage-provisioner"
_MADE_BY: Final = "pv.kubernetes.io/provisioned-by"


def add_to(manager: Manager) -> None:
    """Register the provisioner."""
    claims = kv.new_controller(manager).named("simulated-storage").for_(core_v1.PersistentVolumeClaim)
    claims.complete(provide)
    kv.new_controller(manager).named("simulated-storage-volumes").for_(core_v1.PersistentVolume).complete(take_back)


async def provide(ctx: kv.Context, request: kv.Request) -> None:
    """Make the volume that a claim asks for, under a name by which it is made once."""
    claim = await ignore_not_found(ctx.client.get(core_v1.PersistentVolumeClaim, request))
    if claim is None or claim.metadata.deletion_timestamp is not None or claim.spec.volume_name:
        return
    if (claim.metadata.annotations or {}).get(_ASKED) != PROVISIONER:
        return
    name = claim.spec.storage_class_name or ""
    storage_class = await ignore_not_found(ctx.client.get(storage_v1.StorageClass, name))
    volume = await ignore_not_found(ctx.client.get(core_v1.PersistentVolume, f"pvc-{claim.metadata.uid}"))
    if storage_class is not None and volume is None:
        made = new_volume(claim, storage_class)
        await ctx.client.create(made)
        text = f"Successfully provisioned volume {made.metadata.name}"
        ctx.recorder.normal(claim, "ProvisioningSucceeded", text)


async def take_back(ctx: kv.Context, request: kv.Request) -> None:
    """Delete a volume of ours that its claim has released, where its class wants that."""
    volume = await ignore_not_found(ctx.client.get(core_v1.PersistentVolume, request))
    if volume is None or volume.metadata.deletion_timestamp is not None or volume.status.phase != "Released":
        return
    is_ours = (volume.metadata.annotations or {}).get(_MADE_BY) == PROVISIONER
    if is_ours and volume.spec.persistent_volume_reclaim_policy == "Delete":
        await ignore_not_found(ctx.client.delete(volume))


def new_volume(
    claim: core_v1.PersistentVolumeClaim, storage_class: storage_v1.StorageClass
) -> core_v1.PersistentVolume:
    """Return the volume that a claim asks for; pure."""
    reference = core_v1.ObjectReference(
        api_version=claim.api_version,
        kind=claim.kind,
        namespace=claim.metadata.namespace,
        name=claim.metadata.name,
        uid=claim.metadata.uid,
    )
    name = f"pvc-{claim.metadata.uid}"
    resources = claim.spec.resources or core_v1.VolumeResourceRequirements()
    return core_v1.PersistentVolume(
        metadata=kv.ObjectMeta(name=name, annotations={_MADE_BY: PROVISIONER}),
        spec=core_v1.PersistentVolumeSpec(
            access_modes=claim.spec.access_modes,
            capacity=resources.requests,
            claim_ref=reference,
            csi=core_v1.CSIPersistentVolumeSource(driver=PROVISIONER, volume_handle=name),
            persistent_volume_reclaim_policy=storage_class.reclaim_policy or "Delete",
            storage_class_name=storage_class.metadata.name,
            volume_mode=claim.spec.volume_mode,
        ),
    )
