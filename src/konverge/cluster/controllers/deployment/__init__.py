"""Deployments: from one template to the next, a few pods at a time, and back again.

`reconciler` does the writing. What it writes is decided by pure functions: `revision` (which ReplicaSet is the new one,
and what its annotations say), `sizes` (how many pods each may have), `rollout_status` (what the status says of it).
"""

from __future__ import annotations

from typing import Final

import konverge as kv
from konverge.cluster.controllers.deployment.reconciler import DeploymentReconciler
from konverge.cluster.controllers.orphans import EnqueueSelecting
from konverge.cluster.controllers.selecting import selector_of
from konverge.manager import Manager
from konverge.models import apps_v1

_WORKERS: Final = 5


def add_to(manager: Manager) -> None:
    """Register the controller."""
    orphans = EnqueueSelecting(manager.client, apps_v1.Deployment, lambda each: selector_of(each.spec.selector))
    kv.new_controller(manager).named("deployment-controller").for_(apps_v1.Deployment).owns(apps_v1.ReplicaSet).watches(
        apps_v1.ReplicaSet, orphans
    ).with_options(max_concurrent_reconciles=_WORKERS).complete(DeploymentReconciler())
