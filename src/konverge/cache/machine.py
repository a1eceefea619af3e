"""The watcher's states, and what follows from what: pure decisions, no I/O.

::

    Listing ──synced──▶ Watching ──ended, broken, stalled──▶ Watching (again, from the last version)
       ▲                   │
       └──────Waiting ◀────┴── expired, refused, not served, unreadable

A watcher never gives up and never stalls in silence: each way out of a state has a next state, and where a person has
to do something (a missing CRD, a missing RBAC rule) the state carries the sentence that says what.
"""

from __future__ import annotations

import msgspec

from konverge.errors import (
    ApiError,
    BadRequest,
    ConnectionFailed,
    DecodeError,
    Expired,
    Forbidden,
    Invalid,
    KonvergeError,
    NotFound,
    Timeout,
    TooManyRequests,
    Unauthorized,
    Unavailable,
)

FIRST_DELAY = 0.8  # seconds, and doubled each time up to the longest: client-go's figures
LONGEST_DELAY = 30.0


class Listing(msgspec.Struct, frozen=True):
    """Getting everything anew: as a stream (WatchList) or, where the server has none, in pages."""

    stream: bool = True


class Watching(msgspec.Struct, frozen=True):
    """Following changes from a version on."""

    version: str


class Waiting(msgspec.Struct, frozen=True):
    """Waiting before the next try, because of a problem."""

    seconds: float
    then: Listing | Watching
    problem: Problem


State = Listing | Watching | Waiting


class Problem(msgspec.Struct, frozen=True):
    """Why the watcher is not following, in one word for metrics and one sentence for people."""

    reason: str
    message: str
    needs_a_person: bool = False  # waiting alone will not help


class Synced(msgspec.Struct, frozen=True):
    """A list is complete, at this version."""

    version: str


class Ended(msgspec.Struct, frozen=True):
    """The server ended the watch in order, as it does after its timeout; changes were followed up to this version."""

    version: str


class Stalled(msgspec.Struct, frozen=True):
    """Nothing came for longer than a healthy server is silent."""

    version: str
    seconds: float


class Failed(msgspec.Struct, frozen=True):
    """An error ended it; changes were followed up to this version."""

    error: KonvergeError
    version: str = ""


Outcome = Synced | Ended | Stalled | Failed


def next_state(state: Listing | Watching, outcome: Outcome, *, failures: int, can_stream: bool = True) -> State:
    """Return the state that follows; `failures` counts those since the last success."""
    match outcome:
        case Synced(version) | Ended(version):
            return Watching(version)
        case Stalled(version, seconds):
            return _after_stall(state, version, seconds, failures)
        case Failed(error, version):
            return _after_failure(state, error, version, failures=failures, can_stream=can_stream)


def _after_stall(state: Listing | Watching, version: str, seconds: float, failures: int) -> State:
    problem = Problem("stalled", f"nothing came for {seconds:.0f} s; opening a new connection")
    if isinstance(state, Listing):
        # A server that does not know WatchList ignores the parameter, and the end of its list never comes.
        return Waiting(delay(failures), Listing(stream=False), problem)
    return Waiting(0.0, Watching(version), problem)  # the stall itself has taken its time


def _after_failure(
    state: Listing | Watching, error: KonvergeError, version: str, *, failures: int, can_stream: bool
) -> State:
    if isinstance(state, Listing) and state.stream and isinstance(error, (Invalid, BadRequest)):
        return Listing(stream=False)
    problem = problem_of(error)
    again: Listing | Watching = Listing(stream=can_stream)
    if isinstance(state, Watching) and _can_resume(error):
        again = Watching(version or state.version)
    return Waiting(_wait(error, failures), again, problem)


def _can_resume(error: KonvergeError) -> bool:
    """Whether a watch can go on from where it was, or everything must be listed anew."""
    return isinstance(error, (ConnectionFailed, Unauthorized, Forbidden, TooManyRequests, Unavailable)) or (
        isinstance(error, ApiError) and not isinstance(error, (Expired, Timeout, NotFound, BadRequest, Invalid))
    )


def _wait(error: KonvergeError, failures: int) -> float:
    if isinstance(error, (TooManyRequests, Unavailable)) and error.retry_after:
        return max(error.retry_after, delay(failures))
    if isinstance(error, (Expired, ConnectionFailed)) and failures == 0:
        return 0.0  # ordinary on a good day: a watch that was cut, a version that was compacted
    return delay(failures)


def delay(failures: int) -> float:
    """Return how long to wait after so many failures in a row."""
    return float(min(FIRST_DELAY * 2 ** min(failures, 10), LONGEST_DELAY))


_PROBLEMS: dict[type[KonvergeError], tuple[str, str, bool]] = {
    Expired: ("expired", "{}; listing again", False),
    Forbidden: ("forbidden", "{}", True),
    Unauthorized: ("unauthorized", "{}", True),
    NotFound: ("not_served", "{}; install its CustomResourceDefinition", True),
    DecodeError: ("unreadable", "{}; listing again", False),
    ConnectionFailed: ("connection", "{}", False),
    TooManyRequests: ("busy", "{}", False),
    Unavailable: ("busy", "{}", False),
}


def problem_of(error: KonvergeError) -> Problem:
    """Return an error as the problem it is, with what to do about it."""
    reason, text, needs_a_person = _PROBLEMS.get(type(error), ("error", "{}", False))
    return Problem(reason, text.format(error), needs_a_person)
