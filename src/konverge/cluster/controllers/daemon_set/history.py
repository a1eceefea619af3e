"""The revisions of a daemon set: the one of its template, made where it is missing, and the others."""

from __future__ import annotations

import msgspec

import konverge as kv
from konverge.cluster.controllers.controller_revision import (
    HASH,
    create_or_find,
    data_of,
    new_revision,
    next_number,
    revisions_of,
)
from konverge.cluster.controllers.template_hash import template_hash
from konverge.errors import Conflict
from konverge.models import apps_v1, core_v1


class History(msgspec.Struct, frozen=True):
    """The revisions of a daemon set."""

    current: apps_v1.ControllerRevision
    old: list[apps_v1.ControllerRevision]  # the oldest first

    @property
    def revision_hash(self) -> str:
        """The label of pods that have the newest template."""
        return hash_of(self.current)


def hash_of(revision: apps_v1.ControllerRevision) -> str:
    """Return the hash of a revision; one that was made without has its name."""
    return (revision.metadata.labels or {}).get(HASH) or revision.metadata.name or ""


async def history_of(
    ctx: kv.Context, daemon_set: apps_v1.DaemonSet, selector: kv.LabelSelector, *, pods: list[core_v1.Pod]
) -> History:
    """Return the revisions; the current one is the one that the template asks for."""
    revisions = await revisions_of(ctx, daemon_set, selector)
    data = data_of(daemon_set)
    equal = [revision for revision in revisions if revision.data == data]
    old = [revision for revision in revisions if revision.data != data]
    number = next_number(old)
    if not equal:
        return History(await _new(ctx, daemon_set, number), old)
    current = equal[-1]
    await _drop_doubles(ctx, current, equal[:-1], pods)
    if current.revision < number:
        current.revision = number
        await ctx.client.update(current)
    return History(current, old)


async def _new(ctx: kv.Context, daemon_set: apps_v1.DaemonSet, number: int) -> apps_v1.ControllerRevision:
    hash_ = template_hash(daemon_set.spec.template, daemon_set.status.collision_count)
    made = new_revision(daemon_set, data_of(daemon_set), number, hash_=hash_, label=HASH)
    found = await create_or_find(ctx, made)
    if found is not None:
        return found
    daemon_set.status.collision_count = (daemon_set.status.collision_count or 0) + 1
    await ctx.client.status.update(daemon_set)
    raise Conflict(
        f'ControllerRevision "{made.metadata.key}" is there with other data: it is tried again under another name'
    )


async def _drop_doubles(
    ctx: kv.Context,
    kept: apps_v1.ControllerRevision,
    doubles: list[apps_v1.ControllerRevision],
    pods: list[core_v1.Pod],
) -> None:
    """Make one of several revisions of the same template: their pods are of the one that is kept."""
    for double in doubles:
        for pod in pods:
            labels = pod.metadata.labels or {}
            if labels.get(HASH) == hash_of(double):
                pod.metadata.labels = {**labels, HASH: hash_of(kept)}
                await ctx.client.patch(pod)
        await kv.ignore_not_found(ctx.client.delete(double))
