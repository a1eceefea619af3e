"""SimulatedNode: a node that runs nothing and reports of its pods what a kubelet would, in real or in virtual time.

A pod that is bound to it gets an address, runs, is ready, ends, fails or hangs as its behaviour says (`behaviour`).
What it reports is a function of the pod, its behaviour and the time since its start (`outlook`, `pod_status`), so the
node may be stopped and started at any moment.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Final

import msgspec

import konverge as kv
from konverge import clock
from konverge.cluster.node.addresses import Addresses
from konverge.cluster.node.behaviour import TURN, Behaviour, read_behaviour
from konverge.cluster.node.outlook import Outlook, outlook
from konverge.cluster.node.pod_status import Place, write_refused, write_status, write_stopped
from konverge.cluster.node.registration import NODE_IP, POD_RANGE, RENEW_EVERY, Registration
from konverge.errors import Conflict, NotFound
from konverge.manager import Manager
from konverge.models import core_v1

NODE_NAME: Final = "konverge"
_WORKERS: Final = 8
_TERMINAL: Final = ("Succeeded", "Failed")
_BY_NODE: Final = "spec.nodeName"

Rule = Callable[[core_v1.Pod], Behaviour | None]
"""What a pod does that does not say so itself; None: it runs, as most do."""


def add_to(
    manager: Manager, *, rule: Rule | None = None, name: str = NODE_NAME, renew_every: float = RENEW_EVERY
) -> None:
    """Register a simulated node, which renews its lease so often (in seconds)."""
    manager.add(Registration(manager.live, name, renew_every=renew_every))
    manager.cache.declare_index(core_v1.Pod, _BY_NODE)
    kv.new_controller(manager).named("simulated-node").for_(core_v1.Pod).with_options(
        max_concurrent_reconciles=_WORKERS
    ).complete(SimulatedNode(name, rule=rule))


class SimulatedNode:
    """Brings the status of each pod on the node to what its behaviour says of this moment."""

    def __init__(self, name: str, *, rule: Rule | None = None) -> None:
        self._name = name
        self._rule = rule or (lambda _: None)
        self._addresses = Addresses(POD_RANGE)
        self._knows_addresses = False
        self._turns: dict[str, int] = {}  # the latest of each controller, by its uid

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Report what has become of a pod."""
        try:
            pod = await ctx.client.get(core_v1.Pod, request)
        except NotFound:
            self._addresses.follow(request, None)
            return None
        self._addresses.follow(request, pod.metadata.uid)
        if pod.spec.node_name != self._name:
            return None
        await self._learn_addresses(ctx)
        behaviour = await self._behaviour(ctx, pod)
        if pod.metadata.deletion_timestamp:
            return await self._stop(ctx, pod, behaviour)
        if pod.status.phase in _TERMINAL:
            return None
        return await self._report(ctx, pod, behaviour)

    async def _learn_addresses(self, ctx: kv.Context) -> None:
        if not self._knows_addresses:
            pods = await ctx.client.list(core_v1.Pod, fields={_BY_NODE: self._name})
            taken = ((pod.metadata.uid or "", pod.status.pod_ip) for pod in pods)
            self._addresses.note((uid, address) for uid, address in taken if address and address != NODE_IP)
            self._knows_addresses = True

    async def _behaviour(self, ctx: kv.Context, pod: core_v1.Pod) -> Behaviour:
        try:
            asked = read_behaviour(pod.metadata.annotations)
        except msgspec.MsgspecError as error:
            return Behaviour(fail=f"InvalidSimulation: {error}")
        chosen = (asked or self._rule(pod) or Behaviour()).of(pod.metadata)
        return chosen.at_turn(await self._turn(ctx, pod)) if chosen.in_turn else chosen

    async def _turn(self, ctx: kv.Context, pod: core_v1.Pod) -> int:
        """Which of its controller's pods this one is; written on the pod, so that a node started anew knows it."""
        known = turn_of(pod)
        if known is None:
            siblings = await ctx.client.list(core_v1.Pod, namespace=pod.metadata.namespace)
            turns = [turn_of(each) for each in siblings if _owner_uid(each) == _owner_uid(pod)]
            # Pods that are gone had their turn as well.
            latest = self._turns.get(_owner_uid(pod), -1)
            known = self._turns[_owner_uid(pod)] = max([latest, *(turn for turn in turns if turn is not None)]) + 1
            pod.metadata.annotations = {**(pod.metadata.annotations or {}), TURN: str(known)}
            await ctx.client.patch(pod)
        return known

    async def _report(self, ctx: kv.Context, pod: core_v1.Pod, behaviour: Behaviour) -> kv.Result | None:
        now = clock.now()
        start = pod.status.start_time or now.replace(microsecond=0)
        if behaviour.fail:
            write_refused(pod, behaviour.fail, start)
            await ctx.client.status.patch(pod)
            return None
        seen = outlook(pod, behaviour, start=start, now=now)
        write_status(pod, behaviour, seen, place=self._place(pod, seen, start), now=now)
        if kv.has_changes(pod):
            await ctx.client.status.patch(pod)
        return None if seen.changes_after is None else kv.Result(requeue_after=seen.changes_after)

    def _place(self, pod: core_v1.Pod, seen: Outlook, start: datetime) -> Place:
        address = NODE_IP if pod.spec.host_network else ""
        if seen.has_sandbox and not address:
            address = self._addresses.of(pod.metadata.uid or "")
        return Place(host_ip=NODE_IP, pod_ip=address, start=start)

    async def _stop(self, ctx: kv.Context, pod: core_v1.Pod, behaviour: Behaviour) -> kv.Result | None:
        """Let a deleted pod's containers end, and then the pod."""
        left = stops_in(pod, behaviour, clock.now())
        if left > 0:
            return kv.Result(requeue_after=left)
        with suppress(NotFound, Conflict):  # gone, and perhaps another of its name is there
            if pod.status.phase not in _TERMINAL:
                write_stopped(pod, behaviour, clock.now())
                await ctx.client.status.patch(pod)
            # Once it was said, only a finalizer keeps the pod; or the server was stopped before it had removed it.
            if pod.metadata.deletion_grace_period_seconds != 0 or not pod.metadata.finalizers:
                await ctx.client.delete(pod, uid=pod.metadata.uid, grace_seconds=0)
        return None


def turn_of(pod: core_v1.Pod) -> int | None:
    """Return which of its controller's pods a pod is, if that was written down."""
    text = (pod.metadata.annotations or {}).get(TURN, "")
    return int(text) if text.isascii() and text.isdigit() else None


def _owner_uid(pod: core_v1.Pod) -> str:
    owner = kv.controller_of(pod)
    return owner.uid if owner else ""


def stops_in(pod: core_v1.Pod, behaviour: Behaviour, now: datetime) -> float:
    """Return the seconds until the containers of a deleted pod have ended; they end with the grace period at last."""
    end = pod.metadata.deletion_timestamp
    grace = float(pod.metadata.deletion_grace_period_seconds or 0)
    if end is None or pod.status.phase in _TERMINAL:
        return 0.0
    takes = min(behaviour.stop_after, grace)
    passed = (now - end).total_seconds() + grace
    return takes - max(passed, 0.0)  # a clock that was set back prolongs nothing
