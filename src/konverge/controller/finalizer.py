"""Finalizers: names on an object that keep it, once deleted, until the work for which each stands is done.

`add_finalizer` and `remove_finalizer` change the object at hand, for a write that happens anyway. The other two write
themselves, and only if there is something to change::

    if obj.metadata.deletion_timestamp:
        if has_finalizer(obj, FINALIZER):
            await clean_up(obj)
            await release_finalizer(ctx.client, obj, FINALIZER)
        return None
    await ensure_finalizer(ctx.client, obj, FINALIZER)
"""

from __future__ import annotations

from konverge.api.object import Object
from konverge.client.client import Client
from konverge.client.ignore import ignore_not_found
from konverge.client.patch import MergePatch
from konverge.errors import RequestError

# A merge patch replaces the list whole, so it must not meet a list that someone else changed meanwhile.
_PATCH = MergePatch(optimistic_lock=True)


def has_finalizer(obj: Object, finalizer: str) -> bool:
    """Whether the object has it."""
    return finalizer in (obj.metadata.finalizers or ())


def add_finalizer(obj: Object, finalizer: str) -> bool:
    """Add it; return whether it was missing."""
    if "/" not in finalizer:
        raise RequestError(f'finalizer "{finalizer}" needs a domain: write it as in "example.com/clean-up"')
    if has_finalizer(obj, finalizer):
        return False
    obj.metadata.finalizers = [*(obj.metadata.finalizers or ()), finalizer]
    return True


def remove_finalizer(obj: Object, finalizer: str) -> bool:
    """Remove it; return whether it was there."""
    if not has_finalizer(obj, finalizer):
        return False
    obj.metadata.finalizers = [other for other in obj.metadata.finalizers or () if other != finalizer]
    return True


async def ensure_finalizer(client: Client, obj: Object, finalizer: str) -> bool:
    """Add it on the server too; `Conflict` if the object changed since it was read. Return whether it was missing.

    An object that is being deleted takes no new finalizers: that is an error here, before the server says so.
    """
    if has_finalizer(obj, finalizer):
        return False
    if obj.metadata.deletion_timestamp:
        raise RequestError(
            f'{obj.kind} "{obj.metadata.key}" is being deleted and takes no new finalizer: '
            "look at metadata.deletion_timestamp first"
        )
    add_finalizer(obj, finalizer)
    await client.patch(obj, _PATCH)
    return True


async def release_finalizer(client: Client, obj: Object, finalizer: str) -> bool:
    """Remove it on the server too, after which the object may be gone; return whether it was there."""
    if not remove_finalizer(obj, finalizer):
        return False
    await ignore_not_found(client.patch(obj, _PATCH))
    return True
