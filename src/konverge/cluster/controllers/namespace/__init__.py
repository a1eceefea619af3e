"""Namespace deletion: empties a namespace that is being deleted, pods first, and then lets it go.

Pods go first because others may rest on what is deleted next: their network policies, their secrets. What is left, and
why, stands in the namespace's conditions.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from konverge import clock
from konverge.builder import new_controller
from konverge.client.client import Client
from konverge.client.ignore import ignore_not_found
from konverge.client.served import ServedKind
from konverge.cluster.controllers.namespace.content import PODS, delete_kind, grace_seconds
from konverge.cluster.controllers.namespace.outcome import Outcome, discovery_failure, set_conditions
from konverge.controller import Context, Request, Result
from konverge.controller.event import Event
from konverge.errors import ApiError, KonvergeError
from konverge.manager import Manager
from konverge.models import core_v1
from konverge.queue import Bucket, Exponential, MaxOf

NAME: Final = "namespace-controller"
_OURS: Final = "kubernetes"  # the finalizer in a namespace's spec that is this controller's to remove
_GRACE: Final = 5.0  # seconds for writes under way, which began before the namespace was closed, to show
_LONGEST_RETRY: Final = 60.0


def add_to(manager: Manager) -> None:
    """Register the controller."""
    (
        new_controller(manager)
        .named(NAME)
        .for_(core_v1.Namespace, predicates=[_is_ending])
        .with_options(max_concurrent_reconciles=10, rate_limiter=MaxOf(Exponential(maximum=_LONGEST_RETRY), Bucket()))
        .complete(NamespaceReconciler())
    )


def _is_ending(event: Event[core_v1.Namespace]) -> bool:
    return event.metadata.deletion_timestamp is not None


class ContentRemains(KonvergeError):
    """Something kept a namespace from being emptied; it is tried again."""


class NamespaceReconciler:
    """Empties one namespace."""

    async def reconcile(self, ctx: Context, request: Request) -> Result | None:
        """Delete what is in the namespace; when nothing is left, take our finalizer off."""
        namespace = await ignore_not_found(ctx.live.get(core_v1.Namespace, request.name))
        if namespace is None or namespace.metadata.deletion_timestamp is None or not _finalizers(namespace):
            return None
        since = (clock.now() - namespace.metadata.deletion_timestamp).total_seconds()
        if -_GRACE < since < _GRACE:  # further in the future: clocks disagree, and nobody is to wait for that
            return Result(requeue_after=_GRACE - since)
        await _mark_terminating(ctx.live, namespace)
        outcome = Outcome()
        counted = await _empty(ctx.live, namespace, outcome=outcome)
        await _tell(ctx.live, namespace, outcome=outcome, counted=counted)
        if outcome.failed:
            raise ContentRemains("; ".join(filter(None, (outcome.undiscovered, *outcome.failures))))
        if outcome.left:
            return Result(requeue_after=outcome.seconds // 2 + 1)
        await _let_go(ctx.live, namespace)
        return None


def _finalizers(namespace: core_v1.Namespace) -> list[str]:
    return list((namespace.spec and namespace.spec.finalizers) or ())


async def _mark_terminating(live: Client, namespace: core_v1.Namespace) -> None:
    """Say that it ends, should whoever deleted it not have."""
    status = namespace.status = namespace.status or core_v1.NamespaceStatus()
    if status.phase != "Terminating":
        status.phase = "Terminating"
        await live.status.update(namespace)


async def _empty(live: Client, namespace: core_v1.Namespace, *, outcome: Outcome) -> bool:
    """Delete everything, pods first; return whether it came further than the pods."""
    kinds = await _kinds(live, outcome)
    name = namespace.metadata.name or ""
    deleted_at = namespace.metadata.deletion_timestamp or clock.now()
    pods = next((kind for kind in kinds if kind.resource.group_version_resource == PODS), None)
    if pods is not None:
        seconds = await _grace_of_pods(live, name, deleted_at=deleted_at)
        await delete_kind(live, pods, namespace=name, outcome=outcome, seconds=seconds)
        if PODS in outcome.left:
            return False
    for kind in kinds:
        if kind is not pods:
            await delete_kind(live, kind, namespace=name, outcome=outcome)
    return True


async def _grace_of_pods(live: Client, namespace: str, *, deleted_at: datetime) -> int:
    pods = await live.list(core_v1.Pod, namespace=namespace)
    return grace_seconds(pods, deleted_at=deleted_at, now=clock.now())


async def _kinds(live: Client, outcome: Outcome) -> list[ServedKind]:
    """Return the kinds of objects that a namespace can have; those that cannot be asked about keep it."""
    try:
        served = await live.served_kinds()
    except ApiError as error:
        outcome.undiscovered = error.message
        return []
    outcome.undiscovered = discovery_failure(served.failed)
    return [kind for kind in served.preferred() if kind.resource.namespaced and kind.allows("delete")]


async def _tell(live: Client, namespace: core_v1.Namespace, *, outcome: Outcome, counted: bool) -> None:
    status = namespace.status = namespace.status or core_v1.NamespaceStatus()
    if set_conditions(status, outcome, counted=counted, now=clock.now()):
        await live.status.update(namespace)


async def _let_go(live: Client, namespace: core_v1.Namespace) -> None:
    """Take our finalizer off; without another the namespace is gone then."""
    if _OURS not in _finalizers(namespace):
        return
    spec = namespace.spec = namespace.spec or core_v1.NamespaceSpec()
    spec.finalizers = sorted(each for each in _finalizers(namespace) if each != _OURS)
    await ignore_not_found(live.subresource("finalize").update(namespace))
