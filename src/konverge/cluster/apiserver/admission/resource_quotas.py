"""ResourceQuotas: charges a write to the quotas of its namespace, or refuses it.

It is the last to be asked, and between its answer and the write of the object nothing else happens: so what is charged
is written together with what it is charged for. A quota counts by its status; the quota controller sets what is hard
there, and gives back what deletions free.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from konverge.api.quota import Evaluator, amounts, evaluator_of
from konverge.api.quota.amounts import Amounts
from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver.admission.attributes import Attributes, GroupVersionKind, Operation
from konverge.cluster.apiserver.admission.kept import Kept
from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.storage import Storage, Stored
from konverge.cluster.apiserver.strategy import JsonObject

_PREFIX: Final = "/core/resourcequotas/"
_MANAGER: Final = "kube-apiserver"
_WRITES: Final = (Operation.CREATE, Operation.UPDATE)
_NAMESPACE: Final = GroupVersionKind("", "v1", "Namespace")


@dataclass(frozen=True, slots=True)
class _Quota:
    """A quota as it stands."""

    stored: Stored
    value: JsonObject

    @property
    def name(self) -> str:
        name: str = self.value["metadata"]["name"]
        return name

    def amounts(self, which: str) -> Amounts:
        return amounts.read((self.value.get("status") or {}).get(which))


class ResourceQuotas:
    """The plugin ResourceQuota."""

    def __init__(self, storage: Storage, resources: Resources) -> None:
        self._storage = storage
        self._resources = resources
        self._is_any = Kept(lambda: bool(storage.range(_PREFIX, limit=1).items), ("", "resourcequotas"))

    @property
    def is_active(self) -> bool:
        """Whether there is any quota."""
        return self._is_any.value

    def changed(self, resource: Resource) -> None:
        """Take note of a write."""
        self._is_any.changed(resource)

    async def validate(self, attributes: Attributes) -> None:
        """Charge a write, or refuse it: every quota that is about it must have room."""
        value = attributes.value
        if value is None or not attributes.namespace or attributes.operation not in _WRITES:
            return
        evaluator = evaluator_of(attributes.resource.group, attributes.resource.plural)
        if evaluator is None or attributes.kind == _NAMESPACE:
            return
        if not evaluator.handles(value, attributes.old, subresource=attributes.subresource):
            return
        charge = _Charge(attributes, evaluator, now())
        used = [(quota, charge.used(quota)) for quota in self._quotas(attributes.namespace)]
        if not attributes.is_dry_run and not self._is_taken(attributes):
            for quota, amount in used:
                if amount is not None and amount != quota.amounts("used"):
                    self._write(quota, amount)

    def _is_taken(self, attributes: Attributes) -> bool:
        """Whether a create will fail because its name is taken: nothing is charged for that."""
        if attributes.operation is not Operation.CREATE or attributes.subresource:
            return False
        name = (attributes.value or {}).get("metadata", {}).get("name", "")
        return self._storage.newest(attributes.resource.key(attributes.namespace, name)) is not None

    def _quotas(self, namespace: str) -> list[_Quota]:
        newest = [self._storage.newest(each.key) for each in self._storage.range(f"{_PREFIX}{namespace}/").items]
        return [_Quota(each, msgspec.json.decode(each.value)) for each in newest if each is not None]

    def _write(self, quota: _Quota, used: Amounts) -> None:
        """Write what is used; its write is durable before any later one is, so that nobody has to wait for it."""
        resource = self._resources.find("", "v1", "resourcequotas")
        if resource is None:
            return
        value: JsonObject = msgspec.json.decode(quota.stored.value)
        value["status"] = {**(value.get("status") or {}), "used": amounts.written(used)}
        manager = resource.strategy.field_manager
        if manager is not None:
            time = format_time(now())
            value = manager.update(quota.value, value, manager=_MANAGER, time=time, subresource="status")
        self._storage.put(quota.stored.key, lambda revision: _numbered(value, revision), based_on=quota.stored.revision)


def _numbered(value: JsonObject, revision: int) -> bytes:
    value["metadata"]["resourceVersion"] = str(revision)
    return msgspec.json.encode(value)


@dataclass(frozen=True, slots=True)
class _Charge:
    """One write as quotas see it."""

    attributes: Attributes
    evaluator: Evaluator
    moment: datetime

    def used(self, quota: _Quota) -> Amounts | None:
        """Return what a quota's namespace uses with this write; None where the quota is not about it."""
        attributes, evaluator = self.attributes, self.evaluator
        value, hard = attributes.value or {}, quota.amounts("hard")
        if not evaluator.matches(quota.value, value):
            return None
        limited = evaluator.tracked(hard)
        if missing := evaluator.missing(limited, value):
            raise attributes.forbidden(f"failed quota: {quota.name}: {missing}")
        used = quota.amounts("used")
        if any(name not in used for name in limited):
            raise attributes.forbidden(f"status unknown for quota: {quota.name}, resources: {','.join(limited)}")
        requested = amounts.masked(amounts.without_zeros(self._gained(quota)), hard)
        total = amounts.added(used, requested)
        if attributes.subresource != "status":
            self._check(quota.name, requested, used=used, hard=hard)
        return total

    def _gained(self, quota: _Quota) -> Amounts:
        """Return how much more is used than before, of an object that counted for the quota before."""
        value, old = self.attributes.value or {}, self.attributes.old
        usage = self.evaluator.usage(value, self.moment)
        negative = sorted(name for name, amount in usage.items() if amount < 0)
        if negative:
            raise self.attributes.forbidden(f"quota usage is negative for resource(s): {','.join(negative)}")
        if old is None or not self.evaluator.matches(quota.value, old):
            return usage
        return amounts.gained(usage, self.evaluator.usage(old, self.moment))

    def _check(self, name: str, requested: Amounts, *, used: Amounts, hard: Amounts) -> None:
        total = amounts.masked(amounts.added(used, requested), requested)
        if exceeded := amounts.exceeding(total, hard):
            parts = (amounts.shown(amounts.masked(each, exceeded)) for each in (requested, used, hard))
            asked, taken, limit = parts
            raise self.attributes.forbidden(
                f"exceeded quota: {name}, requested: {asked}, used: {taken}, limited: {limit}"
            )
