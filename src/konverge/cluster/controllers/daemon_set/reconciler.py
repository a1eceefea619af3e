"""The reconciler of daemon sets: looks at the nodes and its pods on them, and brings the two together."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

import msgspec

import konverge as kv
from konverge import clock
from konverge.cluster.controllers.claim import claim
from konverge.cluster.controllers.controller_revision import HASH
from konverge.cluster.controllers.daemon_set.daemon_pod import node_of, pod_for
from konverge.cluster.controllers.daemon_set.history import History, hash_of, history_of
from konverge.cluster.controllers.daemon_set.placement import Landscape, Work, placement
from konverge.cluster.controllers.daemon_set.rollout import rollout
from konverge.cluster.controllers.daemon_set.status import status_of
from konverge.cluster.controllers.owned import candidates
from konverge.cluster.controllers.pod_control import create_pod, delete_pod, is_namespace_terminating
from konverge.cluster.controllers.pod_state import available_in
from konverge.cluster.controllers.selecting import selector_of
from konverge.cluster.controllers.slow_start import slow_start
from konverge.cluster.controllers.together import together
from konverge.errors import ApiError
from konverge.models import apps_v1, core_v1

_BURST: Final = 250  # pods in one run
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 900.0


_Spell = tuple[str, int, str]  # in which pauses add up: a daemon set (uid), its generation, and a node


class Pause(msgspec.Struct):
    """How long a node is left alone after a pod of a daemon set failed there."""

    seconds: float
    since: datetime


class DaemonSetReconciler:
    """Keeps a pod of each daemon set on each node that it fits."""

    def __init__(self) -> None:
        # A node that refuses a pod would refuse the next one too. What is forgotten at a restart is one pause.
        self._pauses: dict[kv.Request, dict[_Spell, Pause]] = {}

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Bring pods to where they belong, a rollout one step on, and the status to what there is."""
        daemon_set = await kv.ignore_not_found(ctx.client.get(apps_v1.DaemonSet, request))
        if daemon_set is None or daemon_set.metadata.deletion_timestamp:
            self._pauses.pop(request, None)
            return None
        selector = selector_of(daemon_set.spec.selector)
        pods = await claim(
            ctx,
            daemon_set,
            await candidates(ctx.client, daemon_set, core_v1.Pod),
            matches=lambda pod: selector.matches(pod.metadata.labels),
        )
        history = await history_of(ctx, daemon_set, selector, pods=pods)
        nodes = await ctx.client.list(core_v1.Node)
        landscape = Landscape.of(daemon_set, history.revision_hash, pods=pods, nodes=nodes, now=clock.now())
        problem = await self._work(ctx, landscape)
        await _forget_old(ctx, daemon_set, history, pods)
        await _write_status(ctx, landscape)
        if problem is not None:
            raise problem
        return self._again(landscape, pods)

    async def _work(self, ctx: kv.Context, landscape: Landscape) -> Exception | None:
        """Do what placement asks for, or, where there is nothing, the next step of the rollout."""
        work = placement(landscape, is_held_back=lambda pod: self._pause_left(landscape, pod) > 0)
        for pod in work.failed:
            self._begin_pause(landscape, pod)
        _tell(ctx, landscape, work)
        return await _do(ctx, landscape, work or rollout(landscape))

    def _pause_left(self, landscape: Landscape, pod: core_v1.Pod) -> float:
        pause = self._of(landscape).get(_spell(landscape, pod))
        return 0.0 if pause is None else pause.seconds - (landscape.now - pause.since).total_seconds()

    def _begin_pause(self, landscape: Landscape, pod: core_v1.Pod) -> None:
        before = self._of(landscape).get(_spell(landscape, pod))
        forgiven = before is None or (landscape.now - before.since).total_seconds() > 2 * _LONGEST_PAUSE
        seconds = _FIRST_PAUSE if before is None or forgiven else min(2 * before.seconds, _LONGEST_PAUSE)
        self._of(landscape)[_spell(landscape, pod)] = Pause(seconds, landscape.now)

    def _of(self, landscape: Landscape) -> dict[_Spell, Pause]:
        return self._pauses.setdefault(kv.Request.of(landscape.daemon_set.metadata), {})

    def _again(self, landscape: Landscape, pods: Iterable[core_v1.Pod]) -> kv.Result | None:
        """When to look again: when a pod has been ready for long enough, or a pause is over."""
        known = list(pods)
        waits = [self._pause_left(landscape, pod) for pod in known if pod.status.phase == "Failed"]
        available = available_in(known, landscape.daemon_set.spec.min_ready_seconds or 0, landscape.now)
        left = [seconds for seconds in (*waits, available or 0.0) if seconds > 0]
        return kv.Result(requeue_after=max(min(left), 0.001)) if left else None


def _spell(landscape: Landscape, pod: core_v1.Pod) -> _Spell:
    daemon_set = landscape.daemon_set
    return daemon_set.metadata.uid or "", daemon_set.status.observed_generation or 0, node_of(pod) or ""


def _tell(ctx: kv.Context, landscape: Landscape, work: Work) -> None:
    for pod in work.failed:
        note = f"Found failed daemon pod {_shown(pod)}, will try to kill it"
        ctx.recorder.warning(landscape.daemon_set, "FailedDaemonPod", note)
    for pod in work.succeeded:
        note = f"Found succeeded daemon pod {_shown(pod)}, will try to delete it"
        ctx.recorder.normal(landscape.daemon_set, "SucceededDaemonPod", note)


def _shown(pod: core_v1.Pod) -> str:
    return f"{pod.metadata.namespace}/{pod.metadata.name} on node {node_of(pod)}"


async def _do(ctx: kv.Context, landscape: Landscape, work: Work) -> Exception | None:
    daemon_set, nodes = landscape.daemon_set, work.create_on[:_BURST]

    async def create(place: int) -> None:
        pod = pod_for(daemon_set, nodes[place], landscape.revision_hash)
        try:
            await create_pod(ctx, daemon_set, pod)
        except ApiError as error:
            if not is_namespace_terminating(error):
                raise

    _, problem = await slow_start(len(nodes), create)
    await together(delete_pod(ctx, daemon_set, pod) for pod in work.delete[:_BURST])
    return problem


async def _forget_old(
    ctx: kv.Context, daemon_set: apps_v1.DaemonSet, history: History, pods: Iterable[core_v1.Pod]
) -> None:
    """Delete the oldest revisions beyond the limit, as far as no pod has them."""
    limit = daemon_set.spec.revision_history_limit
    live = frozenset((pod.metadata.labels or {}).get(HASH) for pod in pods)
    surplus = len(history.old) - (10 if limit is None else limit)
    idle = [revision for revision in history.old if hash_of(revision) not in live]
    for revision in idle[: max(surplus, 0)]:
        await kv.ignore_not_found(ctx.client.delete(revision))


async def _write_status(ctx: kv.Context, landscape: Landscape) -> None:
    status = status_of(landscape)
    if status != landscape.daemon_set.status:
        landscape.daemon_set.status = status
        await ctx.client.status.update(landscape.daemon_set)
