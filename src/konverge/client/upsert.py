"""Create an object or bring the one that is there to the wanted state, and say which of the two it was.

`mutate` sets on the object what the author wants and leaves the rest alone; it is called on a fresh object or on the
live one, so it must not depend on which. If it changes nothing, nothing is written.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from enum import StrEnum
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from konverge.api.form import form_of_object
from konverge.api.model import encode
from konverge.api.object import Object, become, changes, has_changes
from konverge.api.request import MERGE_PATCH
from konverge.client.patch import RawPatch
from konverge.client.protocols import ReaderWriter
from konverge.errors import NotFound, RequestError

T = TypeVar("T", bound=Object)
P = ParamSpec("P")
R = TypeVar("R")
Mutate = Callable[[T], None] | Callable[[T], Awaitable[None]]


class OperationResult(StrEnum):
    """What was done; controller-runtime's words."""

    UNCHANGED = "unchanged"
    CREATED = "created"
    UPDATED = "updated"
    UPDATED_STATUS = "updatedStatus"
    UPDATED_STATUS_ONLY = "updatedStatusOnly"


def _not_blocking(function: Callable[P, Coroutine[Any, Any, R]]) -> Callable[P, Coroutine[Any, Any, R]]:
    """Refuse a blocking client at once: its user does not await, and would never hear that nothing was done."""

    @wraps(function)
    def checked(*args: P.args, **options: P.kwargs) -> Coroutine[Any, Any, R]:
        from konverge.client.blocking import BlockingClient  # noqa: PLC0415 - it imports this module

        if any(isinstance(given, BlockingClient) for given in (*args, *options.values())):
            name = function.__name__
            raise RequestError(f"{name} of a BlockingClient is konverge.client.blocking.{name}: this one is async")
        return function(*args, **options)

    return checked


@_not_blocking
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


@_not_blocking
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
    patch = changes(obj)
    status = {"status": patch.pop("status")} if "status" in patch else {}
    return patch, status
