"""PersistentVolumeClaim protection: a claim that a pod uses is not deleted before the pod is gone.

The finalizer is put on by the API server; here it is taken off when it is time, and put on where it was not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from konverge.api.owner import controller_of
from konverge.builder import new_controller
from konverge.client.ignore import ignore_not_found
from konverge.controller import Context, Request, ensure_finalizer, release_finalizer
from konverge.manager import Manager
from konverge.models import core_v1

NAME: Final = "persistentvolumeclaim-protection-controller"
FINALIZER: Final = "kubernetes.io/pvc-protection"
_BY_CLAIM: Final = "konverge.dev/claims-of-a-pod"


def add_to(manager: Manager) -> None:
    """Register the controller."""
    manager.cache.declare_index(core_v1.Pod, _BY_CLAIM, claims_of)
    (
        new_controller(manager)
        .named(NAME)
        .for_(core_v1.PersistentVolumeClaim)
        .watches(core_v1.Pod, _its_claims)
        .complete(reconcile)
    )


def _its_claims(pod: core_v1.Pod) -> list[Request]:
    return [Request(pod.metadata.namespace or "", name) for name in claims_of(pod)]


async def reconcile(ctx: Context, request: Request) -> None:
    """Keep the finalizer on the claim until it is deleted and no pod uses it."""
    claim = await ignore_not_found(ctx.client.get(core_v1.PersistentVolumeClaim, request))
    if claim is None:
        return
    if claim.metadata.deletion_timestamp is None:
        await ensure_finalizer(ctx.client, claim, FINALIZER)
    elif FINALIZER in (claim.metadata.finalizers or ()) and not await _is_used(ctx, claim):
        await release_finalizer(ctx.client, claim, FINALIZER)


async def _is_used(ctx: Context, claim: core_v1.PersistentVolumeClaim) -> bool:
    """Ask the cache, and before a no is believed the server: a pod may have come this moment."""
    namespace, name = claim.metadata.namespace, claim.metadata.name or ""
    known = await ctx.client.list(core_v1.Pod, namespace=namespace, fields={_BY_CLAIM: name})
    if any(uses(pod, claim) for pod in known):
        return True
    return any(uses(pod, claim) for pod in await ctx.live.list(core_v1.Pod, namespace=namespace))


def claims_of(pod: core_v1.Pod) -> list[str]:
    """Return the names of the claims that a pod's volumes may mean."""
    volumes = pod.spec.volumes or ()
    return [name for volume in volumes if (name := _claim_of(pod, volume))]


def _claim_of(pod: core_v1.Pod, volume: core_v1.Volume) -> str:
    if volume.persistent_volume_claim is not None:
        return volume.persistent_volume_claim.claim_name
    return f"{pod.metadata.name}-{volume.name}" if volume.ephemeral is not None else ""


def uses(pod: core_v1.Pod, claim: core_v1.PersistentVolumeClaim) -> bool:
    """Whether a pod keeps a claim from going.

    One without a node does not: the kubelet will not start a pod whose claim is being deleted. One that has ended its
    life does not keep the claim that was made for it, or each would wait for the other.
    """
    if not pod.spec.node_name:
        return False
    return any(_uses(pod, volume, claim) for volume in _meaning(pod, claim))


def _meaning(pod: core_v1.Pod, claim: core_v1.PersistentVolumeClaim) -> Iterable[core_v1.Volume]:
    volumes = pod.spec.volumes or ()
    return (volume for volume in volumes if _claim_of(pod, volume) == claim.metadata.name)


def _uses(pod: core_v1.Pod, volume: core_v1.Volume, claim: core_v1.PersistentVolumeClaim) -> bool:
    if volume.ephemeral is None:
        return True
    metadata = pod.metadata
    shut_down = metadata.deletion_timestamp is not None and metadata.deletion_grace_period_seconds == 0
    owner = controller_of(claim)
    return not shut_down and owner is not None and owner.uid == metadata.uid
