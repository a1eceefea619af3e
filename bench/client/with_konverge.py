"""konverge, with a typed class for the custom resource."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, ClassVar, Self

import sample

from konverge import Client, Model, Object, ObjectMeta, Resource, WatchEvent, field
from konverge.models import core_v1


class Port(Model):
    """A port of a gadget."""

    name: str
    port: int
    protocol: str | None = None


class Rule(Model):
    """Where a part of the traffic goes."""

    host: str
    path: str
    weight: int | None = None


class GadgetSpec(Model):
    """What the author asks for."""

    image: str
    replicas: int = 1
    paused: bool = False
    schedule: str | None = None
    ports: list[Port] | None = None
    resources: dict[str, str] | None = None
    rules: list[Rule] | None = None
    selector: dict[str, str] | None = None
    description: str | None = None
    notify: list[str] | None = None


def _resource(kind: str) -> Resource:
    return Resource(group=sample.GROUP, version=sample.VERSION, kind=kind, plural=sample.plural(kind), namespaced=True)


class Gadget(Object):
    """The kind that is listed and watched."""

    __resource__: ClassVar[Resource] = _resource(sample.LISTED)

    spec: GadgetSpec = field(default_factory=GadgetSpec)


class Widget(Object):
    """The kind that is created."""

    __resource__: ClassVar[Resource] = _resource(sample.CREATED)

    spec: GadgetSpec = field(default_factory=GadgetSpec)


def _widget(data: dict[str, Any]) -> Widget:
    """Build a widget as an author's code would: attribute by attribute."""
    spec = data["spec"]
    ports = [Port(**port) for port in spec["ports"]]
    rules = [Rule(**rule) for rule in spec["rules"]]
    return Widget(metadata=ObjectMeta(**data["metadata"]), spec=GadgetSpec(**spec | {"ports": ports, "rules": rules}))


class Works:
    """The works, on typed objects."""

    def __init__(self) -> None:
        self.client = Client.connect()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()

    async def warm_up(self, namespace: str) -> None:
        """Connect."""
        await self.client.list(Gadget, namespace=namespace, limit=1)

    async def list_custom(self, namespace: str) -> list[Gadget]:
        """List the custom resources."""
        return await self.client.list(Gadget, namespace=namespace)

    async def list_pods(self, namespace: str) -> list[core_v1.Pod]:
        """List the pods."""
        return await self.client.list(core_v1.Pod, namespace=namespace)

    def watch_custom(self, namespace: str, version: str) -> AsyncIterator[WatchEvent[Gadget]]:
        """Watch the custom resources."""
        return self.client.watch(Gadget, namespace=namespace, resource_version=version)

    def watch_pods(self, namespace: str, version: str) -> AsyncIterator[WatchEvent[core_v1.Pod]]:
        """Watch the pods."""
        return self.client.watch(core_v1.Pod, namespace=namespace, resource_version=version)

    async def create(self, namespace: str, name: str) -> Widget:
        """Create a custom resource."""
        return await self.client.create(_widget(sample.custom(sample.CREATED, name, namespace)))

    def name(self, obj: Any) -> str:
        """Return an object's name."""
        return str(obj.metadata.name)

    def event_name(self, event: WatchEvent[Any]) -> str:
        """Return the name of an event's object."""
        return str(event.object.metadata.name)
