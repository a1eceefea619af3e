"""The functions that go with a client, for a plain `def reconcile`: the same names, without the `await`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from konverge.api.form import Kind
from konverge.api.object import Object
from konverge.client.blocking import BlockingClient
from konverge.client.engine import Selector
from konverge.client.stepping import awaitable, finish
from konverge.controller import children, finalizer
from konverge.controller.children import Synced


def ensure_finalizer(client: BlockingClient, obj: Object, name: str) -> bool:
    """Add a finalizer on the server too; return whether it was missing."""
    return finish(finalizer.ensure_finalizer(awaitable(client), obj, name))


def release_finalizer(client: BlockingClient, obj: Object, name: str) -> bool:
    """Remove a finalizer on the server too; return whether it was there."""
    return finish(finalizer.release_finalizer(awaitable(client), obj, name))


def sync_children(
    client: BlockingClient,
    owner: Object,
    desired: Iterable[Object],
    *,
    kinds: Iterable[Kind[Any]] = (),
    labels: Selector | None = None,
    force: bool = True,
    adopt: bool = True,
    field_owner: str | None = None,
) -> Synced:
    """Make the owner's children be exactly the desired ones."""
    call = children.sync_children(
        awaitable(client), owner, desired, kinds=kinds, labels=labels, force=force, adopt=adopt, field_owner=field_owner
    )
    return finish(call)
