"""kubernetes_asyncio: `CustomObjectsApi` (dicts) and `CoreV1Api` (its models)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Self

import sample
from kubernetes_asyncio import client, config, watch

GADGETS = (sample.GROUP, sample.VERSION)


class Works:
    """The works, as the library's examples do them."""

    async def __aenter__(self) -> Self:
        await config.load_kube_config()
        self.api_client = client.ApiClient()
        self.custom = client.CustomObjectsApi(self.api_client)
        self.core = client.CoreV1Api(self.api_client)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.api_client.close()

    async def warm_up(self, namespace: str) -> None:
        """Connect."""
        await self.custom.list_namespaced_custom_object(*GADGETS, namespace, sample.plural(sample.LISTED), limit=1)

    async def list_custom(self, namespace: str) -> list[dict[str, Any]]:
        """List the custom resources."""
        found = await self.custom.list_namespaced_custom_object(*GADGETS, namespace, sample.plural(sample.LISTED))
        items: list[dict[str, Any]] = found["items"]
        return items

    async def list_pods(self, namespace: str) -> list[Any]:
        """List the pods."""
        found = await self.core.list_namespaced_pod(namespace)
        items: list[Any] = found.items
        return items

    async def watch_custom(self, namespace: str, version: str) -> AsyncIterator[dict[str, Any]]:
        """Watch the custom resources."""
        call = self.custom.list_namespaced_custom_object
        where = (*GADGETS, namespace, sample.plural(sample.LISTED))
        async with watch.Watch().stream(call, *where, resource_version=version) as events:
            async for event in events:
                yield event

    async def watch_pods(self, namespace: str, version: str) -> AsyncIterator[dict[str, Any]]:
        """Watch the pods."""
        call = self.core.list_namespaced_pod
        async with watch.Watch().stream(call, namespace, resource_version=version) as events:
            async for event in events:
                yield event

    async def create(self, namespace: str, name: str) -> Any:
        """Create a custom resource."""
        body = sample.custom(sample.CREATED, name, namespace)
        return await self.custom.create_namespaced_custom_object(
            *GADGETS, namespace, sample.plural(sample.CREATED), body
        )

    def name(self, obj: Any) -> str:
        """Return an object's name."""
        return str(obj["metadata"]["name"] if isinstance(obj, dict) else obj.metadata.name)

    def event_name(self, event: dict[str, Any]) -> str:
        """Return the name of an event's object."""
        return self.name(event["object"])
