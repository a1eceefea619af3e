"""The scheduler: binds each pending pod to the first node that takes it, and says why none does.

It looks at what a pod requires of a node (its name, labels, taints, whether it is cordoned) and not at what is left of
its resources: the node there is has no end of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import konverge as kv
from konverge import clock
from konverge.cluster.node_fit import misfit
from konverge.errors import Conflict, NotFound
from konverge.manager import Manager
from konverge.models import core_v1

_NAME: Final = "default-scheduler"
_UNBOUND: Final = "konverge.unbound"
_WORKERS: Final = 8


def add_to(manager: Manager) -> None:
    """Register the scheduler."""
    manager.cache.declare_index(core_v1.Pod, _UNBOUND, lambda pod: ["true"] if waits(pod) else [])

    async def unbound(_node: core_v1.Node) -> list[kv.ObjectMeta]:
        pods = await manager.client.list(core_v1.Pod, fields={_UNBOUND: "true"})
        return [pod.metadata for pod in pods]

    kv.new_controller(manager).named(_NAME).for_(core_v1.Pod).watches(core_v1.Node, unbound).with_options(
        max_concurrent_reconciles=_WORKERS
    ).complete(Scheduler())


def waits(pod: core_v1.Pod) -> bool:
    """Whether a pod is for this scheduler to bind."""
    return (
        not pod.spec.node_name
        and not pod.metadata.deletion_timestamp
        and not pod.spec.scheduling_gates
        and pod.spec.scheduler_name in (None, _NAME)
        and pod.status.phase not in ("Succeeded", "Failed")
    )


class Scheduler:
    """Binds pods."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Bind a pod, or say why not."""
        try:
            pod = await ctx.client.get(core_v1.Pod, request)
        except NotFound:
            return None
        if not waits(pod):
            return None
        nodes = await ctx.client.list(core_v1.Node)
        reasons = {node.metadata.name or "": misfit(pod, node) for node in nodes}
        fitting = next((name for name, reason in reasons.items() if reason is None), None)
        if fitting is None:
            await self._refuse(ctx, pod, explanation(reason for reason in reasons.values() if reason))
        else:
            await self._bind(ctx, pod, fitting)
        return None

    async def _bind(self, ctx: kv.Context, pod: core_v1.Pod, node: str) -> None:
        metadata = kv.ObjectMeta(name=pod.metadata.name, namespace=pod.metadata.namespace)
        target = core_v1.ObjectReference(kind="Node", name=node)
        try:
            await ctx.client.subresource("binding").create(pod, core_v1.Binding(metadata=metadata, target=target))
        except (Conflict, NotFound):
            return  # bound, or gone: the cache is a moment behind
        where = f"{pod.metadata.namespace}/{pod.metadata.name}"
        ctx.recorder.normal(pod, "Scheduled", f"Successfully assigned {where} to {node}", action="Binding")

    async def _refuse(self, ctx: kv.Context, pod: core_v1.Pod, why: str) -> None:
        before = next((each for each in pod.status.conditions or () if each.type == "PodScheduled"), None)
        if before is not None and (before.status, before.message) == ("False", why):
            return
        others = [each for each in pod.status.conditions or () if each.type != "PodScheduled"]
        pod.status.conditions = [*others, _unschedulable(pod, why)]
        await ctx.client.status.patch(pod)
        ctx.recorder.warning(pod, "FailedScheduling", why, action="Scheduling")


def _unschedulable(pod: core_v1.Pod, why: str) -> core_v1.PodCondition:
    return core_v1.PodCondition(
        type="PodScheduled",
        status="False",
        reason="Unschedulable",
        message=why,
        last_transition_time=clock.now().replace(microsecond=0),
        observed_generation=pod.metadata.generation,
    )


def explanation(reasons: Iterable[str]) -> str:
    """Return why no node takes a pod, as the real scheduler puts it."""
    counts: dict[str, int] = {}
    for reason in reasons:
        counts[reason] = counts.get(reason, 0) + 1
    if not counts:
        return "no nodes available to schedule pods"
    parts = ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items()))
    return f"0/{sum(counts.values())} nodes are available: {parts}."
