"""Jobs: pods that run to their end, as often as asked, as kube-controller-manager's job-controller has them.

`account` says where a job stands, `ending` whether it is to end, `plan` which pods come and go, `tracking` what is
counted; with `indexes`, `backoff` and the two policies all of them pure. `reconciler` reads, asks them, and writes.
`orphans` frees the pods that no job counts any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import konverge as kv
from konverge.cluster.controllers.job.ending import is_finished
from konverge.cluster.controllers.job.member import TRACKING
from konverge.cluster.controllers.job.orphans import OrphanReconciler
from konverge.cluster.controllers.job.reconciler import JobReconciler
from konverge.cluster.controllers.orphans import EnqueueSelecting
from konverge.cluster.controllers.owned import controlled
from konverge.cluster.controllers.selecting import selector_of
from konverge.controller.event import Event
from konverge.controller.handler import Handler, Scheduled
from konverge.manager import Manager
from konverge.models import batch_v1, core_v1

_BATCH: Final = 1.0  # seconds in which the ends of pods are gathered, so that many of them are one run


def add_to(manager: Manager) -> None:
    """Register the controller, and the one for pods that it will not count."""
    selecting = EnqueueSelecting(manager.client, batch_v1.Job, lambda job: selector_of(job.spec.selector))
    (
        kv.new_controller(manager)
        .named("job-controller")
        .for_(batch_v1.Job, predicates=kv.GenerationChanged())
        .watches(batch_v1.Job, Batched(kv.EnqueueRequestForObject()), predicates=~kv.GenerationChanged())
        .watches(core_v1.Pod, Batched(kv.EnqueueRequestForOwner(batch_v1.Job)))
        .watches(core_v1.Pod, Batched(selecting))
        .with_options(max_concurrent_reconciles=5)
        .complete(JobReconciler())
    )
    (
        kv.new_controller(manager)
        .named("job-orphaned-pods")
        .for_(core_v1.Pod, predicates=_may_be_orphaned)
        .watches(batch_v1.Job, PodsOf(manager.client), predicates=_has_ended)
        .complete(OrphanReconciler())
    )


class Batched:
    """Puts off what a handler asks for by a moment, in which more of the same may arrive."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    async def requests(self, event: Event[Any]) -> list[Scheduled]:
        """Return the requests, later."""
        answer = self._handler.requests(event)
        found = answer if isinstance(answer, Iterable) else await answer
        return [each if isinstance(each, Scheduled) else Scheduled(each, after=_BATCH) for each in found]


class PodsOf:
    """The pods that a job controls, if they still have its finalizer."""

    def __init__(self, client: kv.Client) -> None:
        self._client = client

    async def requests(self, event: Event[Any]) -> list[kv.Request]:
        """Return them."""
        pods = await controlled(self._client, event.object, core_v1.Pod)
        return [kv.Request.of(pod.metadata) for pod in pods if kv.has_finalizer(pod, TRACKING)]


def _may_be_orphaned(event: Event[Any]) -> bool:
    """Whether a pod has the finalizer and is deleted, or has no controller: else its job will see to it."""
    metadata = event.metadata
    controlled_by = [reference for reference in metadata.owner_references or () if reference.controller]
    loose = metadata.deletion_timestamp is not None or not controlled_by
    return loose and kv.has_finalizer(event.object, TRACKING)


def _has_ended(event: Event[Any]) -> bool:
    return isinstance(event, kv.DeleteEvent) or is_finished(event.object)
