from __future__ import annotations

from datetime import UTC, datetime, timedelta

from konverge.controller.correlator import Correlator, Occurrence, Regarding, Sighting

START = datetime(2026, 1, 1, tzinfo=UTC)


def occurrence(note: str = "it is done", name: str = "a", reason: str = "Done") -> Occurrence:
    """An event about a widget."""
    regarding = Regarding("test.konverge.dev/v1", "Widget", "shop", name, "uid", "1")
    return Occurrence(controller="test", regarding=regarding, type="Normal", reason=reason, action="Do", note=note)


def see(correlator: Correlator, *notes: str, after: float = 0.0, name: str = "a") -> list[Sighting | None]:
    """Record events one after the other at one moment."""
    moment = START + timedelta(seconds=after)
    return [correlator.see(occurrence(note, name), moment) for note in notes]


def test_the_same_event_is_counted() -> None:
    """The second is the second of its series, whatever version the object has."""
    first, second, other = see(Correlator(), "x", "x", "y")
    assert first is not None
    assert second is not None
    assert other is not None
    assert (first.count, second.count, other.count) == (1, 2, 1)
    assert first.series is second.series


def test_similar_events_become_one_from_the_tenth_on() -> None:
    """Different notes of one reason are combined, the latest of them shown, and counted together."""
    found = see(Correlator(), *(f"pod {number} failed" for number in range(12)))
    notes = [sighting.note for sighting in found if sighting is not None]
    assert notes[8:] == [
        "pod 8 failed",
        "(combined from similar events): pod 9 failed",
        "(combined from similar events): pod 10 failed",
        "(combined from similar events): pod 11 failed",
    ]
    assert [sighting.count for sighting in found if sighting is not None][8:] == [1, 1, 2, 3]


def test_similar_events_over_a_long_time_are_not_combined() -> None:
    """Ten minutes of silence start over."""
    correlator = Correlator()
    see(correlator, *(f"n{number}" for number in range(9)))
    (later,) = see(correlator, "n10", after=601)
    assert later is not None
    assert later.note == "n10"


def test_an_object_may_have_25_events_at_once_and_one_every_five_minutes() -> None:
    """The rest is dropped but counted in the series; other objects have allowances of their own."""
    correlator = Correlator()
    found = see(correlator, *["x"] * 30)
    assert len([sighting for sighting in found if sighting is not None]) == 25
    assert see(correlator, "x", name="b") != [None]
    assert see(correlator, "x", after=299) == [None]
    (later,) = see(correlator, "x", after=600)
    assert later is not None
    assert later.count == 32


def test_memory_is_bounded() -> None:
    """What was seen longest ago is forgotten."""
    correlator = Correlator()
    see(correlator, "x", name="first")
    for number in range(4096):
        see(correlator, "x", name=f"n{number}")
    (again,) = see(correlator, "x", name="first")
    assert again is not None
    assert again.count == 1
