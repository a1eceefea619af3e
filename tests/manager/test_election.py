from __future__ import annotations

from datetime import UTC, datetime, timedelta

from konverge.manager.election import Candidate, Read, Record, Seen, Wait, Write, observe

WALL = datetime(2026, 1, 1, tzinfo=UTC)
ME = Candidate(identity="me", duration=15)


def record(holder: str, **changes: object) -> Record:
    """A record of a holder."""
    return Record(**{"holder": holder, "duration": 15, "acquired": WALL, "renewed": WALL, "transitions": 3, **changes})  # type: ignore[arg-type]  # any field


def test_a_candidate_that_knows_nothing_looks_first() -> None:
    """Nothing is written over a lease that was never read."""
    assert ME.first_step(None, now=0, wall=WALL) == Read()
    assert ME.first_step(Seen(record("other"), "1", 0), now=0, wall=WALL) == Read()


def test_where_there_is_no_lease_one_is_made() -> None:
    """The first candidate creates it, with no transitions."""
    step = ME.after_reading(None, now=0, wall=WALL)
    assert step == Write(Record(holder="me", duration=15, acquired=WALL, renewed=WALL), "")


def test_a_lease_that_is_renewed_is_left_alone() -> None:
    """Somebody else's lease counts from when we saw it change."""
    assert ME.after_reading(Seen(record("other"), "7", 100), now=114.9, wall=WALL) == Wait("other")


def test_a_lease_that_was_not_renewed_is_taken_over() -> None:
    """After its own duration without a change the lease is written over, with one transition more."""
    step = ME.after_reading(Seen(record("other"), "7", 100), now=115, wall=WALL)
    assert step == Write(record("me", transitions=4), "7")


def test_the_duration_that_counts_is_the_holders() -> None:
    """A candidate with a short lease waits as long as the holder was promised."""
    seen = Seen(record("other", duration=60), "7", 100)
    assert isinstance(ME.after_reading(seen, now=159, wall=WALL), Wait)
    assert isinstance(ME.after_reading(seen, now=160, wall=WALL), Write)


def test_a_lease_that_was_given_back_is_taken_at_once() -> None:
    """An empty holder means that nobody leads."""
    assert isinstance(ME.after_reading(Seen(record("", duration=1), "7", 100), now=100, wall=WALL), Write)


def test_a_leader_renews_without_reading_and_keeps_when_it_became_one() -> None:
    """The renewal changes the time of renewal alone."""
    later = WALL + timedelta(seconds=2)
    step = ME.first_step(Seen(record("me"), "9", 0), now=2, wall=later)
    assert step == Write(record("me", renewed=later), "9")


def test_a_leader_whose_time_is_over_looks_before_it_writes() -> None:
    """Somebody else may have taken the lease meanwhile."""
    assert ME.first_step(Seen(record("me"), "9", 0), now=15, wall=WALL) == Read()


def test_times_in_the_record_are_never_compared_with_ours() -> None:
    """A holder whose clock is a year off in either direction loses nothing and gains nothing."""
    for years in (-1, 1):
        seen = Seen(record("other", renewed=WALL + timedelta(days=365 * years)), "7", 100)
        assert isinstance(ME.after_reading(seen, now=101, wall=WALL), Wait)
        assert isinstance(ME.after_reading(seen, now=115, wall=WALL), Write)


def test_only_a_change_of_the_record_starts_the_clock_anew() -> None:
    """A new resourceVersion (a label, say) is no renewal."""
    known = Seen(record("other"), "7", 100)
    assert observe(known, record("other"), "8", now=105) == Seen(record("other"), "8", 100)
    changed = record("other", renewed=WALL + timedelta(seconds=2))
    assert observe(known, changed, "9", now=105) == Seen(changed, "9", 105)


def test_only_our_own_lease_is_given_back() -> None:
    """Giving back leaves an empty holder and a second, as client-go does, and keeps the transitions."""
    step = ME.given_back(Seen(record("me"), "9", 0), wall=WALL)
    assert step == Write(Record(duration=1, acquired=WALL, renewed=WALL, transitions=3), "9")
    assert ME.given_back(Seen(record("other"), "9", 0), wall=WALL) is None
