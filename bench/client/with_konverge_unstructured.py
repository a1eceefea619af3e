"""konverge, with `Unstructured` for every object."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Self

import sample

from konverge import Client, Unstructured, WatchEvent, unstructured

GADGET = unstructured(sample.API_VERSION, sample.LISTED)
POD = unstructured("v1", "Pod")


class Works:
    """The works, on objects whose kind is data."""

    def __init__(self) -> None:
        self.client = Client.connect()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()

    async def warm_up(self, namespace: str) -> None:
        """Connect."""
        await self.client.list(GADGET, namespace=namespace, limit=1)

    async def list_custom(self, namespace: str) -> list[Unstructured]:
        """List the custom resources."""
        return await self.client.list(GADGET, namespace=namespace)

    async def list_pods(self, namespace: str) -> list[Unstructured]:
        """List the pods."""
        return await self.client.list(POD, namespace=namespace)

    def watch_custom(self, namespace: str, version: str) -> AsyncIterator[WatchEvent[Unstructured]]:
        """Watch the custom resources."""
        return self.client.watch(GADGET, namespace=namespace, resource_version=version)

    def watch_pods(self, namespace: str, version: str) -> AsyncIterator[WatchEvent[Unstructured]]:
        """Watch the pods."""
        return self.client.watch(POD, namespace=namespace, resource_version=version)

    async def create(self, namespace: str, name: str) -> Unstructured:
        """Create a custom resource."""
        return await self.client.create(Unstructured.from_dict(sample.custom(sample.CREATED, name, namespace)))

    def name(self, obj: Unstructured) -> str:
        """Return an object's name."""
        return str(obj.metadata.name)

    def event_name(self, event: WatchEvent[Unstructured]) -> str:
        """Return the name of an event's object."""
        return str(event.object.metadata.name)
