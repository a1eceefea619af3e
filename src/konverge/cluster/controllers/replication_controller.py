"""ReplicationControllers: what ReplicaSets were before they had expressive selectors. The work is `replicas`'s."""

from __future__ import annotations

from typing import Final

import konverge as kv
from konverge.cluster.controllers.orphans import EnqueueSelecting
from konverge.cluster.controllers.replicas import ReplicasKind, ReplicasReconciler
from konverge.cluster.controllers.selecting import selector_of
from konverge.manager import Manager
from konverge.models import core_v1

_WORKERS: Final = 5
_KIND: Final = ReplicasKind(
    cls=core_v1.ReplicationController,
    condition=core_v1.ReplicationControllerCondition,
    selector=lambda controller: selector_of(controller.spec.selector),
    counts_terminating=False,
)


def add_to(manager: Manager) -> None:
    """Register the controller."""
    # Not watched for hot loops: that its own pods come and go is its work.
    orphans = EnqueueSelecting(manager.client, _KIND.cls, _KIND.selector)
    kv.new_controller(manager).named("replicationcontroller-controller").for_(core_v1.ReplicationController).owns(
        core_v1.Pod
    ).watches(core_v1.Pod, orphans).with_options(max_concurrent_reconciles=_WORKERS, hot_loop_runs=0).complete(
        ReplicasReconciler(_KIND)
    )
