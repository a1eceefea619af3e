from __future__ import annotations

import pytest

from konverge import errors
from konverge.cache.machine import (
    Ended,
    Failed,
    Listing,
    Outcome,
    Stalled,
    State,
    Synced,
    Waiting,
    Watching,
    delay,
    next_state,
    problem_of,
)
from konverge.errors import KonvergeError


def after(state: Listing | Watching, outcome: Outcome, failures: int = 0) -> State:
    """Return the state that follows."""
    return next_state(state, outcome, failures=failures)


def test_a_finished_list_is_watched_from_its_version() -> None:
    """Synced leads to watching."""
    assert after(Listing(), Synced("7")) == Watching("7")


def test_a_watch_that_ended_goes_on_from_where_it_was() -> None:
    """The server ends each watch after its timeout; nothing is listed again."""
    assert after(Watching("7"), Ended("9")) == Watching("9")


@pytest.mark.parametrize(
    ("error", "reason", "then"),
    [
        (errors.ConnectionFailed("cut"), "connection", Watching("9")),
        (errors.Unauthorized("who"), "unauthorized", Watching("9")),
        (errors.Forbidden("no"), "forbidden", Watching("9")),
        (errors.TooManyRequests("slow down"), "busy", Watching("9")),
        (errors.Unavailable("not yet"), "busy", Watching("9")),
        (errors.InternalError("oops"), "error", Watching("9")),
        (errors.Expired("gone"), "expired", Listing()),
        (errors.Timeout("too large resource version"), "error", Listing()),
        (errors.NotFound("no such resource"), "not_served", Listing()),
        (errors.DecodeError("no json"), "unreadable", Listing()),
    ],
)
def test_what_follows_a_failed_watch(error: KonvergeError, reason: str, then: State) -> None:
    """A watch is resumed where the server still knows its version, and everything is listed anew where it may not."""
    state = after(Watching("7"), Failed(error, "9"))
    assert isinstance(state, Waiting)
    assert (state.problem.reason, state.then) == (reason, then)


def test_a_server_without_streamed_lists_is_listed_in_pages_at_once() -> None:
    """Refusing sendInitialEvents is no failure, it is an older server."""
    assert after(Listing(), Failed(errors.Invalid("sendInitialEvents is forbidden"))) == Listing(stream=False)
    assert after(Listing(), Failed(errors.BadRequest("what is that"))) == Listing(stream=False)


def test_a_paged_list_that_is_refused_waits() -> None:
    """The fallback has no fallback: it is tried again later."""
    state = after(Listing(stream=False), Failed(errors.Invalid("bad selector")))
    assert isinstance(state, Waiting)
    assert state.seconds > 0


def test_a_list_that_stalls_is_asked_for_in_pages() -> None:
    """A server that ignores sendInitialEvents never says that the list is complete."""
    state = after(Listing(), Stalled("", 10))
    assert isinstance(state, Waiting)
    assert state.then == Listing(stream=False)


def test_a_watch_that_stalls_is_opened_again_from_its_version() -> None:
    """A silent connection is dead until the opposite is shown."""
    state = after(Watching("7"), Stalled("9", 150))
    assert isinstance(state, Waiting)
    assert (state.seconds, state.then) == (0.0, Watching("9"))


def test_the_first_expiry_and_the_first_cut_are_not_waited_for() -> None:
    """Both happen on good days."""
    for error in (errors.Expired("gone"), errors.ConnectionFailed("cut")):
        first, second = after(Watching("7"), Failed(error)), after(Watching("7"), Failed(error), failures=1)
        assert isinstance(first, Waiting)
        assert isinstance(second, Waiting)
        assert first.seconds == 0
        assert second.seconds > 0


def test_a_servers_own_wish_to_wait_is_respected() -> None:
    """Retry-After is the least that is waited."""
    state = after(Watching("7"), Failed(errors.TooManyRequests("later", retry_after=12.0)))
    assert isinstance(state, Waiting)
    assert state.seconds == 12.0


def test_the_delay_grows_to_its_limit() -> None:
    """client-go's figures: 0.8 s doubled up to 30 s."""
    assert [delay(n) for n in range(7)] == [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0]
    assert delay(10_000) == 30.0


@pytest.mark.parametrize(
    ("error", "needs_a_person"),
    [
        (errors.Forbidden("no"), True),
        (errors.NotFound("no kind"), True),
        (errors.Unauthorized("who"), True),
        (errors.ConnectionFailed("cut"), False),
    ],
)
def test_a_problem_says_whether_waiting_helps(error: KonvergeError, needs_a_person: bool) -> None:
    """A missing rule or CRD is someone's to mend, and the message says how."""
    problem = problem_of(error)
    assert problem.needs_a_person is needs_a_person
    assert str(error) in problem.message
