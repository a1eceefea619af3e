"""Claims: each gets a volume, or asks for one, or says why it has none."""

from __future__ import annotations

from typing import Final

import konverge as kv
from konverge.client.ignore import ignore_not_found
from konverge.cluster.controllers.persistent_volume_binder.binding import bind, set_claim_phase
from konverge.cluster.controllers.persistent_volume_binder.match import (
    IS_COMPLETE,
    Claim,
    Volume,
    best,
    class_of,
    is_meant_for,
    mismatch,
)
from konverge.models import storage_v1

_PROVISIONER: Final = ("volume.beta.kubernetes.io/storage-provisioner", "volume.kubernetes.io/storage-provisioner")
_SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
_IS_DEFAULT: Final = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
_IN_TREE: Final = "kubernetes.io/"
_NONE: Final = "no persistent volumes available for this claim and no storage class is set"
_WAITING: Final = (
    "Waiting for a volume to be created either by the external provisioner '{}' or manually by the system "
    "administrator. If volume creation is delayed, please verify that the provisioner is running and correctly "
    "registered."
)


async def reconcile_claim(ctx: kv.Context, request: kv.Request) -> None:
    """Bind a claim, or say why it is not bound."""
    claim = await ignore_not_found(ctx.client.get(Claim, request))
    if claim is None:
        return
    if IS_COMPLETE in (claim.metadata.annotations or {}):
        await _keep(ctx, claim)
    elif claim.spec.volume_name:
        await _take_named(ctx, claim)
    else:
        await _find(ctx, claim)


async def _keep(ctx: kv.Context, claim: Claim) -> None:
    """Look after a claim that has been bound; one whose volume is gone, or another's, is lost."""
    name = claim.spec.volume_name
    if not name:
        await _lose(
            ctx, claim, "ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!"
        )
        return
    volume = await ignore_not_found(ctx.client.get(Volume, name))
    if volume is None:
        await _lose(ctx, claim, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!")
    elif volume.spec.claim_ref is None or volume.spec.claim_ref.uid == claim.metadata.uid:
        await bind(ctx.client, volume, claim)
    else:
        text = "Two claims are bound to the same volume, this one is bound incorrectly"
        await _lose(ctx, claim, "ClaimMisbound", text)


async def _lose(ctx: kv.Context, claim: Claim, reason: str, text: str) -> None:
    if claim.status.phase != "Lost" and await set_claim_phase(ctx.client, claim, "Lost"):
        ctx.recorder.warning(claim, reason, text)


async def _take_named(ctx: kv.Context, claim: Claim) -> None:
    """Bind a claim to the volume that its author asked for."""
    volume = await ignore_not_found(ctx.client.get(Volume, claim.spec.volume_name or ""))
    if volume is not None and is_meant_for(volume, claim):
        await bind(ctx.client, volume, claim)
        return
    if volume is not None and volume.spec.claim_ref is not None:
        text = f'volume "{volume.metadata.name}" already bound to a different claim.'
        ctx.recorder.warning(claim, "FailedBinding", text)
    elif volume is not None:
        problem = mismatch(volume, claim)
        if problem is None:
            await bind(ctx.client, volume, claim)
            return
        text = f'Cannot bind to requested volume "{volume.metadata.name}": {problem}'
        ctx.recorder.warning(claim, "VolumeMismatch", text)
    await set_claim_phase(ctx.client, claim, "Pending")


async def _find(ctx: kv.Context, claim: Claim) -> None:
    """Bind a claim to whichever volume suits it, or ask for one."""
    classes = await ctx.client.list(storage_v1.StorageClass)
    asked = next((each for each in classes if each.metadata.name == (class_of(claim) or "")), None)
    waits = asked is not None and asked.volume_binding_mode == "WaitForFirstConsumer"
    volume = best(await ctx.client.list(Volume), claim, only_meant=waits)
    if volume is not None:
        await bind(ctx.client, volume, claim)
    elif class_of(claim) is None and (default := _default(classes)) is not None:
        claim.spec.storage_class_name = default
        await ctx.client.update(claim)
    elif waits and _SELECTED_NODE not in (claim.metadata.annotations or {}):
        text = "waiting for first consumer to be created before binding"
        ctx.recorder.normal(claim, "WaitForFirstConsumer", text)
        await set_claim_phase(ctx.client, claim, "Pending")
    elif class_of(claim):
        await _ask(ctx, claim, asked)
    else:
        ctx.recorder.normal(claim, "FailedBinding", _NONE)
        await set_claim_phase(ctx.client, claim, "Pending")


def _default(classes: list[storage_v1.StorageClass]) -> str | None:
    """Return the default class; of several the newest, and of these the first by name."""
    marked = [
        each for each in classes if any((each.metadata.annotations or {}).get(key) == "true" for key in _IS_DEFAULT)
    ]
    by_name = sorted(marked, key=lambda each: each.metadata.name or "")
    newest = max(by_name, key=lambda each: str(each.metadata.creation_timestamp), default=None)
    return newest.metadata.name if newest is not None else None


async def _ask(ctx: kv.Context, claim: Claim, asked: storage_v1.StorageClass | None) -> None:
    """Name the provisioner on the claim, by which it knows that the claim is for it."""
    if asked is None:
        text = f'storageclass.storage.k8s.io "{class_of(claim)}" not found'
        ctx.recorder.warning(claim, "ProvisioningFailed", text)
    elif asked.provisioner.startswith(_IN_TREE):
        ctx.recorder.warning(claim, "ProvisioningFailed", f"no volume plugin matched name: {asked.provisioner}")
    else:
        named = dict.fromkeys(_PROVISIONER, asked.provisioner)
        claim.metadata.annotations = {**(claim.metadata.annotations or {}), **named}
        if kv.has_changes(claim):
            await ctx.client.update(claim)
        ctx.recorder.normal(claim, "ExternalProvisioning", _WAITING.format(asked.provisioner))
