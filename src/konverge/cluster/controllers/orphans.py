"""EnqueueSelecting: an object that nobody controls concerns every workload that selects it, which may adopt it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import konverge as kv
from konverge.controller.event import DeleteEvent, Event

T = TypeVar("T", bound=kv.Object)


class EnqueueSelecting(Generic[T]):
    """Asks for the objects of a kind whose selector matches an orphan; what has a controller concerns nobody else."""

    def __init__(self, client: kv.Client, kind: type[T], selector: Callable[[T], kv.LabelSelector]) -> None:
        self._client = client
        self._kind = kind
        self._selector = selector

    async def requests(self, event: Event[Any]) -> list[kv.Request]:
        """Return the workloads that may adopt the object."""
        metadata = event.metadata
        orphan = not any(ref.controller for ref in metadata.owner_references or ())
        if not orphan or not metadata.labels or isinstance(event, DeleteEvent):
            return []
        found = await self._client.list(self._kind, namespace=event.key.namespace)
        return [kv.Request.of(each.metadata) for each in found if self._selector(each).matches(metadata.labels)]

    def __repr__(self) -> str:
        return f"EnqueueSelecting({self._kind.__name__})"
