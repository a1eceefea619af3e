"""Recorder: writes the server's own objects beside a write that is under way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import msgspec

from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.resource import Resources
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject

_MANAGER: Final = "kube-apiserver"
_encode: Final = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Recorder:
    """Stores and removes objects at once; their writes are durable before any later one is."""

    storage: Storage
    resources: Resources
    ids: Ids

    def add(self, plural: str, value: JsonObject) -> None:
        """Store a new object of a cluster-wide kind, where none of its name is there."""
        group, _, version = value["apiVersion"].rpartition("/")
        resource = self.resources.find(group, version, plural)
        if resource is None:
            return
        key, time = resource.key("", value["metadata"]["name"]), format_time(now())
        if self.storage.newest(key) is not None:
            return
        resource.strategy.default(value)
        resource.strategy.prepare_for_create(value)
        manager = getattr(resource.strategy, "field_manager", None)
        if manager is not None:
            value = manager.update(None, value, manager=_MANAGER, subresource="", time=time)
        value["metadata"] |= {"uid": self.ids.uid(), "creationTimestamp": time}
        self.storage.put(key, lambda revision: _numbered(value, revision), based_on=0)

    def remove(self, key: str) -> None:
        """Remove an object; one that is not there is no error."""
        stored = self.storage.newest(key)
        if stored is not None:
            value = msgspec.json.decode(stored.value)
            self.storage.delete(key, lambda revision: _numbered(value, revision), based_on=stored.revision)


def _numbered(value: JsonObject, revision: int) -> bytes:
    value["metadata"]["resourceVersion"] = str(revision)
    return _encode({"kind": value["kind"], "apiVersion": value["apiVersion"], **value})
