"""Claiming: which objects a workload takes for its own.

It adopts orphans that it selects and releases what it no longer selects; what another one controls is left alone. The
rules are those of every built-in workload controller: an owner that is being deleted changes nothing, and before
the first adoption it is read live, so that one that is gone or going never takes an orphan along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import Enum, auto
from typing import Any, TypeVar

import konverge as kv
from konverge.api.model import encode
from konverge.api.request import STRATEGIC_MERGE_PATCH
from konverge.errors import Invalid, NotFound

T = TypeVar("T", bound=kv.Object)


class Verdict(Enum):
    """What an owner does about an object."""

    KEEP = auto()
    ADOPT = auto()
    RELEASE = auto()
    LEAVE = auto()


def verdict(owner: kv.Object, obj: kv.Object, *, matches: bool) -> Verdict:
    """Decide; pure."""
    reference = kv.controller_of(obj)
    if reference is not None:
        if reference.uid != owner.metadata.uid:
            return Verdict.LEAVE
        if matches:
            return Verdict.KEEP
        return Verdict.LEAVE if owner.metadata.deletion_timestamp else Verdict.RELEASE
    going = owner.metadata.deletion_timestamp or obj.metadata.deletion_timestamp
    return Verdict.ADOPT if matches and not going else Verdict.LEAVE


async def claim(
    ctx: kv.Context,
    owner: kv.Object,
    candidates: Iterable[T],
    *,
    matches: Callable[[T], bool],
    finalizers: Iterable[str] = (),
) -> list[T]:
    """Return the candidates that are the owner's, after adopting (with these finalizers) and releasing."""
    claimed: list[T] = []
    may_adopt: bool | None = None
    for each in candidates:
        match verdict(owner, each, matches=matches(each)):
            case Verdict.KEEP:
                claimed.append(each)
            case Verdict.RELEASE:
                await _release(ctx, owner, each)
            case Verdict.ADOPT:
                may_adopt = await _is_alive(ctx, owner) if may_adopt is None else may_adopt
                if may_adopt and await _adopt(ctx, owner, each, finalizers):
                    claimed.append(each)
            case Verdict.LEAVE:
                pass
    return claimed


async def _is_alive(ctx: kv.Context, owner: kv.Object) -> bool:
    try:
        live = await ctx.live.get(type(owner), owner.metadata)
    except NotFound:
        return False
    return live.metadata.uid == owner.metadata.uid and not live.metadata.deletion_timestamp


async def _adopt(ctx: kv.Context, owner: kv.Object, obj: kv.Object, finalizers: Iterable[str]) -> bool:
    reference = kv.owner_reference(owner, controller=True, block_owner_deletion=True)
    extra = {"finalizers": list(finalizers)} if finalizers else {}
    try:
        await ctx.client.patch(obj, _patch(obj, {"ownerReferences": [reference], **extra}))
    except NotFound:
        return False
    return True


async def _release(ctx: kv.Context, owner: kv.Object, obj: kv.Object) -> None:
    with suppress(NotFound, Invalid):  # gone, another one of its name, or released before
        await ctx.client.patch(obj, _patch(obj, {"ownerReferences": [{"$patch": "delete", "uid": owner.metadata.uid}]}))


def _patch(obj: kv.Object, metadata: dict[str, Any]) -> kv.RawPatch:
    """A strategic merge patch: it touches one reference, and the uid makes it fail on another object of the name."""
    return kv.RawPatch(STRATEGIC_MERGE_PATCH, encode({"metadata": {"uid": obj.metadata.uid, **metadata}}))
