"""Owner references: marking what an object belongs to, so that it is deleted with its owner and wakes its reconciler.

One owner may be the controller: the one that decides what the object looks like. Two never can, so taking an object
that another one controls is an error (`AlreadyOwned`) and not a silent fight.
"""

from __future__ import annotations

from typing import Any, Self

from konverge.api.kind import GroupVersion
from konverge.api.meta import OwnerReference
from konverge.api.object import Object
from konverge.api.owner import controller_of, owner_reference
from konverge.api.unstructured import PartialObjectMetadata, Unstructured
from konverge.errors import KonvergeError, RequestError


class AlreadyOwned(KonvergeError):
    """Another object is the controller of this one; `owner` says which."""

    def __init__(self, obj: Object, owner: OwnerReference) -> None:
        self.owner = owner
        super().__init__(
            f'{obj.kind} "{obj.metadata.key}" is controlled by {owner.kind} "{owner.name}" already: '
            "choose another name for it, or have that controller let it go"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.args, self.owner)


def _rebuilt(args: tuple[Any, ...], owner: OwnerReference) -> AlreadyOwned:
    error = AlreadyOwned.__new__(AlreadyOwned)
    error.args, error.owner = args, owner
    return error


class NotAdopted(KonvergeError):
    """An object of the wanted name is there, nothing controls it, and who asked wants to take none that is."""

    @classmethod
    def of(cls, obj: Object) -> Self:
        """Return the error about an object."""
        return cls(
            f'{obj.kind} "{obj.metadata.key}" is there already, and nothing controls it: choose another name for the '
            "child, delete the object, or let it be taken with adopt=True"
        )


def set_controller_reference(owner: Object, obj: Object, *, block_owner_deletion: bool = True) -> bool:
    """Make an object the controller of another; return whether that changed anything.

    A reference to an owner of the same kind and name is taken over, also where the owner was created anew since.
    """
    _check(owner, obj)
    reference = owner_reference(owner, controller=True, block_owner_deletion=block_owner_deletion)
    existing = controller_of(obj)
    if existing is not None and not _same(existing, reference):
        raise AlreadyOwned(obj, existing)
    return _put(obj, reference)


def set_owner_reference(owner: Object, obj: Object, *, block_owner_deletion: bool = False) -> bool:
    """Make an object one of the owners of another, not its controller; return whether that changed anything."""
    _check(owner, obj)
    return _put(obj, owner_reference(owner, block_owner_deletion=block_owner_deletion))


def remove_owner_reference(owner: Object, obj: Object) -> bool:
    """Take an owner out, controller or not; return whether it was there."""
    references = obj.metadata.owner_references or []
    wanted = _reference_to(owner)
    kept = [reference for reference in references if not _same(reference, wanted)]
    obj.metadata.owner_references = kept or None
    return len(kept) < len(references)


def remove_controller_reference(owner: Object, obj: Object) -> bool:
    """Take an owner out if it is the controller; return whether it was."""
    existing = controller_of(obj)
    return existing is not None and _same(existing, _reference_to(owner)) and remove_owner_reference(owner, obj)


def has_owner_reference(owner: Object, obj: Object) -> bool:
    """Whether an object is among the owners of another, by group, kind and name."""
    wanted = _reference_to(owner)
    return any(_same(reference, wanted) for reference in obj.metadata.owner_references or ())


def is_controlled_by(obj: Object, owner: Object) -> bool:
    """Whether this very owner (by uid) is the controller of an object."""
    existing = controller_of(obj)
    return existing is not None and bool(owner.metadata.uid) and existing.uid == owner.metadata.uid


def _put(obj: Object, reference: OwnerReference) -> bool:
    references = obj.metadata.owner_references or []
    others = [there for there in references if not _same(there, reference)]
    if len(others) == len(references):
        obj.metadata.owner_references = [*references, reference]
        return True
    changed = [reference if _same(there, reference) else there for there in references]
    obj.metadata.owner_references = changed
    return changed != references


def _reference_to(owner: Object) -> OwnerReference:
    return owner_reference(owner)


def _same(one: OwnerReference, other: OwnerReference) -> bool:
    """Whether two references name the same object: group, kind and name count, the version does not."""
    groups = (GroupVersion.parse(reference.api_version).group for reference in (one, other))
    return (one.kind, one.name) == (other.kind, other.name) and next(groups) == next(groups)


def _check(owner: Object, obj: Object) -> None:
    """Refuse a reference that the garbage collector would take for a dead one, and delete the object for."""
    if not owner.metadata.uid:
        raise RequestError(
            f'{owner.kind} "{owner.metadata.key}" has no uid, so it cannot own anything: read it from the server first'
        )
    theirs, ours = owner.metadata.namespace or "", obj.metadata.namespace or ""
    if theirs and theirs != ours:
        raise RequestError(
            f'{owner.kind} "{owner.metadata.key}" cannot own {obj.kind} "{obj.metadata.key}": {_remedy(obj, theirs)}'
        )


def _remedy(obj: Object, namespace: str) -> str:
    if obj.metadata.namespace:
        return "owner references do not cross namespaces; use a label and a finalizer instead"
    if not isinstance(obj, (Unstructured, PartialObjectMetadata)) and not obj.__resource__.namespaced:
        return "what has no namespace can only be owned by what has none; use a label and a finalizer instead"
    return f'set its metadata.namespace to "{namespace}"'
