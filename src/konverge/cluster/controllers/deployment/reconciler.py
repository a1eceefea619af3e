"""DeploymentReconciler: asks the pure functions what to do next, and does it.

One reconcile takes one step: it grows the new ReplicaSet, or shrinks old ones, or tidies up; and writes the status. The
events of what it did bring the next. Each step can be taken again, so it may be interrupted anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import konverge as kv
from konverge import clock
from konverge.cluster.controllers.claim import claim
from konverge.cluster.controllers.deployment import revision, rollout_status, sizes
from konverge.cluster.controllers.deployment.new_replica_set import ensure_new
from konverge.cluster.controllers.owned import candidates, controlled
from konverge.cluster.controllers.pod_state import is_terminal
from konverge.cluster.controllers.selecting import selector_of
from konverge.cluster.controllers.template import same_template
from konverge.errors import NotFound
from konverge.models import apps_v1, core_v1

_SELECTS_ALL = "This deployment is selecting all pods. A non-empty selector is required."


class DeploymentReconciler:
    """Rolls out."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Take the next step of a Deployment."""
        try:
            deployment = await ctx.client.get(apps_v1.Deployment, request)
        except NotFound:
            return None
        selector = selector_of(deployment.spec.selector)
        there = await candidates(ctx.client, deployment, apps_v1.ReplicaSet)
        claimed = await claim(ctx, deployment, there, matches=lambda each: selector.matches(each.metadata.labels))
        return await _Step(ctx, deployment, claimed).take()


