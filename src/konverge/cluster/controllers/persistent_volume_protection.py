"""PersistentVolume protection: a volume that is bound to a claim is not deleted before it is released.

The finalizer is put on by the API server; here it is taken off when it is time, and put on where it was not.
"""

from __future__ import annotations

from typing import Final

from konverge.builder import new_controller
from konverge.client.ignore import ignore_not_found
from konverge.controller import Context, Request, ensure_finalizer, release_finalizer
from konverge.manager import Manager
from konverge.models import core_v1

NAME: Final = "persistentvolume-protection-controller"
FINALIZER: Final = "kubernetes.io/pv-protection"


def add_to(manager: Manager) -> None:
    """Register the controller."""
    new_controller(manager).named(NAME).for_(core_v1.PersistentVolume).complete(reconcile)


async def reconcile(ctx: Context, request: Request) -> None:
    """Keep the finalizer on the volume until it is deleted and not bound."""
    volume = await ignore_not_found(ctx.client.get(core_v1.PersistentVolume, request))
    if volume is None:
        return
    if volume.metadata.deletion_timestamp is None:
        await ensure_finalizer(ctx.client, volume, FINALIZER)
    elif volume.status.phase != "Bound":
        await release_finalizer(ctx.client, volume, FINALIZER)
