"""lightkube's blocking client, in threads where it is concurrent: generic resources and models as in the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import sample
from lightkube import Client
from lightkube.generic_resource import create_namespaced_resource
from lightkube.resources.core_v1 import Pod


def _generic(kind: str) -> Any:
    return create_namespaced_resource(sample.GROUP, sample.VERSION, kind, sample.plural(kind))


Gadget = _generic(sample.LISTED)
Widget = _generic(sample.CREATED)


class Works:
    """The works, as the library's documentation does them."""

    def __enter__(self) -> Self:
        self.client = Client()
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def warm_up(self, namespace: str) -> None:
        """Connect."""
        list(self.client.list(Gadget, namespace=namespace, fields={"metadata.name": "nothing"}))

    def list_custom(self, namespace: str) -> list[Any]:
        """List the custom resources."""
        return list(self.client.list(Gadget, namespace=namespace))

    def list_pods(self, namespace: str) -> list[Pod]:
        """List the pods."""
        return list(self.client.list(Pod, namespace=namespace))

    def watch_custom(self, namespace: str, version: str) -> Iterator[tuple[str, Any]]:
        """Watch the custom resources."""
        return iter(self.client.watch(Gadget, namespace=namespace, resource_version=version))

    def watch_pods(self, namespace: str, version: str) -> Iterator[tuple[str, Pod]]:
        """Watch the pods."""
        return iter(self.client.watch(Pod, namespace=namespace, resource_version=version))

    def create(self, namespace: str, name: str) -> Any:
        """Create a custom resource."""
        return self.client.create(Widget.from_dict(sample.custom(sample.CREATED, name, namespace)))

    def name(self, obj: Any) -> str:
        """Return an object's name; a generic resource would build a model of its metadata at each access."""
        return str(obj["metadata"]["name"] if isinstance(obj, dict) else obj.metadata.name)

    def event_name(self, event: tuple[str, Any]) -> str:
        """Return the name of an event's object."""
        return self.name(event[1])
