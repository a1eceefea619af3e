"""HorizontalPodAutoscalerReconciler: keeps a target within its bounds, and says what is missing for more."""

from __future__ import annotations

from typing import Final

import konverge as kv
from konverge import clock
from konverge.client.ignore import ignore_not_found
from konverge.cluster.controllers.horizontal_pod_autoscaler.bounds import Resize, resize
from konverge.cluster.controllers.horizontal_pod_autoscaler.conditions import ABLE, ACTIVE, set_condition
from konverge.cluster.controllers.horizontal_pod_autoscaler.metric_failure import failures, summary
from konverge.cluster.controllers.horizontal_pod_autoscaler.shared_pods import SharedPods
from konverge.cluster.controllers.horizontal_pod_autoscaler.target import NoScale, Target, read_target, resize_target
from konverge.errors import ApiError
from konverge.models import autoscaling_v2

_LOOK_EVERY: Final = 15.0  # seconds; a target of any kind is asked for, not watched

Autoscaler = autoscaling_v2.HorizontalPodAutoscaler


class HorizontalPodAutoscalerReconciler:
    """Reconciles HorizontalPodAutoscalers."""

    def __init__(self) -> None:
        self._shared = SharedPods()

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Look at the target, resize it where its bounds ask for it, and bring the status up to date."""
        autoscaler = await ignore_not_found(ctx.client.get(Autoscaler, request))
        if autoscaler is None:
            self._shared.forget(request)
            return None
        try:
            target = await read_target(ctx.client, autoscaler)
        except NoScale as error:
            ctx.recorder.warning(autoscaler, "FailedGetScale", str(error))
            text = f"the HPA controller was unable to get the target's current scale: {error}"
            set_condition(autoscaler, ABLE, is_met=False, reason="FailedGetScale", message=text)
        else:
            await self._judge(ctx, autoscaler, target)
        if kv.has_changes(autoscaler):
            await ctx.client.status.update(autoscaler)
        return kv.Result(requeue_after=_LOOK_EVERY)

    async def _judge(self, ctx: kv.Context, autoscaler: Autoscaler, target: Target) -> None:
        text = "the HPA controller was able to get the target's current scale"
        set_condition(autoscaler, ABLE, is_met=True, reason="SucceededGetScale", message=text)
        current = target.scale.spec.replicas or 0
        autoscaler.status.current_replicas = current or None  # none is not written
        wanted = resize(autoscaler.spec, current)
        if current == 0:
            text = "scaling is disabled since the replica count of the target is zero"
            set_condition(autoscaler, ACTIVE, is_met=False, reason="ScalingDisabled", message=text)
            _settle(autoscaler, current)
        elif wanted is not None:
            await _resize(ctx, autoscaler, target, wanted)
        else:
            await self._miss_metrics(ctx, autoscaler, target)

    async def _miss_metrics(self, ctx: kv.Context, autoscaler: Autoscaler, target: Target) -> None:
        """Say why nothing better than the current size is known."""
        problem = await self._shared.problem(ctx.client, autoscaler, target.scale.status.selector or "")
        if problem is not None:
            ctx.recorder.warning(autoscaler, problem.event, problem.told)
            set_condition(autoscaler, ACTIVE, is_met=False, reason=problem.reason, message=problem.message)
            autoscaler.status.current_metrics = None
            ctx.recorder.warning(autoscaler, "FailedComputeMetricsReplicas", problem.told)
            return
        missing = failures(autoscaler.spec, autoscaler.metadata.namespace or "")
        for each in missing:
            ctx.recorder.warning(autoscaler, each.reason, each.cause)
        if missing:
            text = f"the HPA was unable to compute the replica count: {missing[0].cause}"
            set_condition(autoscaler, ACTIVE, is_met=False, reason=missing[0].reason, message=text)
        autoscaler.status.current_metrics = [autoscaling_v2.MetricStatus(type="") for _ in missing] or None
        ctx.recorder.warning(autoscaler, "FailedComputeMetricsReplicas", summary(missing))


async def _resize(ctx: kv.Context, autoscaler: Autoscaler, target: Target, wanted: Resize) -> None:
    try:
        await resize_target(ctx.client, target, wanted.replicas)
    except ApiError as error:
        told = f"New size: {wanted.replicas}; reason: {wanted.reason}; error: {error.message}"
        ctx.recorder.warning(autoscaler, "FailedRescale", told)
        text = f"the HPA controller was unable to update the target scale: {error.message}"
        set_condition(autoscaler, ABLE, is_met=False, reason="FailedUpdateScale", message=text)
        autoscaler.status.current_metrics = None
        return
    text = f"the HPA controller was able to update the target scale to {wanted.replicas}"
    set_condition(autoscaler, ABLE, is_met=True, reason="SucceededRescale", message=text)
    told = f"New size: {wanted.replicas}; reason: {wanted.reason}"
    ctx.recorder.normal(autoscaler, "SuccessfulRescale", told)
    autoscaler.status.last_scale_time = clock.now().replace(microsecond=0)
    _settle(autoscaler, wanted.replicas)


def _settle(autoscaler: Autoscaler, replicas: int) -> None:
    autoscaler.status.desired_replicas = replicas
    autoscaler.status.current_metrics = None
