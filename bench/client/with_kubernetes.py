"""The official client: `CustomObjectsApi` (dicts) and `CoreV1Api` (its models), in threads where it is concurrent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import sample
from kubernetes import client, config, watch

GADGETS = (sample.GROUP, sample.VERSION)
POOL = 32  # its default, 5 connections per core, would make a new connection for many of the concurrent calls


class Works:
    """The works, as the library's examples do them."""

    def __enter__(self) -> Self:
        config.load_kube_config()
        settings = client.Configuration.get_default_copy()
        settings.connection_pool_maxsize = POOL
        client.Configuration.set_default(settings)
        self.custom = client.CustomObjectsApi()
        self.core = client.CoreV1Api()
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def warm_up(self, namespace: str) -> None:
        """Connect."""
        self.custom.list_namespaced_custom_object(*GADGETS, namespace, sample.plural(sample.LISTED), limit=1)

    def list_custom(self, namespace: str) -> list[dict[str, Any]]:
        """List the custom resources."""
        found = self.custom.list_namespaced_custom_object(*GADGETS, namespace, sample.plural(sample.LISTED))
        items: list[dict[str, Any]] = found["items"]
        return items

    def list_pods(self, namespace: str) -> list[Any]:
        """List the pods."""
        items: list[Any] = self.core.list_namespaced_pod(namespace).items
        return items

    def watch_custom(self, namespace: str, version: str) -> Iterator[dict[str, Any]]:
        """Watch the custom resources."""
        call = self.custom.list_namespaced_custom_object
        where = (*GADGETS, namespace, sample.plural(sample.LISTED))
        events: Iterator[dict[str, Any]] = watch.Watch().stream(call, *where, resource_version=version)
        return events

    def watch_pods(self, namespace: str, version: str) -> Iterator[dict[str, Any]]:
        """Watch the pods."""
        events: Iterator[dict[str, Any]] = watch.Watch().stream(
            self.core.list_namespaced_pod, namespace, resource_version=version
        )
        return events

    def create(self, namespace: str, name: str) -> Any:
        """Create a custom resource."""
        body = sample.custom(sample.CREATED, name, namespace)
        return self.custom.create_namespaced_custom_object(*GADGETS, namespace, sample.plural(sample.CREATED), body)

    def name(self, obj: Any) -> str:
        """Return an object's name."""
        return str(obj["metadata"]["name"] if isinstance(obj, dict) else obj.metadata.name)

    def event_name(self, event: dict[str, Any]) -> str:
        """Return the name of an event's object."""
        return self.name(event["object"])
