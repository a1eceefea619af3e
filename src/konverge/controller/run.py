"""Run: one reconcile that has ended, as a value: which object, why, what came of it and what it wrote."""

from __future__ import annotations

import msgspec

from konverge.controller.outcome import Label, decide
from konverge.controller.reconcile import Request, Result
from konverge.controller.writes import Write
from konverge.queue import Causes


class Run(msgspec.Struct, frozen=True):
    """What a controller tells of a reconcile; its words name objects and never show what is in them."""

    request: Request
    outcome: Result | BaseException
    took: float  # seconds
    writes: tuple[Write, ...]
    causes: Causes

    def __str__(self) -> str:
        wrote = ", ".join(map(str, self.writes)) or "nothing"
        return f"{self._result()} in {self.took:.3f} s; wrote {wrote}; because of {self.causes or 'no event'}"

    def _result(self) -> str:
        if isinstance(self.outcome, BaseException):
            return f"failed with {type(self.outcome).__name__}: {self.outcome}"
        decision = decide(self.outcome)
        return {
            Label.REQUEUE_AFTER: f"asked to run again after {decision.after:g} s",
            Label.REQUEUE: "asked to run again",
        }.get(decision.label, "succeeded")
