"""Balancer: whose turn it is. Pure: the time is told to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from konverge.cluster.proxy.plan import Target

_MOST_CLIENTS: Final = 10_000  # whose last target is known


class Balancer:
    """Deals connections out in turn; with an affinity, a client goes where it went before."""

    def __init__(self) -> None:
        self._targets: tuple[Target, ...] = ()
        self._turn = 0
        self._affinity = 0.0
        self._visits: dict[str, tuple[Target, float]] = {}  # by client: where, and when last

    def update(self, targets: Sequence[Target], affinity: float) -> None:
        """Deal to these from now on; whose turn it is does not begin anew."""
        self._targets, self._affinity = tuple(targets), affinity
        if not affinity:
            self._visits.clear()

    def order(self, client: str, now: float) -> list[Target]:
        """Return the targets in the order in which to try them, for a new connection of a client."""
        if not self._targets:
            return []
        start = self._turn % len(self._targets)
        self._turn += 1
        found = [*self._targets[start:], *self._targets[:start]]
        known, when = self._visits.get(client, (None, 0.0))
        if self._affinity and known in self._targets and now - when < self._affinity:
            found.sort(key=lambda target: target != known)  # stable: the others keep their turn
        return found

    def connected(self, client: str, target: Target, now: float) -> None:
        """Take note of where a client went."""
        if not self._affinity:
            return
        self._visits.pop(client, None)
        self._visits[client] = (target, now)
        if len(self._visits) > _MOST_CLIENTS:
            del self._visits[next(iter(self._visits))]
