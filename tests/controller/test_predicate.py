from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.controller import (
    AnnotationChanged,
    CreateEvent,
    DeleteEvent,
    Event,
    Functions,
    GenerationChanged,
    GenericEvent,
    LabelChanged,
    LabelSelectorMatches,
    Predicate,
    ResourceVersionChanged,
    UpdateEvent,
)
from konverge.controller.predicate import passes, predicates_of
from konverge.models import core_v1


def config_map(**metadata: Any) -> core_v1.ConfigMap:
    """A ConfigMap with this metadata."""
    return core_v1.ConfigMap.from_dict({"metadata": {"name": "a", **metadata}})


def update(old: dict[str, Any], new: dict[str, Any]) -> UpdateEvent[core_v1.ConfigMap]:
    """An update from this metadata to that."""
    return UpdateEvent(config_map(**old), config_map(**new))


CREATE, DELETE, GENERIC = CreateEvent(config_map()), DeleteEvent(config_map()), GenericEvent(config_map())
UPDATE = update({"resourceVersion": "1"}, {"resourceVersion": "2"})


@pytest.mark.parametrize(
    ("predicate", "old", "new", "passed"),
    [
        (ResourceVersionChanged(), {"resourceVersion": "1"}, {"resourceVersion": "2"}, True),
        (ResourceVersionChanged(), {"resourceVersion": "1"}, {"resourceVersion": "1"}, False),
        (GenerationChanged(), {"generation": 1}, {"generation": 2}, True),
        (GenerationChanged(), {"generation": 1}, {"generation": 1}, False),
        (GenerationChanged(), {}, {}, True),
        (LabelChanged(), {"labels": {"a": "b"}}, {"labels": {"a": "c"}}, True),
        (LabelChanged(), {"labels": {}}, {}, False),
        (AnnotationChanged(), {}, {"annotations": {"a": "c"}}, True),
        (AnnotationChanged(), {"annotations": {"a": "c"}}, {"annotations": {"a": "c"}}, False),
        (LabelSelectorMatches("a=b"), {}, {"labels": {"a": "b"}}, True),
        (LabelSelectorMatches({"a": "b"}), {"labels": {"a": "b"}}, {}, False),
    ],
)
def test_updates(predicate: Predicate, old: dict[str, Any], new: dict[str, Any], passed: bool) -> None:
    """Each predicate judges an update by what it is named for; kinds without a generation always pass that one."""
    assert predicate(update(old, new)) is passed


@pytest.mark.parametrize(
    "predicate", [ResourceVersionChanged(), GenerationChanged(), LabelChanged(), AnnotationChanged(), Predicate()]
)
def test_other_events_pass(predicate: Predicate) -> None:
    """What comes, goes or happens outside is not theirs to judge."""
    assert all(predicate(event) for event in (CREATE, DELETE, GENERIC))


def test_a_function_per_event() -> None:
    """Events without a function pass."""
    predicate = Functions(create=lambda _: False, delete=lambda event: event.delete_state_unknown)
    assert [predicate(event) for event in (CREATE, UPDATE, DELETE, GENERIC)] == [False, True, False, True]


@given(st.booleans(), st.booleans(), st.booleans())
def test_they_combine_like_booleans(one: bool, two: bool, three: bool) -> None:
    """And, or and not mean what they say, also with plain functions on either side."""

    def constant(value: bool) -> Predicate:
        return Functions(update=lambda _: value)

    def plain(_event: Event[Any]) -> bool:
        return two

    assert (constant(one) & plain)(UPDATE) is (one and two)
    assert (plain & constant(one))(UPDATE) is (one and two)
    assert (constant(one) | plain)(UPDATE) is (one or two)
    assert (plain | constant(one))(UPDATE) is (one or two)
    assert (~constant(one))(UPDATE) is (not one)
    assert (constant(one) & ~(constant(two) | constant(three)))(UPDATE) is (one and not (two or three))


def test_reprs_show_the_expression() -> None:
    """A combination reads as it was written."""
    predicate = GenerationChanged() & ~LabelSelectorMatches("a=b") | LabelChanged()
    assert repr(predicate) == "((GenerationChanged() & ~LabelSelectorMatches('a=b')) | LabelChanged())"


def test_one_that_raises_lets_the_event_pass(lines: list[dict[str, Any]]) -> None:
    """A reconcile too many does no harm, and the log names the fault."""

    def broken(_event: Event[Any]) -> bool:
        raise KeyError("x")

    assert passes([broken], CREATE)
    assert lines[0]["msg"] == "a predicate failed, so the event passes"
    assert lines[0]["event"] == "CreateEvent(ConfigMap a at no version)"


def test_one_or_many_are_taken() -> None:
    """A single predicate need not be put into a list."""
    one = LabelChanged()
    assert predicates_of(one) == (one,)
    assert predicates_of([one, one]) == (one, one)
