"""A pod that was announced as the target of a disruption and lives on is told so: the condition is taken back."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import konverge as kv
from konverge import clock
from konverge.client.ignore import ignore_not_found
from konverge.cluster.controllers.pod_state import is_terminal
from konverge.models import core_v1

_STALE_AFTER: Final = timedelta(minutes=2)


async def clear_stale_target(ctx: kv.Context, request: kv.Request) -> kv.Result | None:
    """Take back the condition of a pod that should be on its way out by now."""
    pod = await ignore_not_found(ctx.client.get(core_v1.Pod, request))
    condition = _announced(pod) if pod is not None else None
    if pod is None or condition is None:
        return None
    since = condition.last_transition_time or clock.now()
    wait = (since + _STALE_AFTER - clock.now()).total_seconds()
    if wait > 0:
        return kv.Result(requeue_after=wait)
    condition.status, condition.last_transition_time = "False", clock.now().replace(microsecond=0)
    condition.reason = condition.message = None
    await ctx.client.status.update(pod)
    return None


def _announced(pod: core_v1.Pod) -> core_v1.PodCondition | None:
    """Return the condition of a pod that is to go and is not going; the kubelet takes the time it needs."""
    if pod.metadata.deletion_timestamp is not None or is_terminal(pod):
        return None
    found = (each for each in pod.status.conditions or () if each.type == "DisruptionTarget")
    return next((each for each in found if each.status == "True" and each.reason != "TerminationByKubelet"), None)
