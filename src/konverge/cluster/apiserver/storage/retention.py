"""Retention: which revision is old enough to be compacted. Time comes with each write, so there is no timer."""

from __future__ import annotations

from collections import deque

_MARKS = 10  # in the time that is kept: a change is kept at most a tenth longer than it must


class Retention:
    """Remembers when which revision was the newest; etcd's users keep five minutes, and so do we."""

    def __init__(self, keep: float) -> None:
        self._keep = keep
        self._marks: deque[tuple[float, int]] = deque()

    def note(self, now: float, revision: int) -> int:
        """Take note of the newest revision; return up to which one may be compacted now, or 0."""
        if not self._marks or now - self._marks[-1][0] >= self._keep / _MARKS:
            self._marks.append((now, revision))
        old = 0
        while self._marks and self._marks[0][0] <= now - self._keep:
            old = self._marks.popleft()[1]
        return old
