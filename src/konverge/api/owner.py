"""Owner references: which object an object belongs to."""

from __future__ import annotations

from konverge.api.meta import OwnerReference
from konverge.api.object import Object


def owner_reference(owner: Object, *, controller: bool = False, block_owner_deletion: bool = False) -> OwnerReference:
    """Return a reference to an object that exists (it needs a uid, which the server gives)."""
    return OwnerReference(
        api_version=owner.api_version,
        kind=owner.kind,
        name=owner.metadata.name or "",
        uid=owner.metadata.uid or "",
        controller=controller or None,
        block_owner_deletion=block_owner_deletion or None,
    )


def controller_of(obj: Object) -> OwnerReference | None:
    """Return the one owner that is marked as the controller, if there is one."""
    return next((ref for ref in obj.metadata.owner_references or () if ref.controller), None)
