"""Stateful sets: pods with a number, a name and volumes of their own, as statefulset-controller keeps them.

`identity` says what a pod of a number is, `claims` what volumes it has and who owns them, `decision` what to do next,
`status` how it stands; all pure. `history` keeps the revisions, `steps` does what was decided, and `reconciler` reads,
asks, and writes.
"""

from __future__ import annotations

import konverge as kv
from konverge.cluster.controllers.orphans import EnqueueSelecting
from konverge.cluster.controllers.selecting import selector_of
from konverge.cluster.controllers.stateful_set.reconciler import StatefulSetReconciler
from konverge.manager import Manager
from konverge.models import apps_v1, core_v1


def add_to(manager: Manager) -> None:
    """Register the controller."""
    selecting = EnqueueSelecting(
        manager.client, apps_v1.StatefulSet, lambda stateful_set: selector_of(stateful_set.spec.selector)
    )
    (
        kv.new_controller(manager)
        .named("statefulset-controller")
        .for_(apps_v1.StatefulSet)
        .owns(core_v1.Pod)
        .watches(core_v1.Pod, selecting)
        .with_options(max_concurrent_reconciles=5)
        .complete(StatefulSetReconciler())
    )
