"""managedFields of a scale subresource: who owns the number of replicas, seen through the Scale and put back.

A Scale shows the parent's owners of its replicas as owners of `.spec.replicas`. After a write to the Scale, whoever
does not own it any more loses it in the parent, and whoever came to own it gets an entry of their own there, without a
time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from konverge.cluster.apiserver.apply import managed
from konverge.cluster.apiserver.apply.custom import custom_types
from konverge.cluster.apiserver.apply.field_manager import FieldManager
from konverge.cluster.apiserver.apply.field_set import Path, difference, has, of_paths
from konverge.cluster.apiserver.apply.managed import Managed, Owned

API_VERSION: Final = "autoscaling/v1"
_REPLICAS: Final[Path] = ("f:spec", "f:replicas")
_NUMBER: Final = {"type": "integer"}
_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "spec": {"type": "object", "properties": {"replicas": _NUMBER}},
        "status": {"type": "object", "properties": {"replicas": _NUMBER, "selector": {"type": "string"}}},
    },
}

Entries = list[dict[str, Any]]


def scale_field_manager() -> FieldManager:
    """Return the field manager of the Scale that is the subresource of any kind."""
    empty = {"metadata": {}, "spec": {}, "status": {"replicas": 0}}
    types = custom_types("autoscaling", {"v1": _SCHEMA})
    return FieldManager(kind="Scale", api_version=API_VERSION, types=types, empty=empty)


class ScaleFields:
    """The owners of a parent's replicas.

    `replicas` has, for every API version of the parent, the path of its replicas (`spec.replicas`), or None where that
    version has no scale. Owners in a version that is not there are dropped.
    """

    def __init__(self, parent: Entries, api_version: str, replicas: Mapping[str, str | None]) -> None:
        self._parent = managed.decode_own(parent)
        self._api_version = api_version
        self._paths = {version: _path(path) if path else None for version, path in replicas.items()}

    def to_scale(self) -> Entries:
        """Return the managedFields of the Scale."""
        found: Managed = {}
        for owner, owned in self._parent.items():
            path = self._paths.get(owned.api_version)
            if path and has(owned.fields, path):
                found[owner] = Owned(of_paths(_REPLICAS), API_VERSION, owned.time)
        return managed.encode(found)

    def to_parent(self, scale: Entries) -> Entries:
        """Return the managedFields of the parent, given those of the Scale after a write."""
        owners = managed.decode_own(scale)
        found: Managed = {}
        for owner, owned in self._parent.items():
            if owned.api_version not in self._paths:
                continue
            path = self._paths[owned.api_version]
            kept = not path or not has(owned.fields, path) or owner in owners
            if not path or kept:
                found[owner] = owned
                if path and has(owned.fields, path):
                    del owners[owner]
                continue
            rest = difference(owned.fields, of_paths(path))
            if rest:
                found[owner] = owned.with_fields(rest)
        own = self._paths[self._api_version]
        for owner, owned in owners.items():
            if own and has(owned.fields, _REPLICAS):
                time = self._parent[owner].time if owner in self._parent else ""
                found[owner] = Owned(of_paths(own), self._api_version, time)
        return managed.encode(found)


def _path(text: str) -> Path:
    return tuple(f"f:{name}" for name in text.removeprefix(".").split("."))
