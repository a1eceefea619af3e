"""lightkube's asynchronous client: generic resources (dicts) for custom kinds, its models for pods."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Self

import sample
from lightkube import AsyncClient
from lightkube.generic_resource import create_namespaced_resource
from lightkube.resources.core_v1 import Pod


def _generic(kind: str) -> Any:
    return create_namespaced_resource(sample.GROUP, sample.VERSION, kind, sample.plural(kind))


Gadget = _generic(sample.LISTED)
Widget = _generic(sample.CREATED)


class Works:
    """The works, as the library's documentation does them."""

    async def __aenter__(self) -> Self:
        self.client = AsyncClient()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()

    async def warm_up(self, namespace: str) -> None:
        """Connect."""
        async for _ in self.client.list(Gadget, namespace=namespace, fields={"metadata.name": "nothing"}):
            pass

    async def list_custom(self, namespace: str) -> list[Any]:
        """List the custom resources."""
        return [obj async for obj in self.client.list(Gadget, namespace=namespace)]

    async def list_pods(self, namespace: str) -> list[Pod]:
        """List the pods."""
        return [obj async for obj in self.client.list(Pod, namespace=namespace)]

    def watch_custom(self, namespace: str, version: str) -> AsyncIterator[tuple[str, Any]]:
        """Watch the custom resources."""
        return aiter(self.client.watch(Gadget, namespace=namespace, resource_version=version))

    def watch_pods(self, namespace: str, version: str) -> AsyncIterator[tuple[str, Pod]]:
        """Watch the pods."""
        return aiter(self.client.watch(Pod, namespace=namespace, resource_version=version))

    async def create(self, namespace: str, name: str) -> Any:
        """Create a custom resource."""
        return await self.client.create(Widget.from_dict(sample.custom(sample.CREATED, name, namespace)))

    def name(self, obj: Any) -> str:
        """Return an object's name; a generic resource would build a model of its metadata at each access."""
        return str(obj["metadata"]["name"] if isinstance(obj, dict) else obj.metadata.name)

    def event_name(self, event: tuple[str, Any]) -> str:
        """Return the name of an event's object."""
        return self.name(event[1])
