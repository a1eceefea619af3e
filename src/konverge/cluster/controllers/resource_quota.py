"""ResourceQuotas: `status.hard` is what the quota asks for, `status.used` what the namespace's objects use of it.

The API server charges what is created, so that no two writes take the last of something. This controller counts: at
the first sight of a quota, when something of what it limits goes or shrinks, and every five minutes. It watches the
kinds that some quota limits, and no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from konverge import clock
from konverge.api.form import Kind, form_of, metadata_only, unstructured
from konverge.api.kind import GroupResource
from konverge.api.object import Object
from konverge.api.quantity import Quantity
from konverge.api.quota import Amounts, Evaluator, evaluator_of, quota_used
from konverge.builder import new_controller
from konverge.client.client import Client
from konverge.client.ignore import ignore_not_found
from konverge.controller import Context, Controller, CreateEvent, Event, KindSource, Request, Result, UpdateEvent
from konverge.manager import Manager
from konverge.models import core_v1, resource_v1

NAME: Final = "resourcequota-controller"
_RESYNC: Final = 300.0
_COUNT: Final = "count/"

# What is measured by more than its number has to be read whole.
_MEASURED: Final[Mapping[GroupResource, Kind[Any]]] = {
    GroupResource("", "pods"): core_v1.Pod,
    GroupResource("", "services"): core_v1.Service,
    GroupResource("", "persistentvolumeclaims"): core_v1.PersistentVolumeClaim,
    GroupResource("resource.k8s.io", "resourceclaims"): resource_v1.ResourceClaim,
}
_NUMBERED: Final[Mapping[GroupResource, Kind[Any]]] = {
    GroupResource("", "configmaps"): metadata_only(core_v1.ConfigMap),
    GroupResource("", "resourcequotas"): metadata_only(core_v1.ResourceQuota),
    GroupResource("", "replicationcontrollers"): metadata_only(core_v1.ReplicationController),
    GroupResource("", "secrets"): metadata_only(core_v1.Secret),
}


def add_to(manager: Manager) -> None:
    """Register the controller."""
    reconciler = QuotaReconciler(manager)
    reconciler.controller = (
        new_controller(manager)
        .named(NAME)
        .for_(core_v1.ResourceQuota)
        .with_options(max_concurrent_reconciles=5)
        .complete(reconciler)
    )


class QuotaReconciler:
    """Counts for one quota."""

    controller: Controller

    def __init__(self, manager: Manager) -> None:
        self._cache = manager.cache
        self._watched: dict[GroupResource, Kind[Any]] = {}
        self._limited: dict[Request, list[GroupResource]] = {}  # what each quota limits

    async def reconcile(self, ctx: Context, request: Request) -> Result | None:
        """Count, and say so if it is news."""
        quota = await ignore_not_found(ctx.client.get(core_v1.ResourceQuota, request))
        if quota is None:
            self._limited.pop(request, None)
            return None
        self._limited[request] = limited(quota)
        kinds = {
            evaluator: kind
            for resource in limited(quota)
            if (evaluator := evaluator_of(resource.group, resource.resource))
            and (kind := await self._watch(ctx.live, resource, evaluator))
        }
        await self._count(ctx, quota, kinds)
        return Result(requeue_after=_RESYNC)

    async def _count(self, ctx: Context, quota: core_v1.ResourceQuota, kinds: Mapping[Evaluator, Kind[Any]]) -> None:
        objects = {
            evaluator: [each.to_dict() for each in await ctx.client.list(kind, namespace=quota.metadata.namespace)]
            for evaluator, kind in kinds.items()
        }
        counted = {name: str(amount) for name, amount in quota_used(quota.to_dict(), objects, clock.now()).items()}
        hard = dict(quota.spec.hard or {})
        # What cannot be counted (no such kind is served) keeps what it had.
        used = {name: amount for name, amount in ((quota.status.used or {}) | counted).items() if name in hard}
        if _same(quota.status.hard, hard) and _same(quota.status.used, used):
            return
        quota.status.hard, quota.status.used = hard, used
        await ctx.client.status.update(quota)

    # --- what wakes it ---

    async def _watch(self, live: Client, resource: GroupResource, evaluator: Evaluator) -> Kind[Any] | None:
        """Watch a kind, if nobody has asked for it before; return in which form, or None if it is not served."""
        if resource not in self._watched:
            kind = _MEASURED.get(resource) or _NUMBERED.get(resource) or await _found(live, resource)
            if kind is None:
                return None
            self._watched[resource] = kind
            self.controller.watch(KindSource(self._cache, kind, _Shrinking(self, resource, evaluator)))
        return self._watched[resource]

    def quotas_of(self, namespace: str, resource: GroupResource) -> Iterator[Request]:
        """Yield the quotas of a namespace that limit something of a kind."""
        for request, resources in self._limited.items():
            if request.namespace == namespace and resource in resources:
                yield request


class _Shrinking:
    """The handler of one kind: what goes, uses less or changes its scope may leave room. What comes was charged."""

    def __init__(self, reconciler: QuotaReconciler, resource: GroupResource, evaluator: Evaluator) -> None:
        self._reconciler = reconciler
        self._resource = resource
        self._evaluator = evaluator

    def requests(self, event: Event[Object]) -> Iterable[Request]:
        """Return the quotas to count again."""
        quotas = tuple(self._reconciler.quotas_of(event.key.namespace, self._resource))
        return quotas if quotas and self._matters(event) else ()

    def _matters(self, event: Event[Object]) -> bool:
        if isinstance(event, UpdateEvent):
            before, after = (self._facts(each) for each in (event.old, event.new))
            return before != after
        return not isinstance(event, CreateEvent)

    def _facts(self, found: Object) -> tuple[Amounts, object]:
        value = found.to_dict()
        return self._evaluator.usage(value, clock.now()), self._evaluator.scope_facts(value)


def limited(quota: core_v1.ResourceQuota) -> list[GroupResource]:
    """Return the kinds of which a quota limits something."""
    hard = quota.spec.hard or {}
    named = [_parse(name) for name in hard if name.startswith(_COUNT)]
    usual = [
        resource
        for resource in (*_MEASURED, *_NUMBERED)
        if (evaluator := evaluator_of(resource.group, resource.resource)) and evaluator.tracked(hard)
    ]
    return list(dict.fromkeys((*usual, *named)))


def _parse(name: str) -> GroupResource:
    """Read "count/deployments.apps"."""
    plural, _, group = name.removeprefix(_COUNT).partition(".")
    return GroupResource(group, plural)


async def _found(live: Client, resource: GroupResource) -> Kind[Any] | None:
    served = await live.served_kinds()
    for kind in served.preferred():
        if kind.resource.group_resource == resource and kind.resource.namespaced and kind.allows("list", "watch"):
            return metadata_only(form_of(unstructured(kind.resource.api_version, kind.resource.kind)))
    return None


def _same(have: Mapping[str, str] | None, want: Mapping[str, str]) -> bool:
    """Whether two lists of amounts are the same, however they are spelled; an absent one is not an empty one."""
    return have is not None and _amounts(have) == _amounts(want)


def _amounts(given: Mapping[str, str]) -> dict[str, Quantity]:
    return {name: Quantity(amount) for name, amount in given.items()}
