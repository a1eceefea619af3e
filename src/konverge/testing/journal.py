"""Journal: the last reconciles of each object, kept while a manager runs in `running`, for what a failed wait tells.

The journals that are open are a list of this module: a wait knows a client and an object, and must find who works on
it. A manager is in it only inside its block.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Final

from konverge import clock
from konverge.api.kind import GroupKind
from konverge.controller.reconcile import Request
from konverge.controller.run import Run
from konverge.errors import RequestError
from konverge.manager import Manager

_KEPT: Final = 5  # of each object and controller
_OPEN: Final[list[Journal]] = []


class Journal:
    """What the controllers of one manager did."""

    def __init__(self, manager: Manager) -> None:
        self.manager = manager
        self.count = 0  # of the runs so far
        self._runs: dict[tuple[GroupKind | None, Request], deque[tuple[datetime, str, Run]]] = {}
        self._last: dict[tuple[str, Request], tuple[datetime, str, Run]] = {}
        for name, controller in manager.controllers.items():
            controller.watch_runs(partial(self._note, name, controller.kind))

    def _note(self, controller: str, kind: GroupKind | None, run: Run) -> None:
        kept = self._runs.setdefault((kind, run.request), deque(maxlen=_KEPT))
        kept.append((clock.now(), controller, run))
        self._last[controller, run.request] = kept[-1]
        self.count += 1

    def of(self, kind: GroupKind, request: Request) -> list[tuple[datetime, str, Run]]:
        """Return the last runs for an object: when, by which controller, and what came of it."""
        return [*self._runs.get((kind, request), ()), *self._runs.get((None, request), ())]

    def latest(self) -> Iterable[tuple[datetime, str, Run]]:
        """Return the last run of each controller for each object."""
        return self._last.values()


@contextmanager
def kept(manager: Manager) -> Iterator[None]:
    """Keep a journal of a manager while it runs."""
    journal = Journal(manager)
    _OPEN.append(journal)
    try:
        yield
    finally:
        _OPEN.remove(journal)


def journal_of(manager: Manager) -> Journal:
    """Return the journal of a manager that runs in `running`."""
    found = next((journal for journal in _OPEN if journal.manager is manager), None)
    if found is None:
        raise RequestError("this manager is not inside `konverge.testing.running`: what it does is not known")
    return found


def last_runs(kind: GroupKind, request: Request) -> list[str]:
    """Return a line for each of the last runs for an object, the oldest first."""
    runs = sorted((run for journal in _OPEN for run in journal.of(kind, request)), key=lambda found: found[0])
    return [f"{moment:%H:%M:%S.%f} {controller}: {run}" for moment, controller, run in runs[-_KEPT:]]
