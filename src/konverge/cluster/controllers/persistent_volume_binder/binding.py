"""Binding: the four writes that bring a volume and a claim together; after any of them another one can go on."""

from __future__ import annotations

from typing import Final

import konverge as kv
from konverge.cluster.controllers.persistent_volume_binder.match import IS_COMPLETE, Claim, Volume, is_meant_for
from konverge.models import core_v1

_BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"


async def bind(client: kv.Client, volume: Volume, claim: Claim) -> None:
    """Write whom a volume belongs to, and then which volume a claim has."""
    reference = volume.spec.claim_ref
    if not is_meant_for(volume, claim):
        volume.metadata.annotations = {**(volume.metadata.annotations or {}), _BY_CONTROLLER: "yes"}
    if reference is None or reference.uid != claim.metadata.uid:
        volume.spec.claim_ref = _reference(claim)
        await client.update(volume)
    await set_volume_phase(client, volume, "Bound")
    await _name_volume(client, claim, volume)
    await _set_bound(client, claim, volume)


async def unbind(client: kv.Client, volume: Volume) -> None:
    """Free a volume of a claim that has another one; what its author wrote about whom it is for stays."""
    annotations = dict(volume.metadata.annotations or {})
    if annotations.pop(_BY_CONTROLLER, None) is not None:
        volume.spec.claim_ref = None
        volume.metadata.annotations = annotations or None
    elif volume.spec.claim_ref is not None:
        volume.spec.claim_ref.uid = None
    await client.update(volume)
    await set_volume_phase(client, volume, "Available")


async def set_volume_phase(client: kv.Client, volume: Volume, phase: str, message: str | None = None) -> bool:
    """Write the phase of a volume; return whether it had another one."""
    if volume.status.phase == phase:
        return False
    volume.status.phase, volume.status.message = phase, message
    await client.status.update(volume)
    return True


async def set_claim_phase(client: kv.Client, claim: Claim, phase: str) -> bool:
    """Write that a claim has no volume; return whether that is news."""
    status = claim.status
    before = status.phase
    status.phase, status.access_modes, status.capacity = phase, None, None
    status.current_volume_attributes_class_name = None
    if kv.has_changes(claim):
        await client.status.update(claim)
    return before != phase


def _reference(claim: Claim) -> core_v1.ObjectReference:
    return core_v1.ObjectReference(
        api_version=claim.api_version,
        kind=claim.kind,
        namespace=claim.metadata.namespace,
        name=claim.metadata.name,
        uid=claim.metadata.uid,
        resource_version=claim.metadata.resource_version,
    )


async def _name_volume(client: kv.Client, claim: Claim, volume: Volume) -> None:
    chosen = {} if claim.spec.volume_name == volume.metadata.name else {_BY_CONTROLLER: "yes"}
    claim.spec.volume_name = volume.metadata.name
    claim.metadata.annotations = {**(claim.metadata.annotations or {}), **chosen, IS_COMPLETE: "yes"}
    if kv.has_changes(claim):
        await client.update(claim)


async def _set_bound(client: kv.Client, claim: Claim, volume: Volume) -> None:
    status = claim.status
    if status.phase != "Bound":
        status.capacity = volume.spec.capacity
        status.current_volume_attributes_class_name = volume.spec.volume_attributes_class_name
    status.phase, status.access_modes = "Bound", volume.spec.access_modes
    if kv.has_changes(claim):
        await client.status.update(claim)
