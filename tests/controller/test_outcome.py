from __future__ import annotations

from datetime import timedelta

import pytest

from konverge.controller import Result, TerminalError
from konverge.controller.outcome import Decision, Label, Next, decide, is_panic
from konverge.errors import Conflict

AFTER_5 = Decision(Label.REQUEUE_AFTER, Next.AFTER, forget=True, after=5.0)


@pytest.mark.parametrize(
    ("outcome", "decision"),
    [
        (Result(), Decision(Label.SUCCESS, forget=True)),
        (Result(requeue=True), Decision(Label.REQUEUE, Next.RATE_LIMITED)),
        (Result(requeue_after=5), AFTER_5),
        (Result(requeue_after=timedelta(seconds=5)), AFTER_5),
        (Result(requeue=True, requeue_after=5), AFTER_5),
        (Result(requeue=True, requeue_after=0), Decision(Label.REQUEUE, Next.RATE_LIMITED)),
        (Conflict("x"), Decision(Label.ERROR, Next.RATE_LIMITED)),
        (TerminalError("x"), Decision(Label.ERROR, terminal=True)),
        (ExceptionGroup("x", [TerminalError("x"), TerminalError("y")]), Decision(Label.ERROR, terminal=True)),
        (ExceptionGroup("x", [TerminalError("x"), Conflict("y")]), Decision(Label.ERROR, Next.RATE_LIMITED)),
    ],
)
def test_the_rules_in_their_order(outcome: Result | BaseException, decision: Decision) -> None:
    """Errors first, then requeue_after, then requeue, then success."""
    assert decide(outcome) == decision


def test_what_counts_as_a_bug() -> None:
    """What Go would panic on, also inside a group; what a library or the server reports does not."""
    assert is_panic(KeyError("x"))
    assert is_panic(ExceptionGroup("x", [Conflict("x"), AttributeError("y")]))
    assert not is_panic(Conflict("x"))
    assert not is_panic(OSError("x"))
