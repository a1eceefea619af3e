"""The new ReplicaSet of a Deployment: found or created, its annotations and the Deployment's revision kept right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import konverge as kv
from konverge import clock
from konverge.cluster.controllers.deployment import revision, rollout_status, sizes
from konverge.cluster.controllers.pod_control import is_namespace_terminating
from konverge.cluster.controllers.template import same_template
from konverge.errors import AlreadyExists, ApiError
from konverge.models import apps_v1


async def ensure_new(
    ctx: kv.Context,
    deployment: apps_v1.Deployment,
    found: apps_v1.ReplicaSet | None,
    old: Sequence[apps_v1.ReplicaSet],
    *,
    create: bool,
) -> apps_v1.ReplicaSet | None:
    """Return the new ReplicaSet, up to date; without `create`, None where there is none."""
    number = revision.next_revision(old)
    if found is not None:
        await _keep(ctx, deployment, found, number)
        return found
    return await _create(ctx, deployment, old, number) if create else None


async def _keep(ctx: kv.Context, deployment: apps_v1.Deployment, new: apps_v1.ReplicaSet, number: int) -> None:
    revision.annotate_new(deployment, new, number)
    new.spec.min_ready_seconds = deployment.spec.min_ready_seconds
    if kv.has_changes(new):
        await ctx.client.patch(new)
    _set_revision(deployment, str(revision.revision_of(new)))
    progressing = rollout_status.condition_of(deployment.status, rollout_status.PROGRESSING)
    if progressing is None and rollout_status.has_deadline(deployment):
        found = rollout_status.found_condition(new.metadata.name or "", clock.now())
        rollout_status.set_condition(deployment.status, found)
    if kv.has_changes(deployment):
        await ctx.client.status.update(deployment)


def _set_revision(deployment: apps_v1.Deployment, number: str) -> None:
    """The Deployment's own revision is an annotation, and the only one that an update of the status may change."""
    deployment.metadata.annotations = {**(deployment.metadata.annotations or {}), revision.REVISION: number}


async def _create(
    ctx: kv.Context, deployment: apps_v1.Deployment, old: Sequence[apps_v1.ReplicaSet], number: int
) -> apps_v1.ReplicaSet:
    new = revision.new_replica_set(deployment)
    new.spec.replicas = sizes.new_size(deployment, new, old)
    revision.annotate_new(deployment, new, number)
    revision.annotate_size(deployment, new)
    try:
        await ctx.client.create(new)
    except AlreadyExists as error:
        return await _taken(ctx, deployment, new, error)
    except ApiError as error:
        await _refused(ctx, deployment, new, error)
    if size := sizes.size_of(new):
        text = f"Scaled up replica set {new.metadata.name} from 0 to {size}"
        ctx.recorder.normal(deployment, "ScalingReplicaSet", text)
    _set_revision(deployment, str(number))
    if rollout_status.has_deadline(deployment):
        made = rollout_status.created_condition(new.metadata.name or "", clock.now())
        rollout_status.set_condition(deployment.status, made)
    await ctx.client.status.update(deployment)
    return new


async def _taken(
    ctx: kv.Context, deployment: apps_v1.Deployment, new: apps_v1.ReplicaSet, error: AlreadyExists
) -> apps_v1.ReplicaSet:
    """Another ReplicaSet has the name: ours, which the cache does not show yet, or one whose template has our hash."""
    there = await ctx.live.get(apps_v1.ReplicaSet, new.metadata)
    owner = kv.controller_of(there)
    ours = owner is not None and owner.uid == deployment.metadata.uid
    if ours and same_template(deployment.spec.template, there.spec.template):
        return there
    deployment.status.collision_count = (deployment.status.collision_count or 0) + 1
    await ctx.client.status.update(deployment)
    raise error  # and so try again, with another hash


async def _refused(
    ctx: kv.Context, deployment: apps_v1.Deployment, new: apps_v1.ReplicaSet, error: ApiError
) -> NoReturn:
    if not is_namespace_terminating(error):
        message = f'Failed to create new replica set "{new.metadata.name}": {error.message}'
        if rollout_status.has_deadline(deployment):
            refused = rollout_status.refused_condition(message, clock.now())
            rollout_status.set_condition(deployment.status, refused)
            await ctx.client.status.update(deployment)
        ctx.recorder.warning(deployment, "ReplicaSetCreateError", message)
    raise error
