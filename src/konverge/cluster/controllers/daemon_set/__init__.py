"""Daemon sets: one pod on each node, as kube-controller-manager's daemonset-controller keeps them.

`fit` says which nodes, `placement` which pods come and go there, `rollout` which old ones give way, `status` how it
stands; all pure. `history` keeps the revisions, and `reconciler` reads, asks them, and writes.
"""

from __future__ import annotations

from typing import Any

import konverge as kv
from konverge.cluster.controllers.daemon_set.reconciler import DaemonSetReconciler
from konverge.cluster.controllers.orphans import EnqueueSelecting
from konverge.cluster.controllers.selecting import selector_of
from konverge.controller.event import Event
from konverge.manager import Manager
from konverge.models import apps_v1, core_v1


def add_to(manager: Manager) -> None:
    """Register the controller."""
    selecting = EnqueueSelecting(
        manager.client, apps_v1.DaemonSet, lambda daemon_set: selector_of(daemon_set.spec.selector)
    )

    async def all_daemon_sets(_node: core_v1.Node) -> list[kv.ObjectMeta]:
        return [daemon_set.metadata for daemon_set in await manager.client.list(apps_v1.DaemonSet)]

    (
        kv.new_controller(manager)
        .named("daemonset-controller")
        .for_(apps_v1.DaemonSet)
        .owns(core_v1.Pod)
        .watches(core_v1.Pod, selecting)
        .watches(core_v1.Node, all_daemon_sets, predicates=_may_fit_otherwise)
        .with_options(max_concurrent_reconciles=2)
        .complete(DaemonSetReconciler())
    )


def _may_fit_otherwise(event: Event[Any]) -> bool:
    """Whether a node came, went, or has other labels or taints; its heartbeats are none of our concern."""
    if not isinstance(event, kv.UpdateEvent):
        return True
    old, new = event.old, event.new
    return (old.metadata.labels, old.spec.taints) != (new.metadata.labels, new.spec.taints)
