"""ReplicaSets: as many pods of a template as asked for. The work is `replicas`'s; this says what the kind is like."""

from __future__ import annotations

from typing import Final

import konverge as kv
from konverge.cluster.controllers.orphans import EnqueueSelecting
from konverge.cluster.controllers.replicas import ReplicasKind, ReplicasReconciler
from konverge.cluster.controllers.selecting import selector_of
from konverge.manager import Manager
from konverge.models import apps_v1, core_v1

_WORKERS: Final = 5
_KIND: Final = ReplicasKind(
    cls=apps_v1.ReplicaSet,
    condition=apps_v1.ReplicaSetCondition,
    selector=lambda replica_set: selector_of(replica_set.spec.selector),
    counts_terminating=True,
)


def add_to(manager: Manager) -> None:
    """Register the controller."""
    # Not watched for hot loops: that its own pods come and go is its work.
    orphans = EnqueueSelecting(manager.client, _KIND.cls, _KIND.selector)
    kv.new_controller(manager).named("replicaset-controller").for_(apps_v1.ReplicaSet).owns(core_v1.Pod).watches(
        core_v1.Pod, orphans
    ).with_options(max_concurrent_reconciles=_WORKERS, hot_loop_runs=0).complete(ReplicasReconciler(_KIND))
