"""What is missing: says every so often why an informer has not read its objects yet, and what would fix it.

A missing CRD or RBAC rule keeps only those waiting who need that kind. With `timeout` an informer that has not synced
by then ends the manager, as in controller-runtime.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from konverge import log
from konverge.api.kind import Resource
from konverge.cache.cache import Cache
from konverge.cache.informer import Informer
from konverge.cache.machine import Problem
from konverge.errors import CacheSyncTimeout
from konverge.manager.runnable import Group

_LOG = log.get("cache")
_LOOK_EVERY = 0.5  # seconds between looks whether what is missing is missing for good


def explain(informer: Informer[Any]) -> str:
    """Return why an informer has not synced, with the remedy where there is one."""
    problems = dict.fromkeys(f"{problem.message}{_remedy(informer.resource, problem)}" for problem in informer.problems)
    return f"{informer.resource}: {'; '.join(problems) or 'the list has not arrived yet'}"


def _remedy(resource: Resource, problem: Problem) -> str:
    """Return what fixes a problem for good: the server's own words name only the first verb that it missed."""
    if problem.reason == "forbidden":
        rule = f'{{apiGroups: ["{resource.group}"], resources: ["{resource.plural}"], verbs: ["get", "list", "watch"]}}'
        return f"; a cache of it needs the rule {rule}"
    if problem.reason == "not_served":
        name = f"{resource.plural}.{resource.group}"
        return f"; kubectl apply -f the manifest of its CRD; what is there: kubectl get crd {name}"
    return ""


def _needs_a_person(informer: Informer[Any]) -> bool:
    return any(problem.needs_a_person for problem in informer.problems)


class SyncWatch:
    """Runs a cache, lets the manager go on when all that can sync has, and keeps saying what is missing."""

    group = Group.CACHES
    name = "cache"

    def __init__(self, cache: Cache, *, timeout: float | None = None, say_every: float = 30.0) -> None:
        self._cache = cache
        self._timeout = timeout
        self._say_every = say_every
        self._first_seen: dict[Informer[Any], float] = {}

    async def run(self) -> None:
        """Run the cache until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._cache.run(), name="informers")
            group.create_task(self._watch(), name="missing kinds")

    async def ready(self) -> None:
        """Wait until every informer has synced or waits for a person, who may take a while."""
        while any(not _needs_a_person(informer) for informer in self._unsynced()):
            await self._next_sync()

    async def _next_sync(self) -> None:
        """Wait for one of them to sync, or for a while."""
        waits = [asyncio.create_task(informer.wait_for_sync()) for informer in self._unsynced()]
        try:
            await asyncio.wait(waits, timeout=_LOOK_EVERY, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _watch(self) -> None:
        """Look as often as something has to be said, and no later than the timeout."""
        step = self._say_every if self._timeout is None else min(self._say_every, self._timeout / 4)
        loop = asyncio.get_running_loop()
        said = loop.time()
        while True:
            missing = self._unsynced()
            self._fail_if_too_late(missing, loop.time())
            if missing and loop.time() - said >= self._say_every:
                said = loop.time()
                _say(missing)
            await asyncio.sleep(step)

    def _unsynced(self) -> list[Informer[Any]]:
        return [informer for informer in self._cache.informers if not informer.synced]

    def _fail_if_too_late(self, missing: Iterable[Informer[Any]], now: float) -> None:
        self._first_seen = {informer: self._first_seen.get(informer, now) for informer in missing}
        if self._timeout is None:
            return
        late = [informer for informer, since in self._first_seen.items() if now - since >= self._timeout]
        if late:
            raise CacheSyncTimeout(
                f"not synced within {self._timeout:g} s: {'; '.join(explain(informer) for informer in late)}"
            )


def _say(missing: Iterable[Informer[Any]]) -> None:
    for informer in missing:
        _LOG.warning("still waiting for a kind; what needs it waits, the rest runs", missing=explain(informer))
