"""What becomes of an object, by the state of its owners. Pure: every fact is a live read that somebody else made."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from konverge.cluster.controllers.garbage_collector.graph import FOREGROUND, ORPHAN


class Owners(msgspec.Struct, frozen=True, kw_only=True):
    """The uids of an object's owners, by what a live read said of each."""

    solid: Sequence[str] = ()  # exists
    dangling: Sequence[str] = ()  # does not exist
    waiting: Sequence[str] = ()  # is being deleted, and waits for its dependents


class Keep(msgspec.Struct, frozen=True):
    """Leave the object as it is."""


class Release(msgspec.Struct, frozen=True):
    """Keep the object, and take out the references to these owners."""

    owners: tuple[str, ...]


class Delete(msgspec.Struct, frozen=True):
    """Delete the object; with `unblock`, let its owners no longer wait for it first: they would for ever."""

    propagation: str
    unblock: bool = False


Decision = Keep | Release | Delete


def decide(owners: Owners, finalizers: Sequence[str], *, has_dependents: bool, in_circle: bool) -> Decision:
    """Decide what becomes of an object that has owners.

    One owner that exists keeps it. An owner that waits for it, while it has dependents itself, makes them go first;
    in a circle of such waits one has to give way. Otherwise it goes, in the way that its own finalizers ask for.
    """
    if owners.solid:
        lost = (*owners.dangling, *owners.waiting)
        return Release(lost) if lost else Keep()
    if owners.waiting and has_dependents:
        return Delete("Foreground", unblock=in_circle)
    if ORPHAN in finalizers:
        return Delete("Orphan")
    return Delete("Foreground" if FOREGROUND in finalizers else "Background")
