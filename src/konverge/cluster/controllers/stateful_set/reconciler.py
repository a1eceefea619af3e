"""The reconciler of stateful sets: finds out the situation, decides, takes the steps, and writes the status."""

from __future__ import annotations

from collections.abc import Iterable

import konverge as kv
from konverge import clock
from konverge.cluster.controllers.claim import claim
from konverge.cluster.controllers.controller_revision import surplus
from konverge.cluster.controllers.owned import candidates
from konverge.cluster.controllers.pod_state import available_in
from konverge.cluster.controllers.selecting import selector_of
from konverge.cluster.controllers.slow_start import slow_start
from konverge.cluster.controllers.stateful_set.decision import Decision, Situation, decide
from konverge.cluster.controllers.stateful_set.history import History, history_of
from konverge.cluster.controllers.stateful_set.identity import (
    claim_name,
    is_member,
    ordinal_of,
    replicas_of,
    revision_of,
    start_of,
)
from konverge.cluster.controllers.stateful_set.status import status_of
from konverge.cluster.controllers.stateful_set.steps import Steps
from konverge.models import apps_v1, core_v1


class StatefulSetReconciler:
    """Keeps the pods of stateful sets, each with its own name and volumes."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Take a set one step on."""
        stateful_set = await kv.ignore_not_found(ctx.client.get(apps_v1.StatefulSet, request))
        if stateful_set is None:
            return None
        selector = selector_of(stateful_set.spec.selector)
        history = await history_of(ctx, stateful_set, selector)
        situation = await _situation(ctx, stateful_set, selector, history)
        decision = decide(situation)
        problem = await _take(Steps(ctx, situation), decision, in_order=situation.in_order)
        await _write_status(ctx, situation, decision, history)
        await _forget_old(ctx, situation, history)
        if problem is not None:
            raise problem
        wait = available_in(situation.pods, stateful_set.spec.min_ready_seconds or 0, situation.now)
        return None if wait is None else kv.Result(requeue_after=max(wait, 0.001))


async def _situation(
    ctx: kv.Context, stateful_set: apps_v1.StatefulSet, selector: kv.LabelSelector, history: History
) -> Situation:
    pods = await claim(
        ctx,
        stateful_set,
        await candidates(ctx.client, stateful_set, core_v1.Pod),
        matches=lambda pod: selector.matches(pod.metadata.labels) and is_member(stateful_set, pod),
    )
    return Situation(
        stateful_set=stateful_set,
        pods=tuple(pods),
        claims=await _claims(ctx, stateful_set, pods),
        current=history.current,
        update=history.update,
        now=clock.now(),
    )


async def _claims(
    ctx: kv.Context, stateful_set: apps_v1.StatefulSet, pods: Iterable[core_v1.Pod]
) -> dict[str, core_v1.PersistentVolumeClaim]:
    """The claims of every number that has a pod or is to have one, as far as they are there."""
    start = start_of(stateful_set)
    numbers = dict.fromkeys([*range(start, start + replicas_of(stateful_set)), *map(ordinal_of, pods)])
    templates = stateful_set.spec.volume_claim_templates or ()
    names = [claim_name(stateful_set, template, number) for template in templates for number in numbers]
    namespace, kind = stateful_set.metadata.namespace, core_v1.PersistentVolumeClaim
    found = [await kv.ignore_not_found(ctx.client.get(kind, name, namespace=namespace)) for name in names]
    return {each.metadata.name or "": each for each in found if each is not None}


async def _take(steps: Steps, decision: Decision, *, in_order: bool) -> Exception | None:
    """Take the steps, one by one or at once; return what kept it from taking all of them."""
    if not in_order:
        _, problem = await slow_start(len(decision.steps), lambda place: steps.take(decision.steps[place]))
        return problem
    for step in decision.steps:
        try:
            await steps.take(step)
        except Exception as error:  # noqa: BLE001 - the status is written first, then it is raised
            return error
    return None


async def _write_status(ctx: kv.Context, situation: Situation, decision: Decision, history: History) -> None:
    stateful_set = situation.stateful_set
    status = status_of(situation, decision, collisions=history.collisions)
    if status != stateful_set.status:
        stateful_set.status = status
        await ctx.client.status.update(stateful_set)


async def _forget_old(ctx: kv.Context, situation: Situation, history: History) -> None:
    """Delete the revisions that no pod has and that are more than the set wants to keep."""
    limit = situation.stateful_set.spec.revision_history_limit
    live = [history.current.metadata.name, history.update.metadata.name, *map(revision_of, situation.pods)]
    for revision in surplus(history.revisions, 10 if limit is None else limit, live=live):
        await kv.ignore_not_found(ctx.client.delete(revision))
