"""AbsentOwners: what live reads have not found under a name that somebody used, though it may exist under another.

A uid is never used twice: what is absent stays so. The number kept is bounded; who is forgotten is asked about again.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from konverge.cluster.controllers.garbage_collector.identity import Identity

_MOST: Final = 500  # as many as the real one keeps


class AbsentOwners:
    """The latest owners that were found not to exist."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._known: OrderedDict[Identity, None] = OrderedDict()

    def add(self, identity: Identity) -> None:
        """Remember an owner that does not exist."""
        self._known[identity] = None
        self._known.move_to_end(identity)
        if len(self._known) > self._most:
            self._known.popitem(last=False)

    def __contains__(self, identity: Identity) -> bool:
        if identity not in self._known:
            return False
        self._known.move_to_end(identity)
        return True
