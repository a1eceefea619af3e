from __future__ import annotations

from datetime import UTC, datetime

from konverge.api.conditions import get_condition, is_condition_true, remove_condition, set_condition
from konverge.api.meta import Condition

EARLY, LATE = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, 1, 2, 3, 456, tzinfo=UTC)


def ready(status: str = "True", *, reason: str = "Fine", message: str = "") -> Condition:
    """Make a condition without a time."""
    return Condition(type="Ready", status=status, reason=reason, message=message)


def test_a_new_condition_gets_the_time() -> None:
    """To the second; the one that was given is left alone, so that it can be set on many objects."""
    conditions: list[Condition] = []
    given = ready()
    assert set_condition(conditions, given, now=LATE)
    assert conditions[0].last_transition_time == LATE.replace(microsecond=0)
    assert given.last_transition_time is None
    assert conditions[0] is not given


def test_the_time_moves_with_the_status_alone() -> None:
    """It stays when the reason, the message or the generation changes."""
    conditions: list[Condition] = []
    set_condition(conditions, ready(), now=EARLY)
    changed = ready(reason="Better", message="much")
    changed.observed_generation = 2
    assert set_condition(conditions, changed, now=LATE)
    assert conditions[0].last_transition_time == EARLY
    assert (conditions[0].reason, conditions[0].message, conditions[0].observed_generation) == ("Better", "much", 2)
    assert set_condition(conditions, ready("False"), now=LATE)
    assert conditions[0].last_transition_time == LATE.replace(microsecond=0)
    assert len(conditions) == 1


def test_a_time_of_the_authors_own() -> None:
    """It is taken when the status changes, and when the condition is new; not otherwise."""
    conditions: list[Condition] = []
    own = ready()
    own.last_transition_time = EARLY
    set_condition(conditions, own, now=LATE)
    assert conditions[0].last_transition_time == EARLY
    own.last_transition_time = LATE
    assert not set_condition(conditions, own)
    assert conditions[0].last_transition_time == EARLY
    own.status = "Unknown"
    set_condition(conditions, own, now=EARLY)
    assert conditions[0].last_transition_time == LATE


def test_setting_the_same_again_changes_nothing() -> None:
    """The answer says so, whatever the time is."""
    conditions: list[Condition] = []
    assert set_condition(conditions, ready(), now=EARLY)
    assert not set_condition(conditions, ready(), now=LATE)


def test_the_clock_is_asked_where_no_time_is_given() -> None:
    """The time is aware, and whole seconds."""
    conditions: list[Condition] = []
    set_condition(conditions, ready())
    assert conditions[0].last_transition_time.tzinfo is not None
    assert conditions[0].last_transition_time.microsecond == 0


def test_finding_conditions() -> None:
    """By type; an absent list is an empty one, and only the status True is true."""
    conditions = [ready("Unknown")]
    assert get_condition(conditions, "Ready") is conditions[0]
    assert get_condition(conditions, "Other") is None
    assert get_condition(None, "Ready") is None
    assert not is_condition_true(conditions, "Ready")
    assert not is_condition_true(None, "Ready")
    assert is_condition_true([ready()], "Ready")


def test_removing_conditions() -> None:
    """In place; the answer says whether it was there."""
    conditions = [ready(), Condition(type="Other", status="True")]
    assert remove_condition(conditions, "Ready")
    assert [condition.type for condition in conditions] == ["Other"]
    assert not remove_condition(conditions, "Ready")
