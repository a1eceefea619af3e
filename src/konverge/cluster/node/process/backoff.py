"""Backoff: how long a container that ends again and again waits before its next run; pure, a kubelet's numbers."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

_FIRST: Final = 10.0  # seconds
_LONGEST: Final = 300.0
_FORGOTTEN_AFTER: Final = timedelta(seconds=2 * _LONGEST)


class Backoff:
    """The pause of one container: none at first, then doubled by each run, until one lasted for ten minutes."""

    def __init__(self) -> None:
        self.pause = 0.0  # seconds from the end of a run to the next
        self._since: datetime | None = None

    def left(self, ended_at: datetime, now: datetime) -> float:
        """Return the seconds until a container that ended then may run again."""
        if self._since is not None and ended_at - self._since > _FORGOTTEN_AFTER:
            self.pause = 0.0
        return max((ended_at + timedelta(seconds=self.pause) - now).total_seconds(), 0.0)

    def note_restart(self, now: datetime) -> None:
        """Let the next pause be longer: the container runs again now."""
        self.pause = min(self.pause * 2, _LONGEST) if self.pause else _FIRST
        self._since = now
