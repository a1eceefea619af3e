"""kr8s: its objects, which wrap dicts, of a new class for the custom kinds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Self

import kr8s.asyncio
import sample
from kr8s.asyncio.objects import Pod, new_class

Gadget = new_class(kind=sample.LISTED, version=sample.API_VERSION, namespaced=True, plural=sample.plural(sample.LISTED))
Widget = new_class(
    kind=sample.CREATED, version=sample.API_VERSION, namespaced=True, plural=sample.plural(sample.CREATED)
)


class Works:
    """The works, as the library's documentation does them."""

    async def __aenter__(self) -> Self:
        self.api = await kr8s.asyncio.api()
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def warm_up(self, namespace: str) -> None:
        """Connect."""
        async for _ in self.api.get(Gadget, "nothing", namespace=namespace):
            pass

    async def list_custom(self, namespace: str) -> list[Any]:
        """List the custom resources."""
        return [obj async for obj in self.api.get(Gadget, namespace=namespace)]

    async def list_pods(self, namespace: str) -> list[Any]:
        """List the pods."""
        return [obj async for obj in self.api.get(Pod, namespace=namespace)]

    def watch_custom(self, namespace: str, version: str) -> AsyncIterator[tuple[str, Any]]:
        """Watch the custom resources."""
        return self.api.watch(Gadget, namespace=namespace, since=version)

    def watch_pods(self, namespace: str, version: str) -> AsyncIterator[tuple[str, Any]]:
        """Watch the pods."""
        return self.api.watch(Pod, namespace=namespace, since=version)

    async def create(self, namespace: str, name: str) -> Any:
        """Create a custom resource."""
        obj = Widget(sample.custom(sample.CREATED, name, namespace), api=self.api)
        await obj.create()
        return obj

    def name(self, obj: Any) -> str:
        """Return an object's name."""
        return str(obj.name)

    def event_name(self, event: tuple[str, Any]) -> str:
        """Return the name of an event's object."""
        return self.name(event[1])
