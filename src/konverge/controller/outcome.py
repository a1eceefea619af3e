"""What the outcome of a reconcile does to its request: the rules, in one place and in their order.

1. An error that is terminal: nothing more, until an event comes. Any other: again, rate-limited.
2. `requeue_after`: the backoff ends, again after the delay.
3. `requeue`: again, rate-limited; the backoff goes on.
4. Otherwise: the backoff ends.
"""

from __future__ import annotations

from enum import Enum, StrEnum, auto

import msgspec

from konverge.controller.reconcile import DONE, Result, TerminalError


class Label(StrEnum):
    """The result as the metric `controller_runtime_reconcile_total` names it."""

    ERROR = "error"
    REQUEUE_AFTER = "requeue_after"
    REQUEUE = "requeue"
    SUCCESS = "success"


class Next(Enum):
    """When the request runs again of its own accord."""

    NEVER = auto()
    AFTER = auto()  # after the decision's delay
    RATE_LIMITED = auto()


class Decision(msgspec.Struct, frozen=True):
    """What to do with a request after a run."""

    label: Label
    next: Next = Next.NEVER
    forget: bool = False  # whether the backoff starts over
    after: float = 0.0
    terminal: bool = False


_TERMINAL = Decision(Label.ERROR, terminal=True)
_FAILED = Decision(Label.ERROR, Next.RATE_LIMITED)
_AGAIN = Decision(Label.REQUEUE, Next.RATE_LIMITED)
_DONE = Decision(Label.SUCCESS, forget=True)


def decide(outcome: Result | BaseException) -> Decision:
    """Return what follows from an outcome."""
    if outcome is DONE:  # what most runs end in
        return _DONE
    match outcome:
        case BaseException() if is_terminal(outcome):
            return _TERMINAL
        case BaseException():
            return _FAILED
        case Result(after_seconds=after) if after > 0:
            return Decision(Label.REQUEUE_AFTER, Next.AFTER, forget=True, after=after)
        case Result(requeue=True):
            return _AGAIN
        case _:
            return _DONE


def is_terminal(error: BaseException) -> bool:
    """Whether trying again would not help; of a group of errors, if that is true of each."""
    if isinstance(error, BaseExceptionGroup):
        return all(is_terminal(inner) for inner in error.exceptions)
    return isinstance(error, TerminalError)


_PANICS = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, RecursionError, TypeError)


def is_panic(error: BaseException) -> bool:
    """Whether an error is a bug in the author's code of the sort that Go panics on, and not a failure it reports."""
    if isinstance(error, BaseExceptionGroup):
        return any(is_panic(inner) for inner in error.exceptions)
    return isinstance(error, _PANICS)
