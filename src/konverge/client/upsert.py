"""Create an object or bring the one that is there to the wanted state, and say which of the two it was.

`mutate` sets on the object what the author wants and leaves the rest alone; it is called on a fresh object or on the
live one, so it must not depend on which. If it changes nothing, nothing is written.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from konverge.api import merge_patch
from konverge.api.form import form_of_object
from konverge.api.model import encode
from konverge.api.object import Object, become, has_changes, origin_of
from konverge.api.request import MERGE_PATCH
from konverge.client.patch import RawPatch
from konverge.client.protocols import ReaderWriter
from konverge.errors import NotFound, RequestError

T = TypeVar("T", bound=Object)
Mutate = Callable[[T], None] | Callable[[T], Awaitable[None]]


class OperationResult(StrEnum):
    """What was done; controller-runtime's words."""

    UNCHANGED = "unchanged"
    CREATED = "created"
    UPDATED = "updated"
    UPDATED_STATUS = "updatedStatus"
    UPDATED_STATUS_ONLY = "updatedStatusOnly"


async def create_or_update(client: ReaderWriter, obj: T, mutate: Mutate[T]) -> OperationResult:
    """Create the object, or update the live one if `mutate` changes it; the object becomes what the server has."""
    if not await _load(client, obj):
        await _mutate(obj, mutate)
        await client.create(obj)
        return OperationResult.CREATED
    await _mutate(obj, mutate)
    if not has_changes(obj):
        return OperationResult.UNCHANGED
    await client.update(obj)
    return OperationResult.UPDATED


async def create_or_patch(client: ReaderWriter, obj: T, mutate: Mutate[T]) -> OperationResult:
    """Create the object, or patch the live one, and its status apart, by merge patches of what `mutate` changes."""
    if not await _load(client, obj):
        await _mutate(obj, mutate)
        await client.create(obj)
        return OperationResult.CREATED
    await _mutate(obj, mutate)
    main, status = _patches(obj)
    if main:
        await client.patch(obj, RawPatch(MERGE_PATCH, encode(main)))
    if status:
        await client.status.patch(obj, RawPatch(MERGE_PATCH, encode(status)))
    return _RESULTS[bool(main), bool(status)]


_RESULTS = {
    (False, False): OperationResult.UNCHANGED,
    (True, False): OperationResult.UPDATED,
    (True, True): OperationResult.UPDATED_STATUS,
    (False, True): OperationResult.UPDATED_STATUS_ONLY,
}


async def _load(client: ReaderWriter, obj: T) -> bool:
    """Make the object what the server has of it; False if it has none."""
    try:
        become(obj, await client.get(form_of_object(obj), obj.metadata))
    except NotFound:
        return False
    return True


async def _mutate(obj: Object, mutate: Callable[[Any], Any]) -> None:
    """Call the author's function, and check that it did not turn the object into another one."""
    key = obj.metadata.key
    pending = mutate(obj)
    if inspect.isawaitable(pending):
        await pending
    if obj.metadata.key != key:
        raise RequestError(f'mutate changed the name of {obj.kind} "{key}" to "{obj.metadata.key}": it must not')


def _patches(obj: Object) -> tuple[dict[str, Any], dict[str, Any]]:
    """The merge patches of everything but the status, and of the status alone."""
    origin = origin_of(obj)
    before = msgspec.json.decode(origin.data) if origin else {}
    patch = merge_patch.create(before, obj.to_dict())
    status = {"status": patch.pop("status")} if "status" in patch else {}
    return patch, status
