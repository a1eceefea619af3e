"""VolumeAttributesClass protection: a class that claims or volumes have, or want, is not deleted before they let it go.

The finalizer is put on by the API server; here it is taken off when it is time, and put on where it was not.
"""

from __future__ import annotations

from typing import Final

from konverge.builder import new_controller
from konverge.client.ignore import ignore_not_found
from konverge.controller import Context, Request, ensure_finalizer, release_finalizer
from konverge.manager import Manager
from konverge.models import core_v1, storage_v1

NAME: Final = "volumeattributesclass-protection-controller"
FINALIZER: Final = "kubernetes.io/vac-protection"
_BY_CLASS: Final = "konverge.dev/volume-attributes-classes"


def add_to(manager: Manager) -> None:
    """Register the controller."""
    manager.cache.declare_index(core_v1.PersistentVolumeClaim, _BY_CLASS, classes_of_claim)
    manager.cache.declare_index(core_v1.PersistentVolume, _BY_CLASS, classes_of_volume)
    (
        new_controller(manager)
        .named(NAME)
        .for_(storage_v1.VolumeAttributesClass)
        .watches(core_v1.PersistentVolumeClaim, lambda claim: _requests(classes_of_claim(claim)))
        .watches(core_v1.PersistentVolume, lambda volume: _requests(classes_of_volume(volume)))
        .complete(reconcile)
    )


def _requests(names: list[str]) -> list[Request]:
    return [Request("", name) for name in names]


def classes_of_claim(claim: core_v1.PersistentVolumeClaim) -> list[str]:
    """Return the classes that a claim asks for, has, and is being brought to."""
    modifying = claim.status.modify_volume_status
    named = (
        claim.spec.volume_attributes_class_name,
        claim.status.current_volume_attributes_class_name,
        modifying.target_volume_attributes_class_name if modifying else None,
    )
    return list(dict.fromkeys(name for name in named if name))


def classes_of_volume(volume: core_v1.PersistentVolume) -> list[str]:
    """Return the class of a volume, if it has one."""
    name = volume.spec.volume_attributes_class_name
    return [name] if name else []


async def reconcile(ctx: Context, request: Request) -> None:
    """Keep the finalizer on the class until it is deleted and nothing has it."""
    found = await ignore_not_found(ctx.client.get(storage_v1.VolumeAttributesClass, request))
    if found is None:
        return
    if found.metadata.deletion_timestamp is None:
        await ensure_finalizer(ctx.client, found, FINALIZER)
    elif FINALIZER in (found.metadata.finalizers or ()) and not await _is_used(ctx, request.name):
        await release_finalizer(ctx.client, found, FINALIZER)


async def _is_used(ctx: Context, name: str) -> bool:
    using = {_BY_CLASS: name}
    if await ctx.client.list(core_v1.PersistentVolume, fields=using):
        return True
    return bool(await ctx.client.list(core_v1.PersistentVolumeClaim, fields=using))
