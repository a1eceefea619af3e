"""What an object may claim: the objects of a kind that it controls, and those of its namespace that nobody does.

Found by an index over metadata alone, so that it costs what it finds and not what there is.
"""

from __future__ import annotations

from typing import Final, TypeVar

import konverge as kv
from konverge.api.form import form_of
from konverge.cache.stored import Header, Stored

T = TypeVar("T", bound=kv.Object)

_INDEX: Final = "konverge.controllers.owner"
_NOBODY: Final = ""


async def candidates(client: kv.Client, owner: kv.Object, kind: type[T]) -> list[T]:
    """Return what the owner controls, then what nobody controls, in its namespace."""
    return [*await controlled(client, owner, kind), *await _listed(client, kind, owner.metadata.namespace, _NOBODY)]


async def controlled(client: kv.Client, owner: kv.Object, kind: type[T]) -> list[T]:
    """Return what the owner controls."""
    return await _listed(client, kind, owner.metadata.namespace, owner.metadata.uid or _NOBODY)


async def _listed(client: kv.Client, kind: type[T], namespace: str | None, uid: str) -> list[T]:
    if not isinstance(client, kv.CachedClient):
        found = await client.list(kind, namespace=namespace)
        return [each for each in found if uid in _controllers(each.metadata)]
    informer = await client.cache.informer(kind)
    if not informer.has_index(_INDEX):
        form = form_of(kind)
        informer.add_index(_INDEX, lambda entry: _controllers(Stored(entry, form).metadata))
    return list(await client.list(kind, namespace=namespace, fields={_INDEX: uid}))


def _controllers(metadata: Header | kv.ObjectMeta) -> tuple[str, ...]:
    return tuple(ref.uid for ref in metadata.owner_references or () if ref.controller) or (_NOBODY,)
