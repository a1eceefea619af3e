"""Replicas: keep as many pods as asked for; the one reconciler of ReplicaSets and ReplicationControllers.

The two kinds differ in names and in a field or two, which `ReplicasKind` says. A reconcile claims pods by the selector,
creates what is missing or deletes what is too much, and then writes down what there is. What there is to do, which pods
go, and what the status says are pure functions of the pods.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final, Generic, TypeVar

import msgspec

import konverge as kv
from konverge import clock
from konverge.cluster.controllers.claim import claim
from konverge.cluster.controllers.owned import candidates, controlled
from konverge.cluster.controllers.pod_control import create_pod, delete_pod, is_namespace_terminating
from konverge.cluster.controllers.pod_from_template import new_pod
from konverge.cluster.controllers.pod_order import victims
from konverge.cluster.controllers.pod_state import available_in, is_active, is_available, is_ready, is_terminating
from konverge.cluster.controllers.slow_start import slow_start
from konverge.errors import ApiError, KonvergeError, NotFound
from konverge.models import core_v1

T = TypeVar("T", bound=kv.Object)

_BURST: Final = 500  # pods that are created or deleted in one reconcile
_FAILURE: Final = "ReplicaFailure"


class ReplicasKind(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """What one of the two kinds has of its own."""

    cls: type[T]
    condition: Callable[..., Any]  # makes a condition of its status
    selector: Callable[[T], kv.LabelSelector]
    counts_terminating: bool


class Failed(KonvergeError):
    """Pods could not be created or deleted."""


class ReplicasReconciler(Generic[T]):
    """Keeps the number of pods of one object."""

    def __init__(self, kind: ReplicasKind[T]) -> None:
        self._kind = kind

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Bring the pods to the number asked for, and the status to the pods."""
        try:
            owner: Any = await ctx.client.get(self._kind.cls, request)
        except NotFound:
            return None
        selector = self._kind.selector(owner)
        pods = await candidates(ctx.client, owner, core_v1.Pod)
        active = await claim(
            ctx, owner, filter(is_active, pods), matches=lambda pod: selector.matches(pod.metadata.labels)
        )
        going = [pod for pod in pods if is_terminating(pod) and _is_of(pod, owner, selector)]
        failure: Exception | None = None
        if not owner.metadata.deletion_timestamp:
            active, going, failure = await self._scale(ctx, owner, active, going)
        now = clock.now()
        await self._write_status(ctx, owner, active=active, going=going, failure=failure, now=now)
        if failure is not None:
            raise failure
        return _look_again(owner, active, now)

    # --- pods ---

    async def _scale(
        self, ctx: kv.Context, owner: Any, active: list[core_v1.Pod], going: list[core_v1.Pod]
    ) -> tuple[list[core_v1.Pod], list[core_v1.Pod], Exception | None]:
        """Create or delete; return the pods there are then, those on their way out, and what went wrong."""
        missing = wanted(owner) - len(active)
        if missing > 0:
            created, failure = await slow_start(min(missing, _BURST), lambda _: self._create(ctx, owner))
            return [*active, *(pod for pod in created if pod is not None)], going, failure
        if missing < 0:
            doomed = await self._choose(ctx, owner, active, min(-missing, _BURST))
            failure = await self._delete(ctx, owner, doomed)
            gone = {pod.metadata.uid: None for pod in doomed} if failure is None else {}
            return [pod for pod in active if pod.metadata.uid not in gone], [*going, *(doomed if gone else ())], failure
        return active, going, None

    async def _create(self, ctx: kv.Context, owner: Any) -> core_v1.Pod | None:
        try:
            return await create_pod(ctx, owner, new_pod(owner.spec.template, owner))
        except ApiError as error:
            if is_namespace_terminating(error):
                return None  # no pod can be made here any more, and nobody needs to be told
            raise

    async def _choose(self, ctx: kv.Context, owner: Any, active: list[core_v1.Pod], count: int) -> list[core_v1.Pod]:
        if count >= len(active):
            return active
        return victims(active, count, related=await self._related(ctx, owner, active), now=clock.now())

    async def _related(self, ctx: kv.Context, owner: Any, own: list[core_v1.Pod]) -> Sequence[core_v1.Pod]:
        """The pods of all that share the owner's controller: of one Deployment, the old ReplicaSets' too."""
        reference = kv.controller_of(owner)
        if reference is None:
            return own
        siblings = await ctx.client.list(self._kind.cls, namespace=owner.metadata.namespace)
        related = list(own)
        for each in siblings:
            above = kv.controller_of(each)
            if above is not None and above.uid == reference.uid and each.metadata.uid != owner.metadata.uid:
                related += await controlled(ctx.client, each, core_v1.Pod)
        return related

    async def _delete(self, ctx: kv.Context, owner: Any, doomed: list[core_v1.Pod]) -> Exception | None:
        results = await asyncio.gather(*map(partial(self._delete_one, ctx, owner), doomed))
        return next((error for error in results if error is not None), None)

    async def _delete_one(self, ctx: kv.Context, owner: Any, pod: core_v1.Pod) -> Exception | None:
        try:
            await delete_pod(ctx, owner, pod)
        except ApiError as error:
            return Failed(f"unable to delete pods: {error.message}")
        return None

    # --- status ---

    async def _write_status(
        self,
        ctx: kv.Context,
        owner: Any,
        *,
        active: list[core_v1.Pod],
        going: list[core_v1.Pod],
        failure: Exception | None,
        now: datetime,
    ) -> None:
        status = owner.status
        labels = kv.LabelSelector.from_labels((owner.spec.template.metadata or kv.ObjectMeta()).labels or {})
        ready = [pod for pod in active if is_ready(pod)]
        status.replicas = len(active)
        status.fully_labeled_replicas = _count(sum(labels.matches(pod.metadata.labels) for pod in active))
        status.ready_replicas = _count(len(ready))
        status.available_replicas = _count(
            sum(is_available(pod, owner.spec.min_ready_seconds or 0, now) for pod in ready)
        )
        if self._kind.counts_terminating:
            status.terminating_replicas = len(going)
        status.conditions = self._conditions(owner, len(active), failure, now)
        status.observed_generation = owner.metadata.generation
        if kv.has_changes(owner):
            # A patch: whoever scales at this moment does not make counting fail.
            await ctx.client.status.patch(owner)

    def _conditions(self, owner: Any, there: int, failure: Exception | None, now: datetime) -> list[Any] | None:
        conditions = [each for each in owner.status.conditions or () if failure is not None or each.type != _FAILURE]
        if failure is not None and not any(each.type == _FAILURE for each in conditions):
            conditions.append(
                self._kind.condition(
                    type=_FAILURE,
                    status="True",
                    reason="FailedCreate" if there < wanted(owner) else "FailedDelete",
                    message=failure.message if isinstance(failure, ApiError) else str(failure),
                    last_transition_time=now.replace(microsecond=0),
                )
            )
        return conditions or None


def wanted(owner: Any) -> int:
    """Return the number of pods that are asked for."""
    return 1 if owner.spec.replicas is None else int(owner.spec.replicas)


def _is_of(pod: core_v1.Pod, owner: kv.Object, selector: kv.LabelSelector) -> bool:
    reference = kv.controller_of(pod)
    return reference is not None and reference.uid == owner.metadata.uid and selector.matches(pod.metadata.labels)


def _count(number: int) -> int | None:
    """A count as Go writes it: none is left out."""
    return number or None


def _look_again(owner: Any, active: list[core_v1.Pod], now: datetime) -> kv.Result | None:
    """Pods become available by waiting, where they must have been ready for a time."""
    soon = available_in(active, owner.spec.min_ready_seconds or 0, now)
    return None if soon is None else kv.Result(requeue_after=soon)
