"""ProbeCount: when a probe's answers become a result, by its thresholds; pure."""

from __future__ import annotations

import msgspec

from konverge.models import core_v1


class ProbeCount:
    """Counts answers that follow each other; `initial` is the result until enough of them are in."""

    def __init__(self, probe: core_v1.Probe, *, initial: bool | None) -> None:
        self.result = initial
        self._needed = {True: probe.success_threshold or 1, False: probe.failure_threshold or 3}
        self.asked = 0  # how often
        self._answer: bool | None = None
        self._count = 0

    def note(self, *, ok: bool) -> bool:
        """Take an answer; return whether the result changed, or was confirmed by enough answers in a row."""
        self.asked += 1
        self._count = self._count + 1 if ok is self._answer else 1
        self._answer = ok
        if self._count < self._needed[ok]:
            return False
        self.result = ok
        return True


class Verdict(msgspec.Struct, frozen=True):
    """An answer to one probe, and what was heard, as an event says it."""

    ok: bool
    output: str = ""
