"""The finalizer of pods that no job will count any more: their job is gone, has ended, or has let them go."""

from __future__ import annotations

import konverge as kv
from konverge.api.model import encode
from konverge.api.request import STRATEGIC_MERGE_PATCH
from konverge.cluster.controllers.job.ending import is_finished
from konverge.cluster.controllers.job.member import TRACKING, is_tracked
from konverge.cluster.controllers.job.reconciler import is_managed_elsewhere
from konverge.models import batch_v1, core_v1


class OrphanReconciler:
    """Takes the tracking finalizer off pods that it would keep for ever."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> None:
        """Look at one pod."""
        pod = await kv.ignore_not_found(ctx.client.get(core_v1.Pod, request))
        if pod is None or not is_tracked(pod) or await _is_awaited(ctx, pod):
            return
        patch = {"metadata": {"uid": pod.metadata.uid, "$deleteFromPrimitiveList/finalizers": [TRACKING]}}
        await kv.ignore_not_found(ctx.client.patch(pod, kv.RawPatch(STRATEGIC_MERGE_PATCH, encode(patch))))


async def _is_awaited(ctx: kv.Context, pod: core_v1.Pod) -> bool:
    """Whether somebody will count the pod: a job that goes on, or a controller that is not ours."""
    owner = kv.controller_of(pod)
    if owner is None:
        return False
    if (owner.api_version, owner.kind) != ("batch/v1", "Job"):
        return True
    namespace = pod.metadata.namespace
    job = await kv.ignore_not_found(ctx.client.get(batch_v1.Job, owner.name, namespace=namespace))
    if job is None or job.metadata.uid != owner.uid:
        return False
    return is_managed_elsewhere(job) or not is_finished(job)
