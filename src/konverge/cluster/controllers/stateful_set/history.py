"""The revisions of a stateful set: which one its pods had, which one they are to have; made where one is missing."""

from __future__ import annotations

from typing import Final

import msgspec

import konverge as kv
from konverge.cluster.controllers.controller_revision import (
    create_or_find,
    data_of,
    hash_of,
    new_revision,
    next_number,
    revisions_of,
)
from konverge.models import apps_v1

_LABEL: Final = "controller.kubernetes.io/hash"


class History(msgspec.Struct, frozen=True):
    """The revisions of a set."""

    revisions: list[apps_v1.ControllerRevision]  # the oldest first, as they were found
    current: apps_v1.ControllerRevision
    update: apps_v1.ControllerRevision
    collisions: int


async def history_of(ctx: kv.Context, stateful_set: apps_v1.StatefulSet, selector: kv.LabelSelector) -> History:
    """Return the revisions; the newest is the one that the template asks for."""
    revisions = await revisions_of(ctx, stateful_set, selector)
    update, collisions = await _update(ctx, stateful_set, revisions)
    named = stateful_set.status.current_revision
    current = next((revision for revision in revisions if revision.metadata.name == named), update)
    return History(revisions, current, update, collisions)


async def _update(
    ctx: kv.Context, stateful_set: apps_v1.StatefulSet, revisions: list[apps_v1.ControllerRevision]
) -> tuple[apps_v1.ControllerRevision, int]:
    data, collisions = data_of(stateful_set), stateful_set.status.collision_count or 0
    equal = [revision for revision in revisions if revision.data == data]
    if equal and equal[-1] is revisions[-1]:
        return equal[-1], collisions
    if equal:  # a template of the past is back: it becomes the newest once more
        equal[-1].revision = next_number(revisions)
        return await ctx.client.update(equal[-1]), collisions
    while True:
        hash_ = hash_of(data, collisions)
        new = new_revision(stateful_set, data, next_number(revisions), hash_=hash_, label=_LABEL)
        found = await create_or_find(ctx, new)
        if found is not None:
            return found, collisions
        collisions += 1
