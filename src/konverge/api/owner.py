"""Owner references: which object an object belongs to."""

from __future__ import annotations

from konverge.api.meta import OwnerReference
from konverge.api.object import Object
from konverge.errors import RequestError


def owner_reference(owner: Object, *, controller: bool = False, block_owner_deletion: bool = False) -> OwnerReference:
    """Return a reference to an object that exists: it needs a uid, which the server gives."""
    if not owner.metadata.uid or not owner.metadata.name:
        raise RequestError(
            f'{owner.kind} "{owner.metadata.key}" has no uid yet, so nothing can refer to it: create or read it first'
        )
    return OwnerReference(
        api_version=owner.api_version,
        kind=owner.kind,
        name=owner.metadata.name,
        uid=owner.metadata.uid,
        controller=controller or None,
        block_owner_deletion=block_owner_deletion or None,
    )


def controller_of(obj: Object) -> OwnerReference | None:
    """Return the one owner that is marked as the controller, if there is one."""
    return next((ref for ref in obj.metadata.owner_references or () if ref.controller), None)