class _Step:
    """One reconcile's look at a Deployment: its ReplicaSets, as they are after what was done so far."""

    def __init__(self, ctx: kv.Context, deployment: apps_v1.Deployment, claimed: list[apps_v1.ReplicaSet]) -> None:
        self.ctx = ctx
        self.deployment = deployment
        self.now = clock.now()
        self.new = revision.find_new(deployment, claimed)
        self.old = [each for each in revision.by_age(claimed) if each is not self.new]

    @property
    def everyone(self) -> list[apps_v1.ReplicaSet]:
        return [*self.old, *([self.new] if self.new else ())]

    async def take(self) -> kv.Result | None:
        deployment = self.deployment
        if deployment.metadata.deletion_timestamp:
            await self._write_counts()
            return None
        await self._note_pause()
        if not deployment.spec.paused and revision.rollback_target(deployment) is not None:
            await self._roll_back()
            return None
        if deployment.spec.paused or revision.is_resized(deployment, self.everyone):
            await self._resize()
            return None
        await (self._roll() if sizes.is_rolling(deployment) else self._recreate())
        await self._write_progress()
        soon = rollout_status.check_again_in(deployment, self.now)
        return None if soon is None else kv.Result(requeue_after=soon)

    # --- the ways to go on ---

    async def _note_pause(self) -> None:
        condition = rollout_status.paused_condition(self.deployment, self.now)
        if condition is not None:
            rollout_status.set_condition(self.deployment.status, condition)
            await self.ctx.client.status.update(self.deployment)

    async def _resize(self) -> None:
        """Follow a change of size, also in the middle of a rollout and in a pause, without rolling out."""
        await self._ensure_new(create=False)
        deployment, new = self.deployment, self.new
        only = sizes.only_active(new, self.old)
        if only is not None:
            await self._scale([(only, sizes.wanted(deployment))])
        elif sizes.is_saturated(deployment, new, revision.remembered(new, revision.DESIRED) if new else None):
            await self._scale([(each, 0) for each in self.old])
        elif sizes.is_rolling(deployment):
            active = [each for each in self.everyone if sizes.size_of(each) > 0]
            before = [revision.remembered(each, revision.MOST) for each in active]
            await self._scale(sizes.proportional(deployment, active, before), remember=True)
        if deployment.spec.paused and revision.rollback_target(deployment) is None:
            await self._tidy_up()
        await self._write_counts()

    async def _roll(self) -> None:
        """Grow the new ReplicaSet; where it cannot grow, shrink the old ones; where all is done, tidy up."""
        new = await self._ensure_new(create=True)
        deployment = self.deployment
        if await self._scale([(new, sizes.new_size(deployment, new, self.old))]):
            return
        if await self._scale(sizes.old_sizes(deployment, new, self.old)):
            return
        if rollout_status.is_complete(deployment, deployment.status):
            await self._tidy_up()

    async def _recreate(self) -> None:
        """End all old pods, and make new ones only then."""
        await self._ensure_new(create=False)
        if await self._scale([(each, 0) for each in self.old]) or await self._runs_old_pods():
            return
        new = await self._ensure_new(create=True)
        await self._scale([(new, sizes.wanted(self.deployment))])
        if rollout_status.is_complete(self.deployment, self.deployment.status):
            await self._tidy_up()

    async def _runs_old_pods(self) -> bool:
        if any(each.status.replicas for each in self.old):
            return True
        for each in self.old:
            pods = await controlled(self.ctx.client, each, core_v1.Pod)
            if not all(map(is_terminal, pods)):
                return True
        return False

    async def _roll_back(self) -> None:
        """Go back to the revision that the old annotation asks for, which is taken off in any case."""
        deployment, name = self.deployment, self.deployment.metadata.name
        await self._ensure_new(create=True)
        target = revision.rollback_target(deployment) or revision.last_revision(self.everyone)
        found = next((each for each in self.everyone if target and revision.revision_of(each) == target), None)
        if found is None:
            missing = "Unable to find the revision to rollback to." if target else "Unable to find last revision."
            self.ctx.recorder.warning(deployment, "DeploymentRollbackRevisionNotFound", missing)
        elif same_template(deployment.spec.template, found.spec.template):
            same = f'The rollback revision contains the same template as current deployment "{name}"'
            self.ctx.recorder.warning(deployment, "DeploymentRollbackTemplateUnchanged", same)
        else:
            revision.take_template(deployment, found)
            done = f'Rolled back deployment "{name}" to revision {target}'
            self.ctx.recorder.normal(deployment, "DeploymentRollback", done)
        (deployment.metadata.annotations or {}).pop(revision.ROLLBACK, None)
        await self.ctx.client.update(deployment)

    # --- what is written ---

    async def _ensure_new(self, *, create: bool) -> apps_v1.ReplicaSet:
        self.new = await ensure_new(self.ctx, self.deployment, self.new, self.old, create=create)
        return self.new  # type: ignore[return-value]  # None only without `create`, and nobody looks then

    async def _scale(self, resizes: Sequence[sizes.Resize], *, remember: bool = False) -> bool:
        """Give ReplicaSets their sizes; with `remember`, write down the Deployment's where theirs is right already."""
        scaled = False
        for replica_set, size in resizes:
            before = sizes.size_of(replica_set)
            if size == before and not remember:
                continue
            replica_set.spec.replicas = size
            revision.annotate_size(self.deployment, replica_set)
            if not kv.has_changes(replica_set):
                continue
            # A patch: its pods are counted at the same time, and that is no reason to decide anew.
            await self.ctx.client.patch(replica_set)
            if size != before:
                scaled = True
                self._tell_scaled(replica_set, before, size)
        return scaled

    def _tell_scaled(self, replica_set: apps_v1.ReplicaSet, before: int, size: int) -> None:
        way = "up" if before < size else "down"
        text = f"Scaled {way} replica set {replica_set.metadata.name} from {before} to {size}"
        self.ctx.recorder.normal(self.deployment, "ScalingReplicaSet", text)

    async def _tidy_up(self) -> None:
        for each in revision.surplus(self.deployment, self.old):
            await kv.ignore_not_found(self.ctx.client.delete(apps_v1.ReplicaSet, each.metadata))

    async def _write_counts(self) -> None:
        if self.deployment.metadata.deletion_timestamp:
            await self._ensure_new(create=False)
        await self._write(rollout_status.counted(self.deployment, self.new, self.old, now=self.now))

    async def _write_progress(self) -> None:
        await self._write(rollout_status.with_progress(self.deployment, self.new, self.old, now=self.now))

    async def _write(self, status: apps_v1.DeploymentStatus) -> None:
        self.deployment.status = status
        if kv.has_changes(self.deployment):
            await self.ctx.client.status.update(self.deployment)
