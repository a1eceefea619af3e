"""Volumes and claims find each other, as kube-controller-manager's persistentvolume-binder-controller has them.

A claim gets the smallest volume that is there for it, or asks the provisioner of its class for one; a volume says
whether it is available, bound or released. `match` decides which volume suits a claim, and is pure; `binding` writes.
"""

from __future__ import annotations

from typing import Final

import konverge as kv
from konverge.cluster.controllers.persistent_volume_binder.claims import reconcile_claim
from konverge.cluster.controllers.persistent_volume_binder.match import IS_COMPLETE
from konverge.cluster.controllers.persistent_volume_binder.volumes import reconcile_volume
from konverge.controller.event import Event
from konverge.manager import Manager
from konverge.models import core_v1, storage_v1

NAME: Final = "persistentvolume-binder-controller"


def add_to(manager: Manager) -> None:
    """Register both halves."""
    waiting = EnqueueWaiting(manager.client)
    claims = kv.new_controller(manager).named(NAME).for_(core_v1.PersistentVolumeClaim)
    claims.watches(core_v1.PersistentVolume, waiting).watches(storage_v1.StorageClass, waiting)
    claims.complete(reconcile_claim)
    volumes = kv.new_controller(manager).named(f"{NAME}-volumes").for_(core_v1.PersistentVolume)
    volumes.watches(core_v1.PersistentVolumeClaim, _volume_of).complete(reconcile_volume)


class EnqueueWaiting:
    """Has the claims looked at that a volume names, or that wait for any; a class may help these, too."""

    def __init__(self, client: kv.Client) -> None:
        self._client = client

    async def requests(
        self, event: Event[core_v1.PersistentVolume] | Event[storage_v1.StorageClass]
    ) -> list[kv.Request]:
        """Return the claims."""
        found = event.object
        if isinstance(found, core_v1.PersistentVolume) and found.spec.claim_ref is not None:
            reference = found.spec.claim_ref
            return [kv.Request(reference.namespace or "", reference.name or "")]
        claims = await self._client.list(core_v1.PersistentVolumeClaim)
        return [kv.Request.of(each.metadata) for each in claims if IS_COMPLETE not in (each.metadata.annotations or {})]


def _volume_of(claim: core_v1.PersistentVolumeClaim) -> list[kv.Request]:
    return [kv.Request("", claim.spec.volume_name)] if claim.spec.volume_name else []
