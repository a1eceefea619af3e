"""PodDisruptionBudgets: how many pods may be evicted now, kept in the status that the eviction API counts down."""

from __future__ import annotations

from typing import Final

import konverge as kv
from konverge.cluster.controllers.disruption.reconciler import DisruptionReconciler
from konverge.cluster.controllers.disruption.selected import EnqueueBudgets
from konverge.cluster.controllers.disruption.stale_target import clear_stale_target
from konverge.manager import Manager
from konverge.models import core_v1, policy_v1

NAME: Final = "disruption-controller"


def add_to(manager: Manager) -> None:
    """Register the controller, and the one that takes back the announcement of a disruption that never came."""
    budgets = kv.new_controller(manager).named(NAME).for_(policy_v1.PodDisruptionBudget)
    budgets.watches(core_v1.Pod, EnqueueBudgets(manager.client)).complete(DisruptionReconciler())
    kv.new_controller(manager).named(f"{NAME}-stale-targets").for_(core_v1.Pod).complete(clear_stale_target)
