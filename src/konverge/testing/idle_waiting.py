"""`wait_idle`: wait until a manager has seen all there is and has nothing left to do about it.

No pause decides that, but three facts: its cache holds the versions that the server has, its queues are empty, and no
reconcile is under way or to be tried again. Where nobody else writes, it stays so.
"""

from __future__ import annotations

from typing import Any

from konverge.api.form import metadata_only
from konverge.api.kind import ObjectKey
from konverge.cache.feed import Feed
from konverge.cache.informer import Informer
from konverge.controller.outcome import Next, decide
from konverge.manager import Manager
from konverge.testing.journal import Journal, journal_of
from konverge.testing.waiting import WITHIN, looked


async def wait_idle(manager: Manager, *, within: float = WITHIN) -> None:
    """Wait until a manager in `running` has nothing left to do; the `AssertionError` says what it still has.

    What a reconcile has asked for later (`requeue_after`) does not count, and what others will still write is not
    known here: wait for that first, as in `wait_for(client, deployment, until=rolled_out)`.
    """
    journal, why = journal_of(manager), ""

    async def is_idle() -> bool:
        nonlocal why
        count = journal.count
        why = _unrest(manager, journal) or await _unseen(manager) or _unrest(manager, journal)
        # What was compared first may have changed while the rest was: then something has run, or is to run.
        return not why and count == journal.count

    is_so, _ = await looked(is_idle, within=within)
    if not is_so:
        raise AssertionError(f"the manager is not idle after {within:g} s: {why or 'one reconcile follows the other'}")


def _unrest(manager: Manager, journal: Journal) -> str:
    """Return what waits, runs or is to be tried again; empty where nothing does."""
    for controller in manager.controllers.values():
        if not controller.in_sync:
            return repr(controller)
        if len(controller.queue) or controller.queue.in_flight:
            return repr(controller.queue)
    for moment, name, run in journal.latest():
        if decide(run.outcome).next is Next.RATE_LIMITED:
            return f"{run.request} is to be tried again: {moment:%H:%M:%S.%f} {name}: {run}"
    return ""


async def _unseen(manager: Manager) -> str:
    """Return what the server has and the cache does not, or the other way round; empty where they have the same."""
    for informer in manager.cache.informers:
        for feed in informer.feeds:
            there = await _versions(manager, informer, feed)
            seen = {key: entry.version for key, entry in feed.store.items()}
            late = [str(key) for key in sorted({*there, *seen}) if there.get(key) != seen.get(key)]
            if late or not feed.synced:
                return f"its cache is behind in {informer.resource.plural}: {', '.join(late)}"
    return ""


async def _versions(manager: Manager, informer: Informer[Any], feed: Feed[Any]) -> dict[ObjectKey, int]:
    selection = informer.options.selection
    found = await manager.live.list(
        metadata_only(informer.form),
        namespace=feed.namespace or None,
        labels=selection.labels or None,
        fields=selection.fields or None,
    )
    return {each.metadata.key: int(each.metadata.resource_version or 0) for each in found}
