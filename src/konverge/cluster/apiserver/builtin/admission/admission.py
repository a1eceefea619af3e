"""Admission: one write as the plugins see it, with what they may look up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from konverge.cluster.apiserver.access.authorization import Authorization
from konverge.cluster.apiserver.access.user import User
from konverge.cluster.apiserver.failure import Failure, forbidden
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """A write that is to be admitted. Plugins change `value` in place, or raise a `Failure`."""

    storage: Storage
    authorization: Authorization
    ids: Ids
    user: User
    resource: Resource
    namespace: str
    value: JsonObject
    old: JsonObject | None = None  # None: a create
    subresource: str = ""
    is_dry_run: bool = False  # known to what gives out ports alone

    @property
    def is_create(self) -> bool:
        """Whether a new object is made."""
        return self.old is None and not self.subresource

    @property
    def spec(self) -> JsonObject:
        """The object's spec."""
        found: JsonObject = self.value.setdefault("spec", {})
        return found

    def find(self, path: str) -> JsonObject | None:
        """Return another object as it stands (`core/serviceaccounts/ns/name`)."""
        stored = self.storage.newest(f"/{path}")
        return None if stored is None else msgspec.json.decode(stored.value)

    def every(self, path: str) -> Iterator[JsonObject]:
        """Yield the objects of a collection (`storage.k8s.io/storageclasses`)."""
        for stored in self.storage.range(f"/{path}/").items:
            yield msgspec.json.decode(stored.value)

    def forbidden(self, why: str) -> Failure:
        """Return the refusal of this write."""
        metadata: dict[str, Any] = self.value["metadata"]
        name = metadata.get("name") or metadata.get("generateName", "")
        return forbidden(self.resource.plural, self.resource.group, name, why)
