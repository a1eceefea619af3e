"""Volumes: each says whether it is available, bound or released."""

from __future__ import annotations

from typing import Final

import konverge as kv
from konverge.client.ignore import ignore_not_found
from konverge.cluster.controllers.persistent_volume_binder.binding import set_volume_phase, unbind
from konverge.cluster.controllers.persistent_volume_binder.match import Claim, Volume

_PROVISIONED_BY: Final = "pv.kubernetes.io/provisioned-by"
_OVER: Final = ("Released", "Failed")


async def reconcile_volume(ctx: kv.Context, request: kv.Request) -> None:
    """Bring the phase of a volume up to date."""
    volume = await ignore_not_found(ctx.client.get(Volume, request))
    if volume is None:
        return
    reference = volume.spec.claim_ref
    if reference is None or not reference.uid:
        await set_volume_phase(ctx.client, volume, "Available")
        return
    claim = await ignore_not_found(ctx.client.get(Claim, reference.name or "", namespace=reference.namespace or ""))
    if claim is None or claim.metadata.uid != reference.uid:
        await _release(ctx, volume)
    elif claim.spec.volume_name == volume.metadata.name:
        await set_volume_phase(ctx.client, volume, "Bound")
    elif claim.spec.volume_name and _is_provisioned(volume):
        await _release(ctx, volume)
    elif claim.spec.volume_name:
        await unbind(ctx.client, volume)


def _is_provisioned(volume: Volume) -> bool:
    made = _PROVISIONED_BY in (volume.metadata.annotations or {})
    return made and volume.spec.persistent_volume_reclaim_policy == "Delete"


async def _release(ctx: kv.Context, volume: Volume) -> None:
    """Say that a volume is free of its claim; who provisioned it deletes it, and nobody else can."""
    if volume.status.phase not in _OVER:
        await set_volume_phase(ctx.client, volume, "Released")
    is_external = volume.spec.csi is not None or _PROVISIONED_BY in (volume.metadata.annotations or {})
    if volume.spec.persistent_volume_reclaim_policy != "Delete" or is_external:
        return
    text = (
        f'error getting deleter volume plugin for volume "{volume.metadata.name}": no deletable volume plugin matched'
    )
    if await set_volume_phase(ctx.client, volume, "Failed", text):
        ctx.recorder.warning(volume, "VolumeFailedDelete", text)
