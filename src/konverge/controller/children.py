"""Children: bring the set of objects that one object owns to what is wanted, and say what was done.

Each wanted child is applied (server-side apply, with the owner as its controller); what the owner controls and no
longer wants is deleted. Nothing that another controller owns is ever touched. One child that the server refuses does
not keep the others from what they should be.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from konverge.api.form import Form, Kind, form_of, form_of_object
from konverge.api.kind import GroupKind, ObjectKey
from konverge.api.object import Object
from konverge.api.owner import controller_of
from konverge.cache.cached_client import CachedClient, Unwatched
from konverge.cache.stored import Header, Stored
from konverge.client.client import Client
from konverge.client.engine import Selector
from konverge.client.ignore import ignore_not_found
from konverge.controller.owner import AlreadyOwned, NotAdopted, is_controlled_by, set_controller_reference
from konverge.errors import ApiError, Conflict, NotFound, RequestError, only_error

_Identity = tuple[GroupKind, ObjectKey]
_INDEX = "konverge.controller-uid"


class Synced(msgspec.Struct, frozen=True, kw_only=True):
    """What `sync_children` did; the objects as the server has them now."""

    created: tuple[Object, ...] = ()
    updated: tuple[Object, ...] = ()
    unchanged: tuple[Object, ...] = ()
    deleted: tuple[Object, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything was."""
        return bool(self.created or self.updated or self.deleted)


async def sync_children(
    client: Client,
    owner: Object,
    desired: Iterable[Object],
    *,
    kinds: Iterable[Kind[Any]] = (),
    labels: Selector | None = None,
    force: bool = True,
    adopt: bool = True,
    field_owner: str | None = None,
) -> Synced:
    """Make the owner's children be exactly the desired ones.

    Surplus children are looked for among the kinds of the desired ones and `kinds`: name there every kind of which
    none may be desired at times. `labels` narrows the search, where the children share some. A desired child without
    a namespace gets the owner's. `force` takes over fields that another manager has set.

    An object of a desired name that another one controls is `AlreadyOwned`. One that nothing controls is adopted: as a
    rule it is a child that lost its owner reference, and nothing else would bring it back. But what is adopted is
    deleted with the owner. So where a user could choose the name of somebody else's object (`kube-system`), say
    `adopt=False`: then it is `NotAdopted`. Both are raised before anything is written. (That look is live; only one
    that is made between it and the apply, within milliseconds, is not seen.)

    What the server refuses is raised at the end, when all other children are as desired: one error, or a group of them.
    """
    wanted = _prepared(owner, desired)
    forms = _forms(wanted, kinds)
    there = await _children(client, owner, forms, labels)
    strangers = [child for identity, child in wanted.items() if identity not in there]
    await _refuse_strangers(client, owner, strangers, adopt=adopt)
    created, updated, unchanged, refused = [], [], [], []
    for identity, child in wanted.items():
        before = there.get(identity)
        try:
            applied = await client.apply(child, force=force, field_owner=field_owner)
        except ApiError as error:
            refused.append(error)
            continue
        if before is None:
            created.append(applied)
        elif before.metadata.resource_version == applied.metadata.resource_version:
            unchanged.append(applied)
        else:
            updated.append(applied)
    surplus = [child for identity, child in there.items() if identity not in wanted]
    deleted = [child for child in surplus if await _deleted(client, child)]
    if refused:
        raise only_error(ExceptionGroup(f'{owner.kind} "{owner.metadata.key}": children were refused', refused))
    return Synced(created=tuple(created), updated=tuple(updated), unchanged=tuple(unchanged), deleted=tuple(deleted))


def _prepared(owner: Object, desired: Iterable[Object]) -> dict[_Identity, Object]:
    """The desired children with owner and namespace set, on copies; two of one name are a mistake."""
    wanted: dict[_Identity, Object] = {}
    for given in desired:
        child = copy.deepcopy(given)
        resource = form_of_object(child).resource
        if not child.metadata.namespace and (resource is None or resource.namespaced):
            child.metadata.namespace = owner.metadata.namespace
        if not child.metadata.name:
            raise RequestError(f"a desired {child.kind} has no name: children are told apart by their names")
        set_controller_reference(owner, child)
        if wanted.setdefault(_identity(child), child) is not child:
            raise RequestError(f'{child.kind} "{child.metadata.key}" is desired twice: give each child once')
    return wanted


def _identity(obj: Object) -> _Identity:
    return obj.gvk.group_kind, obj.metadata.key


def _forms(wanted: Mapping[_Identity, Object], kinds: Iterable[Kind[Any]]) -> list[Form[Any]]:
    """Each kind to search, once."""
    forms = {form.gvk.group_kind: form for form in map(form_of, kinds)}
    for child in wanted.values():
        forms.setdefault(child.gvk.group_kind, form_of_object(child))
    return list(forms.values())


async def _children(
    client: Client, owner: Object, forms: Iterable[Form[Any]], labels: Selector | None
) -> dict[_Identity, Object]:
    """What the owner controls now."""
    namespace = owner.metadata.namespace or None
    found: dict[_Identity, Object] = {}
    for form in forms:
        by_owner = {_INDEX: owner.metadata.uid or ""} if await _indexed(client, form) else None
        children = await client.list(form, namespace=namespace, labels=labels, fields=by_owner)
        found |= {_identity(child): child for child in children if is_controlled_by(child, owner)}
    return found


async def _indexed(client: Client, form: Form[Any]) -> bool:
    """Whether a cache finds the children of an owner without looking at all objects; where there is one, it does."""
    if not isinstance(client, CachedClient) or client.unwatched is not Unwatched.START:
        return False
    informer = await client.cache.informer(form)
    if not informer.has_index(_INDEX):
        informer.add_index(_INDEX, lambda entry: _controllers(Stored(entry, form).metadata))
    return True


def _controllers(metadata: Header) -> tuple[str, ...]:
    return tuple(reference.uid for reference in metadata.owner_references or () if reference.controller)


async def _refuse_strangers(client: Client, owner: Object, children: Iterable[Object], *, adopt: bool) -> None:
    """Refuse to apply over an object that another one controls: server-side apply would add a second controller."""
    reader = client if adopt or not isinstance(client, CachedClient) else client.live
    for child in children:
        stranger = await ignore_not_found(reader.get(form_of_object(child), child.metadata))
        if stranger is None:
            continue
        existing = controller_of(stranger)
        if existing is not None and existing.uid != owner.metadata.uid:
            raise AlreadyOwned(stranger, existing)
        if existing is None and not adopt:
            raise NotAdopted.of(stranger)


async def _deleted(client: Client, child: Object) -> bool:
    """Delete this very object, not one that took its name; return whether we did."""
    if child.metadata.deletion_timestamp:
        return False
    try:
        await client.delete(child, uid=child.metadata.uid, propagation="Background")
    except (NotFound, Conflict):
        return False  # gone, or another one of the name: both are none of ours any more
    return True
