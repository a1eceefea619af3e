"""DisruptionReconciler: looks at a budget's pods and writes down how many of them may go."""

from __future__ import annotations

import copy
from typing import Final

import konverge as kv
from konverge import clock
from konverge.client.ignore import ignore_not_found
from konverge.cluster.controllers.disruption import allowance
from konverge.cluster.controllers.disruption.scale import NoScale, Scale, scale_of
from konverge.cluster.controllers.disruption.selected import pods_of
from konverge.cluster.controllers.selector_text import selector_text
from konverge.errors import ApiError
from konverge.models import core_v1, policy_v1

_UNMANAGED: Final = (
    "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a result, the status of "
    "the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please "
    'set ".spec.minAvailable" field of the PDB to an integer value.'
)


class DisruptionReconciler:
    """Reconciles PodDisruptionBudgets."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Bring the status up to date; look again when an eviction that was granted should have happened."""
        budget = await ignore_not_found(ctx.client.get(policy_v1.PodDisruptionBudget, request))
        if budget is None:
            return None
        before = copy.deepcopy(budget.status)
        pods = await pods_of(ctx.client, budget)
        if not pods:
            ctx.recorder.normal(budget, "NoPods", "No matching pods found")
        try:
            scale = await self._scale(ctx, budget, pods)
        except (NoScale, ApiError) as error:
            allowance.set_failure(budget, str(error))
            recheck = None
        else:
            recheck = self._judge(ctx, budget, pods, scale)
        if budget.status != before:
            await ctx.client.status.update(budget)
        return recheck

    async def _scale(self, ctx: kv.Context, budget: policy_v1.PodDisruptionBudget, pods: list[core_v1.Pod]) -> int:
        if not allowance.needs_scale(budget):
            return 0
        try:
            scale: Scale = await scale_of(ctx.client, pods)
        except (NoScale, ApiError) as error:
            text = f"Failed to calculate the number of expected pods: {error}"
            ctx.recorder.warning(budget, "CalculateExpectedPodCountFailed", text)
            raise
        if scale.unmanaged:
            ctx.recorder.warning(budget, "UnmanagedPods", _UNMANAGED.format(selector_text(budget.spec.selector)))
        return scale.pods

    def _judge(
        self, ctx: kv.Context, budget: policy_v1.PodDisruptionBudget, pods: list[core_v1.Pod], scale: int
    ) -> kv.Result | None:
        now = clock.now()
        evicted = allowance.still_evicted(pods, budget.status.disrupted_pods, now=now)
        for pod in evicted.overdue:
            by = budget.metadata.namespace  # twice, as the real one has it
            ctx.recorder.warning(pod, "NotDeleted", f"Pod was expected by PDB {by}/{by} to be deleted but it wasn't")
        allowance.set_status(
            budget,
            allowance.expected(budget, present=len(pods), scale=scale),
            healthy_now=allowance.healthy(pods, evicted.pods),
            evicted=evicted.pods,
        )
        if evicted.recheck_at is None:
            return None
        return kv.Result(requeue_after=max(1.0, (evicted.recheck_at - now).total_seconds()))
